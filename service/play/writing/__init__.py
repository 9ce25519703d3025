"""Writes commands to the database, many in one transaction; on a spread database, with one more writer for each node."""
