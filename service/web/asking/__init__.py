"""Finds the viewer of a page, and asks the API for the data of the page."""
