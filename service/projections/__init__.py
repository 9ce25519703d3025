"""Projections: SQL tables for queries, computed from the log. A rebuild can recompute these tables at any time."""
