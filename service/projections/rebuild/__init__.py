"""The rebuild of all projections from the log, beside those in use."""
