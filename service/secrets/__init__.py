"""Secrets: the service key and the keys derived from it, encryption at rest, commitments, and signed receipts."""
