"""Secrets: the service key and keys derived from it, encryption, commitments, receipts, and signatures of moves."""
