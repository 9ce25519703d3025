"""Smaller `transfers`: no unit and no rule, which the events have; no indexes by account; no alignment padding."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
UNITS = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SMALL = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")
GRANTS = sa.text(
    "SELECT pg_get_userbyid(acl.grantee) AS grantee, acl.privilege_type"
    " FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('old_transfers') AND acl.grantee NOT IN (0, pg_class.relowner)"
)


def upgrade() -> None:
    """Recreate the table and copy its rows: a dropped column would still take space in every row."""
    op.rename_table("transfers", "old_transfers")
    on_postgresql = op.get_bind().dialect.name == "postgresql"
    if on_postgresql:
        op.execute("ALTER TABLE old_transfers RENAME CONSTRAINT pk_transfers TO pk_old_transfers")
    _make_transfers()
    if on_postgresql:
        _grant_as_before()
    columns = "stream_id, ordinal, position, amount, source_balance, target_balance, source, target"
    copy = f"INSERT INTO transfers ({columns}) SELECT {columns} FROM old_transfers ORDER BY stream_id, position"  # noqa: S608
    op.execute(copy)
    op.drop_table("old_transfers")


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _make_transfers() -> None:
    op.create_table(
        "transfers",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("ordinal", SMALL, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("amount", UNITS, nullable=False),
        sa.Column("source_balance", UNITS, nullable=False),
        sa.Column("target_balance", UNITS, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
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


def _grant_as_before() -> None:
    bind = op.get_bind()
    quote = bind.dialect.identifier_preparer.quote
    owner = bind.scalars(
        sa.text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'old_transfers'::regclass")
    )
    op.execute(f"ALTER TABLE transfers OWNER TO {quote(owner.one())}")
    for grant in bind.execute(GRANTS).all():
        op.execute(f"GRANT {grant.privilege_type} ON transfers TO {quote(grant.grantee)}")
