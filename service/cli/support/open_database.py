"""Opens and checks the database for a command, and closes it afterwards (DECISIONS 89)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from service import deck
from service.audit.machine_verdict import machine_verdict
from service.cli.support import log_files
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database import durability, engines, schema_check, sqlite_file
from service.disputes.dispute_events import DISPUTE_CODEC
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.event_store.store import Log
from service.games import EVENTS
from service.play.dispute_desk import DisputeDesk
from service.play.disputed_hands import DisputedHands
from service.play.handler import Play
from service.secrets import key_check, keyring, receipts
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.key_check import check_service_key
from service.secrets.keyring import ServiceKey
from service.secrets.receipts import Signer
from service.service_log.service_events import SERVICE_CODEC
from service.service_log.service_log import LogIdentity, ServiceLog
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore
from service.transparency.log_signer import LogSigner


@contextmanager
def check_and_open(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on the database, after checking that it has this release's schema and durable settings.

    Raises:
        NoDatabase: there is no database, it was never migrated, or it cannot be reached.
        SchemaNotAtHead: the database has the schema of another release.
        UnsafeDatabase: the database could lose acknowledged commits.
    """
    with open_as_is(settings) as engine:
        schema_check.check_schema(engine)
        durability.check_engine(engine)
        yield engine


def load_service_key(engine: Engine, settings: Settings, entropy: Entropy) -> ServiceKey:
    """Return the service key of the database; bind a database without a service key to the key in the key file.

    If the database has no service key and the key file does not exist, make a new key.

    Raises:
        KeyFileError: the key's file can't be used.
        OtherServiceKey: the database belongs to another service key.
        CommandFailed: the database has a service key, and the key's file is gone.
    """
    with engines.reading(engine) as connection:
        fingerprint = key_check.bound_to(connection)
    if fingerprint is not None and not settings.key_file.exists():
        owner = f"The database belongs to the service key with the fingerprint {fingerprint.hex()}"
        why = f"{owner}; {settings.key_file} is gone."
        raise CommandFailed(
            ExitCode.FAILED, why, "restore that file from its backup, or name another file by CHIPTRAIL_KEY_FILE"
        )
    key = keyring.load_or_make(settings.key_file, entropy, fingerprint)
    with (engines.administering if fingerprint is None else engines.reading)(engine) as connection:
        check_service_key(connection, key)
    return key


def must_be_bound(settings: Settings, fingerprint: str) -> None:
    """Check that the database still belongs to the server's service key, which has this *fingerprint*.

    Raises:
        CommandFailed: the database was bound to another key, so the server has stopped.
    """
    with open_as_is(settings) as engine, suppress(SQLAlchemyError), engines.reading(engine) as connection:
        if key_check.bound_to(connection) not in {None, bytes.fromhex(fingerprint)}:
            why = f"The server has stopped: the database is no longer bound to the service key {fingerprint[:16]}…."
            raise CommandFailed(ExitCode.FAILED, why, "start the server again; stop it before you rotate the key")


def open_log(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Log, Codec]:
    """Return the log of the database and the codec of its events.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as for `load_service_key`.
    """
    codec = Codec(EVENTS)
    return Log(codec, Sealer(load_service_key(engine, settings, entropy)), entropy), codec


def open_write_path(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[Play, Log]:
    """Return the write path for commands of the service itself, and the log of the tables.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as for `load_service_key`.
    """
    key = load_service_key(engine, settings, entropy)
    of_tables = Log(Codec(EVENTS), Sealer(key), entropy)
    sealed_store = SealedStore(of_tables, deck.shuffle)
    return Play(
        engine,
        of_tables,
        TableCache(of_tables),
        sealed_store,
        entropy,
        Signer(key, log_files.origin(settings)),
        Derivation(key),
    ), of_tables


def open_desk(engine: Engine, settings: Settings, entropy: Entropy) -> tuple[DisputeDesk, Log]:
    """Return the write path of disputes, and the log of the tables.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as for `load_service_key`.
    """
    key = load_service_key(engine, settings, entropy)
    of_tables = Log(Codec(EVENTS), Sealer(key), entropy)
    of_disputes = Log(DISPUTE_CODEC, Sealer(key), entropy, of_tables.quarantine)
    tables = TableCache(of_tables)
    hands = DisputedHands(of_tables, tables, partial(machine_verdict, of_tables, tables))
    signer = Signer(key, log_files.origin(settings))
    return DisputeDesk(engine, of_disputes, tables, hands, entropy, signer, Derivation(key)), of_tables


def open_service_log(
    engine: Engine, settings: Settings, entropy: Entropy, signer: LogSigner | None = None
) -> ServiceLog:
    """Return the service's own stream. Its first event, by its first writer, names the log key.

    *signer* is the signer of the log; None: the log key is the public log key in the settings or, without one, the key
    in the files that the settings name. This key must be the key of the database's log.

    Raises:
        KeyFileError, OtherServiceKey, CommandFailed: as for `load_service_key`.
    """
    key = load_service_key(engine, settings, entropy)

    def identity() -> LogIdentity:
        if settings.log_vkey and signer is None:
            public = log_files.public_key(settings)
        else:
            public = (signer or log_files.load_or_make(engine, settings, entropy)).key.public
        return LogIdentity(origin=public.name, log_key=str(public), receipt_key=receipts.public_key(key))

    return ServiceLog(Log(SERVICE_CODEC, Sealer(key), entropy), identity)


@contextmanager
def migrate_and_open(settings: Settings) -> Iterator[Engine]:
    """Migrate the database, print the revisions before and after, and yield an engine on the database.

    A new SQLite file can only be read by its owner, because its leaves name the players of private tables.
    """
    url = make_url(settings.database_url)
    if settings.database_url.startswith("sqlite") and url.database:
        Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sqlite_file.make_private(url)
    with open_as_is(settings) as engine:
        before, after = schema_check.migrate(engine)
        change = f"is at {after}" if before == after else f"migrated from {before or 'nothing'} to {after}"
        click.echo(f"{settings.shown_database_url} {change}", err=True)
        yield engine


def migrate(settings: Settings) -> None:
    """Migrate the database, and print the revisions before and after."""
    with migrate_and_open(settings):
        pass


@contextmanager
def open_as_is(settings: Settings) -> Iterator[Engine]:
    """Yield an engine on the database without any check."""
    engine = engines.make_engine(settings.database_url)
    try:
        yield engine
    finally:
        engine.dispose()
