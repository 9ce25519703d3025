"""Tables: the fold of their streams, the cache, snapshots, sealed values, and the visibility for each viewer."""
