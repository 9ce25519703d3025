"""Requests that wait for an event: which of them a client still waits for, and what they share."""
