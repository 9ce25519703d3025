"""What nobody may read yet: the service key, the keys derived from it, encryption at rest, and signed receipts."""
