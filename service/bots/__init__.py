"""Bots: programs that play and host games, as clients of the public API like any other."""
