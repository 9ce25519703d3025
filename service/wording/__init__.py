"""Puts the events of a hand, as the API returns them, into words for the pages and the command line (DECISIONS 112)."""
