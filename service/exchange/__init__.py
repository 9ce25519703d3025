"""Writes, reads and imports exports of events; backs up and restores the whole database."""
