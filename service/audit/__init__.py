"""The audit: decides every recorded decision again, and checks all that is stored. It changes nothing."""
