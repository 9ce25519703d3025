"""Figures: how fast the service is on this machine, measured the same way each time."""
