"""Keeps the service responsive, and reports its state: limits, queues, slots, metrics and the access log."""
