"""The audit: decides every recorded decision again, and checks all stored data. The audit changes nothing."""
