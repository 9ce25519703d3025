"""Audits the log as a whole: the indexes of all leaves, the tree, and the signed checkpoints (DECISIONS 98)."""
