"""A database whose streams Citus spreads over several nodes: how to recognize it, its nodes, and its placement."""
