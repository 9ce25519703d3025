"""The limits of API keys: the tables and disputes to which a key for audits is limited."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column; NULL: the key has no limits, like all earlier keys."""
    op.add_column("keys", sa.Column("limits", sa.Text))


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
