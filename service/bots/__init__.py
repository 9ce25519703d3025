"""Bots: programs that play and host games; like any other client, they use the public API."""
