"""`chiptrail keys`: makes, lists and revokes API keys for the operator, and prints the first key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
import msgspec
from msgspec import Struct
from rich.table import Table
from sqlalchemy import Engine

from service.api_keys import repository
from service.api_keys.repository import OPERATOR, SCOPES, Key
from service.cli.support import flags, open_database, output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import administering, reading
from service.entropy import Entropy
from service.secrets.derivation import Derivation
from service.secrets.keyring import ServiceKey
from service.service_log import key_register
from service.settings import Settings

_NAME: Final = re.compile("key_([0-9a-f]{32})", re.ASCII)
_LIMIT: Final = re.compile("tbl_[0-9a-f]{32}(/[1-9][0-9]{0,8})?", re.ASCII)
_OWNER: Final = re.compile("own_[0-9a-f]{32}", re.ASCII)


class ListedKey(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A key as JSON; *token* is the text that clients send, and is present only if the command has made the key."""

    id: str
    owner: str
    scopes: tuple[str, ...]
    label: str
    made_by: str
    made_at: str
    expires_at: str = ""
    limits: tuple[str, ...] = ()
    revoked_by: str = ""
    revoked_at: str = ""
    token: str = ""


@click.group()
def keys() -> None:
    """Make, list and revoke API keys as the operator (for the service key: `chiptrail key`)."""


@keys.command()
@flags.with_settings
@flags.as_json
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("play",),
    show_default=True,
    help="A scope of the key. May be repeated.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="tbl_…[/N]",
    help="Only for a key whose scopes are audit or approve: limit the key to a table, or to dispute N of the table. "
    "May be repeated.",
)
@click.option("--owner", default="", metavar="own_…", help="The owner of the key. Default: a new owner.")
@click.option("--label", default="", help="The purpose of the key, shown in lists: at most 100 characters.")
def make(  # noqa: PLR0913 -- one parameter for each flag
    settings: Settings,
    *,
    scopes: tuple[repository.Scope, ...],
    limits: tuple[str, ...],
    owner: str,
    label: str,
    as_json: bool,
) -> None:
    """Make a key and print it. No other command prints this key."""
    _must_be_limitable(limits, scopes)
    if owner and not _OWNER.fullmatch(owner):
        raise click.UsageError(f"{owner!r} is not the id of an owner: own_ and 32 hex digits.")
    entropy = Entropy()
    with _opened_with_service_key(settings) as (engine, service_key):
        service_log = open_database.open_service_log(engine, settings, entropy)
        key_id = Derivation(service_key).derived_id("key", OPERATOR, entropy.new_id("try"))
        key = Key(
            key_id=key_id,
            owner=owner or entropy.new_id("own"),
            scopes=tuple(sorted(set(scopes))),
            secret_hash=repository.hash_of(repository.secret_of(service_key, key_id)),
            label=label,
            made_by=OPERATOR,
            made_at=entropy.now(),
            limits=tuple(sorted(set(limits))),
        )
        with administering(engine) as connection:
            key_register.make_key(connection, service_log, key)
        token = repository.token(service_key, key_id)
    click.echo(msgspec.json.encode(_listed(key, token)) if as_json else token)


@keys.command("list")
@flags.with_settings
@flags.as_json
def list_(settings: Settings, *, as_json: bool) -> None:
    """List all keys, without their secrets."""
    with open_database.check_and_open(settings) as engine, reading(engine) as connection:
        listed = [_listed(key) for key in repository.all_keys(connection)]
    if as_json:
        click.echo(msgspec.json.encode(listed))
        return
    table = Table("key", "owner", "scopes", "limits", "label", "made", "ended", box=None, pad_edge=False)
    for key in listed:
        ended = key.revoked_at or key.expires_at
        shown = (" ".join(key.scopes), " ".join(key.limits), output.escaped(key.label))
        table.add_row(key.id, key.owner, *shown, key.made_at, ended)
    output.stdout.print(table, soft_wrap=True)


@keys.command()
@flags.with_settings
@click.argument("key", metavar="key_…")
def revoke(settings: Settings, key: str) -> None:
    """Revoke a key.

    After at most a second the key can only repeat commands that were recorded before.
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine:
        key_id = _id(key)
        service_log = open_database.open_service_log(engine, settings, entropy)
        with administering(engine) as connection:
            if repository.find(connection, key_id) is None:
                raise CommandFailed(ExitCode.FAILED, f"There is no key {key}.")
            key_register.end_key(connection, service_log, key_id, by=OPERATOR, at=entropy.now())
    click.echo(f"{key} is revoked")


@keys.command("show-first")
@flags.with_settings
def show_first(settings: Settings) -> None:
    """Print the first key of the database, for example because the file of the first key is gone."""
    with _opened_with_service_key(settings) as (engine, service_key), reading(engine) as connection:
        first = repository.first_service_key(connection)
    if first is None or first.revoked_at:
        why = "The first key was revoked." if first else "There is no first key yet: the server's first start makes it."
        raise CommandFailed(ExitCode.FAILED, why)
    click.echo(repository.token(service_key, first.key_id))


@contextmanager
def _opened_with_service_key(settings: Settings) -> Iterator[tuple[Engine, ServiceKey]]:
    """Yield an engine on the database, and the service key: its `api_secret` determines the secrets of API keys."""
    with open_database.check_and_open(settings) as engine:
        yield engine, open_database.load_service_key(engine, settings, Entropy())


def _listed(key: Key, token: str = "") -> ListedKey:
    return ListedKey(
        id=repository.key_name(key.key_id),
        owner=key.owner,
        scopes=key.scopes,
        label=key.label,
        made_by=key.made_by,
        made_at=key.made_at,
        expires_at=key.expires_at,
        limits=key.limits,
        revoked_by=key.revoked_by,
        revoked_at=key.revoked_at,
        token=token,
    )


def _must_be_limitable(limits: tuple[str, ...], scopes: tuple[str, ...]) -> None:
    """Check that *limits* are tables and disputes and, if there are any, that keys with *scopes* can be limited.

    Raises:
        UsageError: a limit is neither a table nor a dispute, or there is one and keys with *scopes* can't be limited.
    """
    for limit in limits:
        if not _LIMIT.fullmatch(limit):
            raise click.UsageError(f"{limit!r} is no table and no dispute of a table: tbl_… or tbl_…/N.")
    if limits and not {"audit", "approve"}.issuperset(scopes):
        raise click.UsageError("--limit is for keys with no scopes but audit and approve.")


def _id(name: str) -> bytes:
    match = _NAME.fullmatch(name)
    if match is None:
        raise click.UsageError(f"{name!r} is not the id of a key: key_ and 32 hex digits, as `keys list` shows it.")
    return bytes.fromhex(match[1])
