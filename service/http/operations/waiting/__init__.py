"""Requests that wait for an event: their notifications, what they share, and whether their clients still wait."""
