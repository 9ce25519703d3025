"""Reads requests: their caller, their body and query, and the tables that the caller may see."""
