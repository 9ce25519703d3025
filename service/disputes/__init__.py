"""Disputes about hands: their rules as pure functions, their events, and the list of disputes (DECISIONS 105)."""
