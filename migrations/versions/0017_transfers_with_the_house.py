"""An index of the transfers with the house, by position: winnings need all these transfers, which are few."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

WITH_HOUSE = sa.text("source = 'house' OR target = 'house'")


def upgrade() -> None:
    """Create the index."""
    columns = ["stream_id", "position", "ordinal"]
    op.create_index(
        "ix_transfers_with_house", "transfers", columns, sqlite_where=WITH_HOUSE, postgresql_where=WITH_HOUSE
    )


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
