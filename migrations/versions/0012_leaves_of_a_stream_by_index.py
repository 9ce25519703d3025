"""A database index by stream and leaf index: one look-up for each table of a feed finds the table's next leaf."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the index."""
    op.create_index(op.f("ix_leaf_indexes_stream_id_leaf_index"), "leaf_indexes", ["stream_id", "leaf_index"])


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
