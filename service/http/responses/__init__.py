"""Writes responses: JSON, streams of events, and problems."""
