"""Logs that leave a service or come into one: exports, imports and backups."""
