"""`chiptrail key`: backs up, restores and rotates the service key (DECISIONS 120 and 121)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import migrating
from service.database.exclusive import KEY_ROTATION, SERVER, WorkUnderWay, without_servers
from service.entropy import Entropy
from service.secrets import key_backup, keyring, receipts
from service.secrets.key_rotation import NextKey
from service.secrets.keyring import ServiceKey
from service.service_log import recorded_rotation
from service.settings import Settings

_NOTICE: Final = """\
Back up the key file again: `chiptrail key backup`. Older backups do not have the new key.
If servers on other machines have copies of the key file, replace these copies before you start the servers.
Clients that keep the key for receipts notice the new one: publish it, and say why."""


@click.group()
def key() -> None:
    """Back up, restore or rotate the service key (for API keys: `chiptrail keys`).

    The service key encrypts seeds, sealed values and snapshots, and signs receipts. No rotation changes the lasting
    secrets, from which ids, API keys and sign-ins are derived.
    """


def _with_passphrase(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--passphrase-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        required=True,
        metavar="FILE",
        help=f"A file that only you can read, with the passphrase: one line, at least {key_backup.MIN_CHARACTERS} "
        "characters.",
    )(command)


@key.command()
@flags.with_settings
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_with_passphrase
def backup(settings: Settings, *, file: Path, passphrase_file: Path) -> None:
    """Write the key file to FILE, encrypted under a passphrase.

    After a rotation the key file has the earlier keys too, and FILE has all of them. The command never overwrites a
    file. Keep FILE apart from the backups of the database, and the passphrase apart from both.
    """
    passphrase = _passphrase(passphrase_file)
    path, entropy = settings.key_file, Entropy()
    if not path.exists():
        why = f"There is no service key {path}; nothing was written."
        raise CommandFailed(ExitCode.FAILED, why, "name the key file by --key-file, or the data folder by --data")
    try:
        content = keyring.read_private_file(path, "service key")
        found = keyring.parse(content, str(path))
        _write(file, key_backup.encrypted(content, passphrase, entropy), entropy)
    except OSError as error:
        raise CommandFailed(ExitCode.FAILED, f"{error.filename} can't be used: {error.strerror}.") from error
    click.echo(f"{_named(keyring.keys_of(found))} is in {file}")


@key.command()
@flags.with_settings
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_with_passphrase
def restore(settings: Settings, *, file: Path, passphrase_file: Path) -> None:
    """Restore the key file from FILE, which `chiptrail key backup` has written. No existing file is overwritten."""
    passphrase = _passphrase(passphrase_file)
    path = settings.key_file
    if path.exists():
        cure = "move this file away if you want to restore another key"
        raise CommandFailed(ExitCode.FAILED, f"{path} exists already; nothing was restored.", cure)
    try:
        with file.open("rb") as opened:
            backup = opened.read(key_backup.MOST_BYTES + 1)
        content = key_backup.decrypted(backup, passphrase)
        _write(path, content, Entropy())
    except key_backup.BackupMustOpen as error:
        cure = "name the right --passphrase-file, or another backup"
        raise CommandFailed(ExitCode.FAILED, f"{file} {error}; nothing was restored.", cure) from error
    except OSError as error:
        raise CommandFailed(ExitCode.FAILED, f"{error.filename} can't be used: {error.strerror}.") from error
    click.echo(f"{_named(keyring.keys_of(keyring.parse(content, str(path))))} is in {path}")


@key.command()
@flags.with_settings
def rotate(settings: Settings) -> None:
    """Make a new service key, which seals new values and signs new receipts. Stop all servers first.

    The earlier keys stay in the key file, and still open the values that they sealed. The secrets from which ids, API
    keys and sign-ins are derived never change: API keys and sign-ins stay valid, and a repeated command is recorded
    once.
    The service's own stream records the rotation. If a rotation was killed, or an older database was restored, the key
    file has a key that is not in use yet: then the command makes no new key, and takes the newest key of the file into
    use.
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine:
        try:
            with without_servers(engine, KEY_ROTATION):
                earlier = open_database.load_service_key(engine, settings, entropy)
                service_log = open_database.open_service_log(engine, settings, entropy)
                following = NextKey(settings.key_file, earlier.key_id, entropy)
                new = following.key
                with migrating(engine) as connection:
                    recorded_rotation.rotate(connection, service_log, earlier, new)
                    following.store()  # Every statement has succeeded; the commit then takes the key into use.
        except WorkUnderWay as error:
            cure = "stop every server of this database first" if error.work == SERVER else ""
            raise CommandFailed(ExitCode.FAILED, f"{error}; nothing was changed.", cure) from error
    click.echo(f"new key      {new.key_id}  fingerprint {new.fingerprint}")
    click.echo(f"earlier key  {earlier.key_id}  fingerprint {earlier.fingerprint}")
    click.echo(f"receipt key  {receipts.public_key(new)}")
    click.echo(_NOTICE, err=True)


def _passphrase(path: Path) -> str:
    try:
        return key_backup.read_passphrase(path)
    except (key_backup.BadPassphrase, OSError) as error:
        raise click.UsageError(str(error)) from error


def _write(path: Path, content: bytes, entropy: Entropy) -> None:
    """Create the file at *path*.

    Raises:
        CommandFailed: there is such a file already; it is unchanged.
        OSError: the file can't be created.
    """
    if not keyring.make_private_file(path, content, entropy):
        raise _exists(path)


def _exists(path: Path) -> CommandFailed:
    return CommandFailed(ExitCode.FAILED, f"{path} exists already; it is not overwritten.", "name another file")


def _named(keys: tuple[ServiceKey, ...]) -> str:
    newest, *earlier = keys
    more = f" with {len(earlier)} earlier {'key' if len(earlier) == 1 else 'keys'}" if earlier else ""
    return f"the service key {newest.key_id}{more}, fingerprint {newest.fingerprint[:16]}…,"
