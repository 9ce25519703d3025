"""Writes commands, many in one transaction; on a spread database there is one more writer for each node."""
