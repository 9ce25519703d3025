"""The sign-ins of browsers."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('keys') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "sign_ins",
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("key_id", sa.LargeBinary(16), nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("mark", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_ins")),
        sa.ForeignKeyConstraint(["key_id"], ["keys.key_id"], name=op.f("fk_sign_ins_key_id_keys")),
        sa.CheckConstraint("length(token_hash) = 32", name=op.f("ck_sign_ins_token_hash_has_32_bytes")),
        sa.CheckConstraint("length(mark) = 32", name=op.f("ck_sign_ins_mark_has_32_bytes")),
        **SQLITE,
    )
    op.create_index(op.f("ix_sign_ins_expires_at"), "sign_ins", ["expires_at"])
    if op.get_bind().dialect.name == "postgresql":
        _grant_as_there()


def _grant_as_there() -> None:
    """Give the table the owner of `keys`; grant rights to each role that may insert into `keys`."""
    bind = op.get_bind()
    quote = bind.dialect.identifier_preparer.quote
    owner = bind.scalars(sa.text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'keys'::regclass"))
    op.execute(f"ALTER TABLE sign_ins OWNER TO {quote(owner.one())}")
    for role in bind.scalars(ADDING).all():
        op.execute(f"GRANT SELECT, INSERT, DELETE ON sign_ins TO {quote(role)}")


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
