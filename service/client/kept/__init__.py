"""What a client keeps of a log, and the checks that the log agrees with what is kept."""
