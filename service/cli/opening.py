"""The database as a command needs it: opened, checked, and let go again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy import Engine, make_url, select

from service import deck
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.games import EVENTS
from service.log import database, keyring, safety, schema, tables
from service.log.codec import Codec
from service.log.key_check import check_service_key
from service.log.keyring import ServiceKey
from service.log.sealing import Sealer
from service.log.signer import Signer
from service.log.store import Log
from service.play import Play
from service.projections.kept import Situations
from service.projections.vault import Vault
from service.settings import Settings


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on a database that is there, at the head of the schema, and keeps what it acknowledges.

    Raises:
        NoDatabase: there is none that was ever migrated, or it cannot be reached.
        SchemaNotAtHead: it was migrated by another release.
        UnsafeDatabase: it would lose what it has acknowledged.
    """
    with connected(settings) as engine:
        schema.check_schema(engine)
        safety.check_engine(engine)
        yield engine


def service_key(engine: Engine, settings: Settings, entropy: Entropy) -> ServiceKey:
    """Return the service key that the database belongs to; a new database belongs to the one that comes first.

    Raises:
        KeyFileError: its file can't be used.
        OtherServiceKey: the database belongs to another one.
        Ended: the file is gone; none is made in its place.
    """
    with database.reading(engine) as connection:
        known = connection.scalar(select(tables.service_keys.c.fingerprint))
    if known is not None and not settings.key_file.exists():
        why = (
            f"The database belongs to the service key with the fingerprint {known.hex()}; {settings.key_file} is gone."
        )
        raise Ended(Code.FAILED, why, "put the backup of that file there, or name it by CHIPTRAIL_KEY_FILE")
    key = keyring.load_or_make(settings.key_file, entropy)
    with (database.administering if known is None else database.reading)(engine) as connection:
        check_service_key(connection, key)
    return key


def log(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Log, Codec]:
    """Return the log of a database, with the codec of its events.

    Raises:
        KeyFileError, OtherServiceKey, Ended: as `service_key`.
    """
    codec = Codec(EVENTS)
    return Log(codec, Sealer(service_key(engine, settings, entropy)), entropy), codec


def play(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Play, Log]:
    """Return the write path of a database, for commands of the service's own, with its log.

    Raises:
        KeyFileError, OtherServiceKey, Ended: as `service_key`.
    """
    key = service_key(engine, settings, entropy)
    of_tables = Log(Codec(EVENTS), Sealer(key), entropy)
    vault = Vault(of_tables, deck.shuffle)
    return Play(engine, of_tables, Situations(of_tables), vault, entropy, Signer(key)), of_tables


@contextmanager
def bring_to_head(settings: Settings) -> Iterator[Engine]:
    """Migrate the database, say from where to where, and yield an engine on it."""
    file = make_url(settings.database_url).database
    if settings.database_url.startswith("sqlite") and file:
        Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with connected(settings) as engine:
        before, after = schema.migrate(engine)
        moved = f"is at {after}" if before == after else f"migrated from {before or 'nothing'} to {after}"
        click.echo(f"{settings.shown_database_url} {moved}", err=True)
        yield engine


@contextmanager
def connected(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on the database as it is."""
    engine = database.make_engine(settings.database_url)
    try:
        yield engine
    finally:
        engine.dispose()
