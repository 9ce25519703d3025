"""API keys: who made them, whose they are, and what they may do."""
