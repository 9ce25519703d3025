"""The database: engines, transactions, the write lock, and the differences between SQLite and PostgreSQL."""
