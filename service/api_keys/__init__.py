"""API keys: who made each, who owns it, and what it allows."""
