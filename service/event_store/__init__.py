"""The append-only event store, which depends on no game."""
