"""Marks of rebuilds and imports: which generation of the projections is in use, and which imports are unfinished."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('transfers') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    """Create the two tables; the existing projections are the first generation."""
    op.create_table(
        "projection_generation",
        sa.Column("slot", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_projection_generation")),
        sa.CheckConstraint("slot = 1", name=op.f("ck_projection_generation_there_is_one")),
        sa.CheckConstraint("generation >= 1", name=op.f("ck_projection_generation_generation_counts_from_one")),
        **SQLITE,
    )
    op.create_table(
        "unfinished_imports",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.PrimaryKeyConstraint("stream_id", name=op.f("pk_unfinished_imports")),
        **SQLITE,
    )
    op.execute("INSERT INTO projection_generation (slot, generation) VALUES (1, 1)")
    if op.get_bind().dialect.name == "postgresql":
        _grant_as_there("projection_generation", "SELECT")
        _grant_as_there("unfinished_imports", "SELECT, INSERT, DELETE")


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
