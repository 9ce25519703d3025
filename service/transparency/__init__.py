"""The log as a whole: every leaf has an index in one Merkle tree, and signed checkpoints commit to this tree."""
