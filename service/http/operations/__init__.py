"""Keeps the service answering, and shows its state: limits, queues, slots, metrics and the access log."""
