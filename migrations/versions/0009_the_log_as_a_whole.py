"""The log as a whole: the outbox of commands, the index of each leaf, the tree's tiles and head, and checkpoints."""

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('transfers') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
GRANTS = {
    "outbox": "SELECT, INSERT, DELETE",
    "leaf_indexes": "SELECT, INSERT",
    "tree_tiles": "SELECT, INSERT, UPDATE, DELETE",
    "tree_head": "SELECT, UPDATE",
    "checkpoints": "SELECT, INSERT",
}
INDEX = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SMALL = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables and triggers; put each stream with events, except imported streams, into the outbox."""
    _make_outbox()
    _make_leaf_indexes()
    _make_tree()
    bind = op.get_bind()
    empty = {"root": sha256().digest()}
    bind.execute(sa.text("INSERT INTO tree_head (slot, size, root) VALUES (1, 0, :root)"), empty)
    op.execute(
        "INSERT INTO outbox (stream_id, position)"
        " SELECT stream_id, head FROM streams WHERE head > 0 AND imported_at IS NULL"
    )
    if bind.dialect.name == "postgresql":
        _guard_postgresql()
        for table, rights in GRANTS.items():
            _grant_as_there(table, rights)
    else:
        _guard_sqlite()


def _make_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "position", name=op.f("pk_outbox")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_outbox_position_counts_from_one")),
        **SQLITE,
    )


def _make_leaf_indexes() -> None:
    op.create_table(
        "leaf_indexes",
        sa.Column("leaf_index", INDEX, autoincrement=False, nullable=False),
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("leaf_hash", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("leaf_index", name=op.f("pk_leaf_indexes")),
        sa.UniqueConstraint("stream_id", "position", name=op.f("uq_leaf_indexes_stream_id_position")),
        sa.CheckConstraint("leaf_index >= 0", name=op.f("ck_leaf_indexes_leaf_index_counts_from_zero")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_leaf_indexes_position_counts_from_one")),
        sa.CheckConstraint("length(leaf_hash) = 32", name=op.f("ck_leaf_indexes_leaf_hash_has_32_bytes")),
        **SQLITE,
    )


def _make_tree() -> None:
    op.create_table(
        "tree_tiles",
        sa.Column("level", SMALL, autoincrement=False, nullable=False),
        sa.Column("number", INDEX, autoincrement=False, nullable=False),
        sa.Column("hashes", sa.LargeBinary(8192), nullable=False),
        sa.PrimaryKeyConstraint("level", "number", name=op.f("pk_tree_tiles")),
        sa.CheckConstraint("length(hashes) BETWEEN 32 AND 8192", name=op.f("ck_tree_tiles_hashes_fit_in_a_tile")),
        **SQLITE,
    )
    op.create_table(
        "tree_head",
        sa.Column("slot", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("size", INDEX, nullable=False),
        sa.Column("root", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_tree_head")),
        sa.CheckConstraint("slot = 1", name=op.f("ck_tree_head_there_is_one")),
        sa.CheckConstraint("size >= 0", name=op.f("ck_tree_head_size_counts_from_zero")),
        sa.CheckConstraint("length(root) = 32", name=op.f("ck_tree_head_root_has_32_bytes")),
        **SQLITE,
    )
    op.create_table(
        "checkpoints",
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("size", INDEX, autoincrement=False, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("origin", "size", name=op.f("pk_checkpoints")),
        sa.CheckConstraint("size >= 1", name=op.f("ck_checkpoints_size_counts_from_one")),
        **SQLITE,
    )


def _guard_postgresql() -> None:
    for table in ("leaf_indexes", "checkpoints"):
        op.execute(f"""
            CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION chiptrail_only_grows()""")
        op.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_only_grows")
    op.execute("""
        CREATE TRIGGER tree_head_only_grows BEFORE UPDATE ON tree_head FOR EACH ROW
        WHEN (NEW.size <= OLD.size) EXECUTE FUNCTION chiptrail_only_grows()""")
    op.execute("ALTER TABLE tree_head ENABLE ALWAYS TRIGGER tree_head_only_grows")


def _guard_sqlite() -> None:
    for table in ("leaf_indexes", "checkpoints"):
        for operation in ("UPDATE", "DELETE"):
            op.execute(f"""
                CREATE TRIGGER {table}_only_grows_{operation.lower()} BEFORE {operation} ON {table} BEGIN
                    SELECT RAISE(ABORT, '{table}_only_grows: {operation} refused');
                END""")
    # INSERT OR REPLACE would replace a row without running the DELETE trigger. So, for every unique key, an INSERT
    # trigger refuses a row whose key exists.
    op.execute("""
        CREATE TRIGGER leaf_indexes_only_grows_insert BEFORE INSERT ON leaf_indexes BEGIN
            SELECT RAISE(ABORT, 'pk_leaf_indexes: the index is taken')
            WHERE EXISTS (SELECT 1 FROM leaf_indexes WHERE leaf_index = NEW.leaf_index);
            SELECT RAISE(ABORT, 'uq_leaf_indexes_stream_id_position: the leaf has an index')
            WHERE EXISTS (
                SELECT 1 FROM leaf_indexes WHERE stream_id = NEW.stream_id AND position = NEW.position
            );
        END""")
    op.execute("""
        CREATE TRIGGER checkpoints_only_grows_insert BEFORE INSERT ON checkpoints BEGIN
            SELECT RAISE(ABORT, 'pk_checkpoints: there is a checkpoint of this size')
            WHERE EXISTS (SELECT 1 FROM checkpoints WHERE origin = NEW.origin AND size = NEW.size);
        END""")
    op.execute("""
        CREATE TRIGGER tree_head_only_grows BEFORE UPDATE ON tree_head WHEN NEW.size <= OLD.size BEGIN
            SELECT RAISE(ABORT, 'tree_head_only_grows: UPDATE refused');
        END""")


def _grant_as_there(table: str, rights: str) -> None:
    """Give *table* the owner of `transfers`; grant *rights* to each role that may insert into `transfers`."""
    bind = op.get_bind()
    quote = bind.dialect.identifier_preparer.quote
    owner = bind.scalars(sa.text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'transfers'::regclass"))
    op.execute(f"ALTER TABLE {table} OWNER TO {quote(owner.one())}")
    for role in bind.scalars(ADDING).all():
        op.execute(f"GRANT {rights} ON {table} TO {quote(role)}")


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
