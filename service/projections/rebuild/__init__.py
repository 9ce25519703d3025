"""Rebuilds the projections from the log, in tables beside the projections in use."""
