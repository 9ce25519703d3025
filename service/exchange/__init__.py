"""Exports, imports and backups of logs."""
