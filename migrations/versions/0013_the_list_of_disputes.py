"""The list of disputes: a projection of the streams of disputes."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

ADDING = sa.text(
    "SELECT DISTINCT pg_get_userbyid(acl.grantee) FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass('transfers') AND acl.privilege_type = 'INSERT'"
    " AND acl.grantee NOT IN (0, pg_class.relowner)"
)
SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}
FLAG = sa.SmallInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table, which is empty: no stream of disputes can exist yet."""
    op.create_table(
        "disputes",
        sa.Column("stream_id", sa.LargeBinary(16), nullable=False),
        sa.Column("dispute", sa.Integer, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("ground", "status")],
        sa.Column("is_closed", FLAG, nullable=False),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("outcome", "verdict", "opened_by", "opened_at")],
        sa.Column("auditor", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("stream_id", "dispute", name=op.f("pk_disputes")),
        sa.CheckConstraint("dispute >= 1", name=op.f("ck_disputes_dispute_counts_from_one")),
        sa.CheckConstraint("is_closed IN (0, 1)", name=op.f("ck_disputes_is_closed_is_a_flag")),
        **SQLITE,
    )
    op.create_index(
        op.f("ix_disputes_is_closed_opened_at_stream_id_dispute"),
        "disputes",
        ["is_closed", "opened_at", "stream_id", "dispute"],
    )
    if op.get_bind().dialect.name == "postgresql":
        _grant_as_there()


def _grant_as_there() -> None:
    """Give the table the owner of `transfers`; grant rights to each role that may insert into `transfers`."""
    bind = op.get_bind()
    quote = bind.dialect.identifier_preparer.quote
    owner = bind.scalars(sa.text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'transfers'::regclass"))
    op.execute(f"ALTER TABLE disputes OWNER TO {quote(owner.one())}")
    for role in bind.scalars(ADDING).all():
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON disputes TO {quote(role)}")


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")
