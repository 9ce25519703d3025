"""The snapshots: states of card tables at some positions, from which a process folds the rest of a long stream."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('transfers') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "snapshots",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("release", sa.LargeBinary(16), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("head_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("nonce", sa.LargeBinary(12), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "release", "position", name=op.f("pk_snapshots")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_snapshots_position_counts_from_one")),
        sa.CheckConstraint("length(head_hash) = 32", name=op.f("ck_snapshots_head_hash_has_32_bytes")),
        **SQLITE,
    )
    if op.get_bind().dialect.name == "postgresql":
        _grant_as_there()


def _grant_as_there() -> None:
    """Give `snapshots` the owner of `transfers`; each role that may insert into `transfers` may write `snapshots`."""
    bind = op.get_bind()
    quote = bind.dialect.identifier_preparer.quote
    owner = bind.scalars(sa.text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'transfers'::regclass"))
    op.execute(f"ALTER TABLE snapshots OWNER TO {quote(owner.one())}")
    for role in bind.scalars(ADDING).all():
        op.execute(f"GRANT SELECT, INSERT, UPDATE ON snapshots TO {quote(role)}")


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
