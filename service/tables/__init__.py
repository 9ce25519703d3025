"""Card tables: the fold of a table's stream, the cache, snapshots, the sealed store, and visibility."""
