"""A database whose streams Citus spreads over several nodes: how to notice it, its nodes, and its placement."""
