"""The witnesses: their cosignatures of checkpoints, and why and since when a witness does not cosign."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('transfers') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
GRANTS = {"cosignatures": "SELECT, INSERT", "witness_reports": "SELECT, INSERT, UPDATE"}


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "cosignatures",
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("vkey", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("origin", "size", "vkey", name=op.f("pk_cosignatures")),
        **SQLITE,
    )
    op.create_table(
        "witness_reports",
        sa.Column("vkey", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("vkey", name=op.f("pk_witness_reports")),
        **SQLITE,
    )
    if op.get_bind().dialect.name == "postgresql":
        for table, rights in GRANTS.items():
            _grant_as_there(table, rights)


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
