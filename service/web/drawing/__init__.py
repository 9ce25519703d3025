"""Draws cards, amounts and times for the templates."""
