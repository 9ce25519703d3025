"""The keys: API keys, their revocations, and the identity of the service key. The tables are append-only."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
PRIMARY_KEYS = {"service_keys": "slot", "keys": "key_id", "key_revocations": "key_id"}


def upgrade() -> None:
    """Create the three tables and their triggers."""
    _make_service_keys()
    _make_keys()
    _make_key_revocations()
    for table, primary_key in PRIMARY_KEYS.items():
        if op.get_bind().dialect.name == "postgresql":
            _guard_postgresql(table)
        else:
            _guard_sqlite(table, primary_key)


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _make_service_keys() -> None:
    op.create_table(
        "service_keys",
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("public_key", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_service_keys")),
        sa.CheckConstraint("slot = 1", name=op.f("ck_service_keys_there_is_one")),
        sa.CheckConstraint("length(fingerprint) = 32", name=op.f("ck_service_keys_fingerprint_has_32_bytes")),
        sa.CheckConstraint("length(public_key) = 32", name=op.f("ck_service_keys_public_key_has_32_bytes")),
        **SQLITE,
    )


def _make_keys() -> None:
    op.create_table(
        "keys",
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_keys")),
        sa.CheckConstraint("length(key_id) = 16", name=op.f("ck_keys_key_id_has_16_bytes")),
        sa.CheckConstraint("length(secret_hash) = 32", name=op.f("ck_keys_secret_hash_has_32_bytes")),
        sa.CheckConstraint("length(label) <= 100", name=op.f("ck_keys_label_has_at_most_100_characters")),
        **SQLITE,
    )
    op.create_index(op.f("ix_keys_owner"), "keys", ["owner"])
    op.create_index(op.f("ix_keys_made_by"), "keys", ["made_by"])


def _make_key_revocations() -> None:
    op.create_table(
        "key_revocations",
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("revoked_by", sa.Text, nullable=False),
        sa.Column("revoked_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_key_revocations")),
        sa.ForeignKeyConstraint(["key_id"], ["keys.key_id"], name=op.f("fk_key_revocations_key_id_keys")),
        **SQLITE,
    )


def _guard_postgresql(table: str) -> None:
    op.execute(f"""
        CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION chiptrail_only_grows()""")
    op.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_only_grows")


def _guard_sqlite(table: str, primary_key: str) -> None:
    for operation in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER {table}_only_grows_{operation.lower()} BEFORE {operation} ON {table} BEGIN
                SELECT RAISE(ABORT, '{table}_only_grows: {operation} refused');
            END""")
    op.execute(f"""
        CREATE TRIGGER {table}_only_grows_insert BEFORE INSERT ON {table} BEGIN
            SELECT RAISE(ABORT, 'pk_{table}: the row exists')
            WHERE EXISTS (SELECT 1 FROM {table} WHERE {primary_key} = NEW.{primary_key});
        END""")  # noqa: S608  # `PRIMARY_KEYS` has these names
