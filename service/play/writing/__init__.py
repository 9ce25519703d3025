"""Writes commands to the database, many in one transaction; a spread database has one more writer for each node."""
