"""A database whose streams Citus spreads over several nodes: the check for it, its nodes, and its placement."""
