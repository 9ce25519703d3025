"""Projections: SQL tables for queries, computed from the log. A rebuild can compute them again at any time."""
