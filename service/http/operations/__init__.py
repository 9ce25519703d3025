"""What keeps the service answering: limits, queues, slots, metrics and the access log."""
