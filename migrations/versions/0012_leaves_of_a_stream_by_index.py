"""A database index by which a feed finds the next leaf of each of the feed's tables with one look-up."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the index."""
    op.create_index(op.f("ix_leaf_indexes_stream_id_leaf_index"), "leaf_indexes", ["stream_id", "leaf_index"])


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
