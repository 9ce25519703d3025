"""`chiptrail migrate`: migrates the database to the schema of this release."""

from typing import Final

import click
from sqlalchemy import text

from service.cli.support import flags
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.support.open_database import migrate_and_open
from service.database import engines, schema_check
from service.settings import Settings

_ROLE: Final = text("SELECT 1 FROM pg_roles WHERE rolname = :name")


@click.command()
@flags.with_settings
@click.option(
    "--grant-to",
    metavar="ROLE",
    help="Grant the PostgreSQL role ROLE the rights to serve: ROLE can add events, but not change or delete them.",
)
def migrate(settings: Settings, grant_to: str | None) -> None:
    """Migrate the database to the schema of this release.

    On SQLite the command creates the database file if there is none.
    """
    with migrate_and_open(settings) as engine:
        if not grant_to:
            return
        if engine.dialect.name != "postgresql":
            raise click.UsageError("--grant-to: only PostgreSQL has roles.")
        with engines.migrating(engine) as connection:
            if connection.scalar(_ROLE, {"name": grant_to}) is None:
                raise CommandFailed(
                    ExitCode.FAILED, f"There is no role {grant_to}.", f"CREATE ROLE {grant_to} LOGIN PASSWORD '…'"
                )
            schema_check.grant_service_role(connection, grant_to)
    click.echo(f"{grant_to} may serve: this role can read and append to the log, and write the projections")
