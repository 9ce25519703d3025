"""Disputes over HTTP: the lists, one dispute, and a resource for each step (DECISIONS 108)."""
