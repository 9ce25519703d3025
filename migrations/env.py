"""Alembic's entry point: runs the migrations in one transaction, on a given connection, or else on a new connection."""

import os

from alembic import context
from sqlalchemy import Connection

from service import all_tables
from service.database import engines


def run(connection: Connection) -> None:
    """Migrate completely or not at all: SQLite and PostgreSQL can both roll back changes of the schema."""
    context.configure(
        connection=connection,
        target_metadata=all_tables.metadata,
        transactional_ddl=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    raise RuntimeError("the migrations read the database's schema, so they need a database")
if (handed := context.config.attributes.get("connection")) is not None:
    run(handed)
else:
    with engines.migrating(engines.make_engine(os.environ["CHIPTRAIL_DATABASE_URL"])) as made:
        run(made)
