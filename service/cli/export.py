"""`chiptrail export`: the leaves of the log, byte for byte as they were hashed."""

import sys
from collections.abc import Iterator
from typing import Final

import click
from sqlalchemy import Engine, select

from service.cli import flags, opening
from service.cli.endings import Code, Ended
from service.cli.verify import stream_of
from service.entropy import Entropy
from service.log import tables
from service.log.database import reading
from service.log.store import Log
from service.settings import Settings

_PAGE: Final = 1_000


@click.command()
@flags.with_settings
@click.option("--table", metavar="tbl_…", help="Export this table alone.")
def export(settings: Settings, *, table: str | None) -> None:
    """Write leaves to standard output, one a line, each byte for byte as it was hashed.

    Table by table, in the order of the log. What is sealed, openings and keys are not in it.
    """
    asked = stream_of(table) if table else None
    written = 0
    output = sys.stdout.buffer
    with opening.opened(settings) as engine:
        log, _ = opening.log(engine, settings, Entropy())
        for leaf in (leaf for stream in _streams(engine, asked) for leaf in _leaves(engine, log, stream)):
            output.write(leaf + b"\n")
            written += 1
    if asked and not written:
        raise Ended(Code.FAILED, f"There is no table {table}.")


def _streams(engine: Engine, asked: bytes | None) -> Iterator[bytes]:
    if asked:
        yield asked
        return
    after = b""
    following = select(tables.streams.c.stream_id).order_by(tables.streams.c.stream_id).limit(_PAGE)
    while True:
        with reading(engine) as connection:
            page = connection.scalars(following.where(tables.streams.c.stream_id > after)).all()
        if not page:
            return
        yield from page
        after = page[-1]


def _leaves(engine: Engine, log: Log, stream_id: bytes) -> Iterator[bytes]:
    after = 0
    while True:
        with reading(engine) as connection:
            page = log.read(connection, stream_id, after, _PAGE)
        if not page:
            return
        yield from (one.leaf for one in page)
        after = page[-1].position
