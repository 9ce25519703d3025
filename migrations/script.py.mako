"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    ${upgrades if upgrades else "..."}


def downgrade() -> None:
    raise RuntimeError("the log is never undone; go back by restoring a backup")
