"""The checks of one table: each module reads the table's events and yields findings."""
