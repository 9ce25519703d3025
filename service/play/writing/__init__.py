"""Writing commands to the database: many in one transaction, by one writer for each node of the database."""
