"""Every projection built anew from the log, beside the one in use."""
