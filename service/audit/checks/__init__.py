"""The checks of one table: each check reads the table's events or rows, and reports findings."""
