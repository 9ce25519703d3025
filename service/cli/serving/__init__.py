"""The server that `chiptrail serve` starts; only that command loads it."""
