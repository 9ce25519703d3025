"""The append-only store of events. It knows no game."""
