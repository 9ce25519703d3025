"""Figures: how fast the service is on this machine, measured in the same way each time."""
