"""Tables rebuilt from their streams: folding, caching, snapshots, and what each caller may see."""
