"""Shorter ids of commands: `cmd` has an id's first 14 bytes; the unique index leaves out events without an id."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
GIVEN = sa.text("cmd IS NOT NULL")


def upgrade() -> None:
    """Shorten the column `cmd` and recreate its unique index; leaves do not change."""
    if op.get_bind().dialect.name == "postgresql":
        _cut_on_postgresql()
    else:
        _cut_on_sqlite()


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _cut_on_postgresql() -> None:
    op.execute("""
        ALTER TABLE events
            DROP CONSTRAINT uq_events_stream_id_cmd,
            DROP CONSTRAINT ck_events_cmd_has_32_bytes,
            ALTER COLUMN cmd TYPE bytea USING substr(cmd, 1, 14),
            ADD CONSTRAINT ck_events_cmd_has_14_bytes CHECK (length(cmd) = 14)""")
    _make_key()


def _cut_on_sqlite() -> None:
    # SQLite can't change a column's CHECK, so this function recreates `events`. The function also recreates `sealed`,
    # which has a foreign key to `events`.
    bind = op.get_bind()
    triggers = bind.scalars(
        sa.text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('events', 'sealed')")
    ).all()
    _make_new_events()
    _make_new_sealed()
    op.execute("INSERT INTO new_events SELECT stream_id, position, leaf, substr(cmd, 1, 14) FROM events")
    op.execute("INSERT INTO new_sealed SELECT * FROM sealed")
    for table in ("sealed", "events"):
        op.execute(f"DROP TABLE {table}")
        op.rename_table(f"new_{table}", table)
    _make_key()
    for trigger in triggers:
        op.execute(trigger)


def _make_key() -> None:
    op.create_index(
        op.f("uq_events_stream_id_cmd"),
        "events",
        ["stream_id", "cmd"],
        unique=True,
        sqlite_where=GIVEN,
        postgresql_where=GIVEN,
    )


def _make_new_events() -> None:
    op.create_table(
        "new_events",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("leaf", sa.LargeBinary(65535), nullable=False),
        sa.Column("cmd", sa.LargeBinary(14)),
        sa.PrimaryKeyConstraint("stream_id", "position", name=op.f("pk_events")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_events_position_counts_from_one")),
        sa.CheckConstraint("length(leaf) BETWEEN 1 AND 65535", name=op.f("ck_events_leaf_has_at_most_65535_bytes")),
        sa.CheckConstraint("length(cmd) = 14", name=op.f("ck_events_cmd_has_14_bytes")),
        **SQLITE,
    )


def _make_new_sealed() -> None:
    op.create_table(
        "new_sealed",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("nonce", sa.LargeBinary(12), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "position", "field", name=op.f("pk_sealed")),
        sa.CheckConstraint("length(field) BETWEEN 1 AND 64", name=op.f("ck_sealed_field_is_named")),
        sa.CheckConstraint("length(nonce) = 12", name=op.f("ck_sealed_nonce_has_12_bytes")),
        sa.ForeignKeyConstraint(
            ["stream_id", "position"],
            ["new_events.stream_id", "new_events.position"],
            name=op.f("fk_sealed_stream_id_position_events"),
        ),
        **SQLITE,
    )
