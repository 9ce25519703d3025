"""The audit: decides every decision again, and checks tables, disputes and the log as a whole; it changes nothing."""
