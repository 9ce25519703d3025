"""Draws tables, plots, cards, amounts and times for the templates, and puts events and disputes into words."""
