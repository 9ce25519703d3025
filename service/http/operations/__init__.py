"""What keeps the service answering: limits, queues, waiting places, metrics and the access log."""
