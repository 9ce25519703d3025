"""The log: streams, events and sealed values. Triggers allow new rows and rising heads, and no other change."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    """Create the three tables and their triggers."""
    _make_streams()
    _make_events()
    _make_sealed()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _make_streams() -> None:
    op.create_table(
        "streams",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("head", sa.Integer, nullable=False),
        sa.Column("head_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("imported_at", sa.Text),
        sa.PrimaryKeyConstraint("stream_id", name=op.f("pk_streams")),
        sa.CheckConstraint("length(stream_id) = 16", name=op.f("ck_streams_stream_id_has_16_bytes")),
        sa.CheckConstraint("head >= 0", name=op.f("ck_streams_head_is_a_position")),
        sa.CheckConstraint("length(head_hash) = 32", name=op.f("ck_streams_head_hash_has_32_bytes")),
        **SQLITE,
    )


def _make_events() -> None:
    op.create_table(
        "events",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("leaf", sa.LargeBinary(65535), nullable=False),
        sa.Column("cmd", sa.LargeBinary(32)),
        sa.PrimaryKeyConstraint("stream_id", "position", name=op.f("pk_events")),
        sa.UniqueConstraint("stream_id", "cmd", name=op.f("uq_events_stream_id_cmd")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_events_position_counts_from_one")),
        sa.CheckConstraint("length(leaf) BETWEEN 1 AND 65535", name=op.f("ck_events_leaf_has_at_most_65535_bytes")),
        sa.CheckConstraint("length(cmd) = 32", name=op.f("ck_events_cmd_has_32_bytes")),
        **SQLITE,
    )


def _make_sealed() -> None:
    op.create_table(
        "sealed",
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
            ["events.stream_id", "events.position"],
            name=op.f("fk_sealed_stream_id_position_events"),
        ),
        **SQLITE,
    )


def _guard_postgresql() -> None:
    op.execute("""
        CREATE FUNCTION chiptrail_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% only grows: % refused', TG_TABLE_NAME, TG_OP
                USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_only_grows';
        END $$""")
    for table, operations in {
        "streams": "DELETE OR TRUNCATE",
        "events": "UPDATE OR DELETE OR TRUNCATE",
        "sealed": "UPDATE OR DELETE OR TRUNCATE",
    }.items():
        op.execute(f"""
            CREATE TRIGGER {table}_only_grows BEFORE {operations} ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION chiptrail_only_grows()""")
        op.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_only_grows")
    op.execute("""
        CREATE TRIGGER streams_head_only_grows BEFORE UPDATE ON streams FOR EACH ROW
        WHEN (
            NEW.head <= OLD.head OR NEW.stream_id <> OLD.stream_id OR NEW.imported_at IS DISTINCT FROM OLD.imported_at
        )
        EXECUTE FUNCTION chiptrail_only_grows()""")
    op.execute("ALTER TABLE streams ENABLE ALWAYS TRIGGER streams_head_only_grows")
    # The trigger `events_run_on` also replaces a foreign key to `streams`: it runs once for each statement, which is
    # cheaper than the check of each row by a foreign key.
    op.execute("""
        CREATE FUNCTION chiptrail_events_run_on() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            run record;
        BEGIN
            FOR run IN
                SELECT stream_id, min(position) AS first, max(position) AS last, count(*) AS number
                FROM added GROUP BY stream_id
            LOOP
                IF run.last - run.first + 1 <> run.number
                OR NOT EXISTS (SELECT 1 FROM streams WHERE stream_id = run.stream_id AND head = run.last)
                OR run.first > 1 AND NOT EXISTS (
                    SELECT 1 FROM events WHERE stream_id = run.stream_id AND position = run.first - 1
                ) THEN
                    RAISE EXCEPTION 'events must run on without a gap, up to the head of their stream'
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_run_on';
                END IF;
            END LOOP;
            RETURN NULL;
        END $$""")
    op.execute("""
        CREATE TRIGGER events_run_on AFTER INSERT ON events REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION chiptrail_events_run_on()""")


def _guard_sqlite() -> None:
    for table, operations in {
        "streams": ("DELETE",),
        "events": ("UPDATE", "DELETE"),
        "sealed": ("UPDATE", "DELETE"),
    }.items():
        for operation in operations:
            op.execute(f"""
                CREATE TRIGGER {table}_only_grows_{operation.lower()} BEFORE {operation} ON {table} BEGIN
                    SELECT RAISE(ABORT, '{table}_only_grows: {operation} refused');
                END""")
    # INSERT OR REPLACE would replace a row without running the DELETE trigger. So, for every unique key, an INSERT
    # trigger refuses a row whose key exists.
    op.execute("""
        CREATE TRIGGER streams_only_grows_insert BEFORE INSERT ON streams BEGIN
            SELECT RAISE(ABORT, 'pk_streams: the stream exists')
            WHERE EXISTS (SELECT 1 FROM streams WHERE stream_id = NEW.stream_id);
        END""")
    op.execute("""
        CREATE TRIGGER streams_head_only_grows BEFORE UPDATE ON streams
        WHEN NEW.head <= OLD.head OR NEW.stream_id <> OLD.stream_id OR NEW.imported_at IS NOT OLD.imported_at BEGIN
            SELECT RAISE(ABORT, 'streams_only_grows: UPDATE refused');
        END""")
    op.execute("""
        CREATE TRIGGER events_only_grows_insert BEFORE INSERT ON events BEGIN
            SELECT RAISE(ABORT, 'pk_events: the position is taken')
            WHERE EXISTS (SELECT 1 FROM events WHERE stream_id = NEW.stream_id AND position = NEW.position);
            SELECT RAISE(ABORT, 'uq_events_stream_id_cmd: the command was recorded before')
            WHERE EXISTS (SELECT 1 FROM events WHERE stream_id = NEW.stream_id AND cmd = NEW.cmd);
            SELECT RAISE(ABORT, 'events_run_on: events must run on without a gap, up to the head of their stream')
            WHERE NOT EXISTS (SELECT 1 FROM streams WHERE stream_id = NEW.stream_id AND head >= NEW.position)
            OR NEW.position > 1 AND NOT EXISTS (
                SELECT 1 FROM events WHERE stream_id = NEW.stream_id AND position = NEW.position - 1
            );
        END""")
    op.execute("""
        CREATE TRIGGER sealed_only_grows_insert BEFORE INSERT ON sealed BEGIN
            SELECT RAISE(ABORT, 'pk_sealed: the field is sealed already')
            WHERE EXISTS (
                SELECT 1 FROM sealed
                WHERE stream_id = NEW.stream_id AND position = NEW.position AND field = NEW.field
            );
        END""")
