"""The database as a command needs it: opened, checked, and let go again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy import Engine, make_url, select

from service import deck
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database import durability, engines, schema_check
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.event_store.store import Log
from service.games import EVENTS
from service.play.handler import Play
from service.secrets import key_check, keyring
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.key_check import check_service_key
from service.secrets.keyring import ServiceKey
from service.secrets.receipts import Signer
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore


@contextmanager
def check_and_open(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on a database that is there, at the head of the schema, and keeps what it acknowledges.

    Raises:
        NoDatabase: there is none that was ever migrated, or it cannot be reached.
        SchemaNotAtHead: it was migrated by another release.
        UnsafeDatabase: it would lose what it has acknowledged.
    """
    with open_as_is(settings) as engine:
        schema_check.check_schema(engine)
        durability.check_engine(engine)
        yield engine


def load_service_key(engine: Engine, settings: Settings, entropy: Entropy) -> ServiceKey:
    """Return the service key that the database belongs to; a new database belongs to the one that comes first.

    Raises:
        KeyFileError: its file can't be used.
        OtherServiceKey: the database belongs to another one.
        CommandFailed: the file is gone; none is made in its place.
    """
    with engines.reading(engine) as connection:
        known = connection.scalar(select(key_check.service_keys.c.fingerprint))
    if known is not None and not settings.key_file.exists():
        why = (
            f"The database belongs to the service key with the fingerprint {known.hex()}; {settings.key_file} is gone."
        )
        raise CommandFailed(ExitCode.FAILED, why, "put the backup of that file there, or name it by CHIPTRAIL_KEY_FILE")
    key = keyring.load_or_make(settings.key_file, entropy)
    with (engines.administering if known is None else engines.reading)(engine) as connection:
        check_service_key(connection, key)
    return key


def open_log(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Log, Codec]:
    """Return the log of a database, with the codec of its events.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as `load_service_key`.
    """
    codec = Codec(EVENTS)
    return Log(codec, Sealer(load_service_key(engine, settings, entropy)), entropy), codec


def open_write_path(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Play, Log]:
    """Return the write path of a database, for commands of the service's own, with its log.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as `load_service_key`.
    """
    key = load_service_key(engine, settings, entropy)
    of_tables = Log(Codec(EVENTS), Sealer(key), entropy)
    sealed_store = SealedStore(of_tables, deck.shuffle)
    return Play(
        engine, of_tables, TableCache(of_tables), sealed_store, entropy, Signer(key), Derivation(key)
    ), of_tables


@contextmanager
def migrate_and_open(settings: Settings) -> Iterator[Engine]:
    """Migrate the database, say from where to where, and yield an engine on it."""
    file = make_url(settings.database_url).database
    if settings.database_url.startswith("sqlite") and file:
        Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_as_is(settings) as engine:
        before, after = schema_check.migrate(engine)
        moved = f"is at {after}" if before == after else f"migrated from {before or 'nothing'} to {after}"
        click.echo(f"{settings.shown_database_url} {moved}", err=True)
        yield engine


@contextmanager
def open_as_is(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on the database as it is."""
    engine = engines.make_engine(settings.database_url)
    try:
        yield engine
    finally:
        engine.dispose()
