"""Writes, reads and imports export files; backs up and restores the whole database."""
