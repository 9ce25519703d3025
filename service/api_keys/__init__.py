"""API keys: storage, secrets, and a cache. A key has a maker, an owner and scopes."""
