"""Audits the log as a whole: indexes, the tree, signed checkpoints, and the service's own stream (DECISIONS 98)."""
