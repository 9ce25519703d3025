"""One module a check of what is stored: from the events of a table to findings."""
