"""Exports of events: writing, reading and importing them; and backups of the whole database."""
