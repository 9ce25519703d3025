"""The projections: transfers with balances, tables, seats and hands. A rebuild computes all of them from the log."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
UNITS = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the four tables."""
    _make_transfers()
    _make_tables()
    _make_seats()
    _make_hands()


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _make_transfers() -> None:
    op.create_table(
        "transfers",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("amount", UNITS, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("rule", sa.Text, nullable=False),
        sa.Column("source_balance", UNITS, nullable=False),
        sa.Column("target_balance", UNITS, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "position", "ordinal", name=op.f("pk_transfers")),
        sa.CheckConstraint("ordinal >= 0", name=op.f("ck_transfers_ordinal_counts_from_zero")),
        sa.CheckConstraint("amount > 0", name=op.f("ck_transfers_something_moves")),
        sa.CheckConstraint("source <> target", name=op.f("ck_transfers_it_moves_elsewhere")),
        sa.CheckConstraint(
            "source_balance >= 0 OR source IN ('house', 'pool')", name=op.f("ck_transfers_source_is_covered")
        ),
        sa.CheckConstraint(
            "target_balance >= 0 OR target IN ('house', 'pool')", name=op.f("ck_transfers_target_is_covered")
        ),
        **SQLITE,
    )
    for account in ("source", "target"):
        op.create_index(
            op.f(f"ix_transfers_stream_id_{account}_position_ordinal"),
            "transfers",
            ["stream_id", account, "position", "ordinal"],
        )


def _make_tables() -> None:
    op.create_table(
        "tables",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("edition", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("seats_taken", sa.Integer, nullable=False),
        sa.Column("time_limit_seconds", sa.Integer, nullable=False),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", name=op.f("pk_tables")),
        sa.CheckConstraint("seats_taken BETWEEN 0 AND seats", name=op.f("ck_tables_seats_are_enough")),
        **SQLITE,
    )
    op.create_index(op.f("ix_tables_status_time_limit_seconds"), "tables", ["status", "time_limit_seconds"])
    op.create_index(op.f("ix_tables_opened_at_stream_id"), "tables", ["opened_at", "stream_id"])
    op.create_index(op.f("ix_tables_host_opened_at"), "tables", ["host", "opened_at"])
    op.create_index(op.f("ix_tables_host_status"), "tables", ["host", "status"])


def _make_seats() -> None:
    op.create_table(
        "seats",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "seat", name=op.f("pk_seats")),
        sa.CheckConstraint("seat >= 1", name=op.f("ck_seats_seat_counts_from_one")),
        **SQLITE,
    )
    op.create_index(op.f("ix_seats_player_stream_id"), "seats", ["player", "stream_id"])


def _make_hands() -> None:
    op.create_table(
        "hands",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "hand", name=op.f("pk_hands")),
        sa.CheckConstraint("hand >= 1", name=op.f("ck_hands_hand_counts_from_one")),
        sa.CheckConstraint("first >= 1 AND last >= first", name=op.f("ck_hands_last_is_not_before_first")),
        **SQLITE,
    )
