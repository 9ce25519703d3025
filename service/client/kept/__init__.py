"""What a client keeps of a log, and the checks of the log against it."""
