"""`chiptrail export`: the leaves of the log, byte for byte as they were hashed, and what is open to everybody."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import click
import msgspec
from sqlalchemy import Connection, Engine, exists, select

from service.cli import flags, opening
from service.cli.endings import Code, Ended
from service.cli.verify import stream_of
from service.deck import Deck
from service.entropy import Entropy
from service.http.envelopes import with_openings
from service.log import silence, tables
from service.log.codec import Recorded
from service.log.database import reading
from service.log.entries import EMPTY
from service.log.holding import Linked
from service.log.openings import FieldOpening, OpeningMustMatch
from service.log.sealing import Tampered, WrongKey
from service.log.silence import Kept, Silence
from service.log.store import Log, NotSealed
from service.projections import sight
from service.projections.vault import read_field
from service.settings import Settings

Write = Callable[[Connection, Sequence[Recorded]], Iterator[bytes]]
"""Makes lines of a page of a stream; the pages must come in their order."""

_PAGE: Final = 1_000


@click.command()
@flags.with_settings
@click.option("--table", metavar="tbl_…", help="Export this table alone.")
@click.option("--openings", is_flag=True, help="With each leaf its hash, and the sealed fields that it opens to all.")
def export(settings: Settings, *, table: str | None, openings: bool) -> None:
    """Write leaves to standard output, one a line, each byte for byte as it was hashed.

    Table by table, in the order of the log. What is sealed and keys are not in it. With --openings each line is what
    the events endpoint tells a spectator: all that it takes to decide every decision again.
    """
    asked = stream_of(table) if table else None
    written = 0
    output = sys.stdout.buffer
    with opening.opened(settings) as engine:
        log, _ = opening.log(engine, settings, Entropy())
        for stream in _streams(engine, asked):
            for line in _lines(engine, log, stream, _Told(log, stream).write if openings else _bare):
                output.write(line + b"\n")
                written += 1
    if asked and not written:
        raise Ended(Code.FAILED, f"There is no table {table}.")


class _Told:
    """Writes the events of one stream as the events endpoint tells them to a spectator."""

    def __init__(self, log: Log, stream_id: bytes) -> None:
        self._log = log
        self._stream_id = stream_id
        self._kept: Silence = silence.UNBROKEN

    def write(self, connection: Connection, page: Sequence[Recorded]) -> Iterator[bytes]:
        """Write the next page.

        Raises:
            Ended: what is sealed is not what a leaf commits to.
        """
        hidden = _Hidden(self._log, connection, self._stream_id)
        try:
            fields = sight.fields(page, self._kept, 0, hidden)
        except (OpeningMustMatch, Tampered, WrongKey) as error:
            why = f"What is sealed was altered: {error}."
            raise Ended(
                Code.VERIFICATION_FAILED, why, "chiptrail verify says what else is not as it must be"
            ) from error
        for one in page:
            self._kept = silence.follow(self._kept, one)
        yield from map(msgspec.json.encode, with_openings(page, (), fields))


class _Hidden:
    """What a stream hides, for `sight` to show from; no deck is asked for here."""

    def __init__(self, log: Log, connection: Connection, stream_id: bytes) -> None:
        self._log = log
        self._connection = connection
        self._stream_id = stream_id

    def deck(self, epoch: str) -> Deck:
        """Know none: a spectator has no cards."""
        raise NotSealed(epoch)

    def field(self, kept: Kept) -> FieldOpening:
        """Return the opening of a sealed field, as `Hidden`."""
        return read_field(self._log, self._connection, self._stream_id, kept)


def _bare(_connection: Connection, page: Sequence[Recorded]) -> Iterator[bytes]:
    return (one.leaf for one in page)


def _streams(engine: Engine, asked: bytes | None) -> Iterator[bytes]:
    if asked:
        yield asked
        return
    after = b""
    following = select(tables.streams.c.stream_id).order_by(tables.streams.c.stream_id).limit(_PAGE)
    following = following.where(~_IS_UNFINISHED)
    while True:
        with reading(engine) as connection:
            page = connection.scalars(following.where(tables.streams.c.stream_id > after)).all()
        if not page:
            return
        yield from page
        after = page[-1]


_IS_UNFINISHED: Final = exists().where(tables.unfinished_imports.c.stream_id == tables.streams.c.stream_id)


def _lines(engine: Engine, log: Log, stream_id: bytes, write: Write) -> Iterator[bytes]:
    last: Linked = EMPTY
    while True:
        with reading(engine) as connection:
            head = log.head(connection, stream_id)
            page = log.read(connection, stream_id, last, _PAGE, head=head)
            lines = tuple(write(connection, page))
        if not page:
            return
        yield from lines
        last = page[-1]
