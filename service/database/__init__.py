"""The database: engines, transactions, the write lock, and what SQLite and PostgreSQL each need."""
