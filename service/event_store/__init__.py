"""The append-only store of events, which knows no game."""
