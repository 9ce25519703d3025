"""`chiptrail migrate`: migrates the database to the schema of this release."""

from typing import Final

import click
from sqlalchemy import Engine, text

from service.cli.support import flags
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.support.open_database import migrate_and_open
from service.database import engines, schema_check
from service.database.spread import placement
from service.settings import Settings

_MOST_SHARDS: Final = 32_000  # half of what Citus allows
_ROLE: Final = text("SELECT 1 FROM pg_roles WHERE rolname = :name")


@click.command()
@flags.with_settings
@click.option(
    "--grant-to",
    metavar="ROLE",
    help="Grant the PostgreSQL role ROLE the rights to serve: ROLE can add events, but not change or delete them.",
)
@click.option(
    "--distribute",
    is_flag=True,
    help="Place the tables of streams on the nodes of Citus; stop the servers first.",
)
@click.option(
    "--shards",
    type=click.IntRange(1, _MOST_SHARDS),
    help="With --distribute: the number of shards. Default: the setting citus.shard_count.",
)
def migrate(settings: Settings, grant_to: str | None, shards: int | None, *, distribute: bool) -> None:
    """Migrate the database to the schema of this release.

    On SQLite the command creates the database file if there is none.
    """
    if shards and not distribute:
        raise click.UsageError("--shards: give --distribute, too.")
    if settings.database_url.startswith("sqlite"):  # Refuse before the file is made or migrated.
        if distribute:
            raise click.UsageError("--distribute: only PostgreSQL with Citus has several nodes.")
        if grant_to:
            raise click.UsageError("--grant-to: only PostgreSQL has roles.")
    with migrate_and_open(settings) as engine:
        if distribute:
            _distribute(engine, shards)
        if grant_to:
            _grant(engine, grant_to)


def _distribute(engine: Engine, shards: int | None) -> None:
    try:
        with engines.migrating(engine) as connection:
            schema_check.wait_for_other_migrations(connection)
            moved = placement.distribute(connection, shards)
    except placement.CannotDistribute as error:
        raise CommandFailed(ExitCode.FAILED, f"{error} Nothing was moved.", error.cure) from error
    for one in moved:
        click.echo(f"placed {one.table}: moved {one.rows:,} row{'' if one.rows == 1 else 's'} to the nodes")
    if not moved:
        click.echo("every table is placed already; nothing was moved")
    engine.dispose()  # The next connection learns that the database is spread.


def _grant(engine: Engine, grant_to: str) -> None:
    with engines.migrating(engine) as connection:
        if connection.scalar(_ROLE, {"name": grant_to}) is None:
            raise CommandFailed(
                ExitCode.FAILED, f"There is no role {grant_to}.", f"CREATE ROLE {grant_to} LOGIN PASSWORD '…'"
            )
        schema_check.grant_service_role(connection, grant_to)
    click.echo(f"{grant_to} may serve: this role can read and append to the log, and write the projections")
