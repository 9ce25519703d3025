"""Tables as their streams make them: folded, cached, snapshotted, and shown to each caller as it may see them."""
