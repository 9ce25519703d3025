"""Prints the service's own stream: as a list for people, or as lines in the form of an export."""

import sys
from collections.abc import Iterator
from typing import Final

import click
import msgspec
from msgspec import Struct
from sqlalchemy import Engine

from service import __version__
from service.database.engines import reading
from service.database.metadata import SERVICE_STREAM
from service.event_store import export_format
from service.event_store.codec import RecordedEvent
from service.event_store.entries import stream_name
from service.event_store.export_format import Begin, BrokenStream, End, StreamHead
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream

_PAGE: Final = 500
_VIEWER: Final = "operator"
_STREAM: Final = stream_name(SERVICE_STREAM)


class ServiceEvents:
    """The events of the service's own stream after the position *after*, at most *limit* of them (None: all).

    `broken` is the damage before which the events end; None: no damage was found.
    """

    def __init__(self, engine: Engine, log: Log, after: int, limit: int | None) -> None:
        self.broken: BrokenStream | None = None
        self._engine = engine
        self._log = log
        self._last = after
        self._end = sys.maxsize if limit is None else after + limit

    def __iter__(self) -> Iterator[RecordedEvent]:
        """Yield the events; set `broken` if an event is damaged."""
        while not self.broken and self._last < self._end and (page := self._page()):
            yield from page
            self._last = page[-1].position

    def _page(self) -> tuple[RecordedEvent, ...]:
        try:
            with reading(self._engine) as connection:
                head = self._log.head(connection, SERVICE_STREAM)
                number = min(_PAGE, self._end - self._last)
                return tuple(self._log.reader.read(connection, SERVICE_STREAM, self._last, number, head=head))
        except NoSuchStream:
            return ()
        except StreamCorrupted as error:
            self.broken = BrokenStream(_STREAM, error.position, error.why)
            return error.sound_events


def write_list(events: ServiceEvents) -> None:
    """Print a line for each event: its position, its time, its type, and its members as JSON."""
    for one in events:
        leaf = msgspec.json.decode(one.leaf, type=_Shown)
        click.echo(f"{one.position:>6}  {leaf.at}  {leaf.type:<19}  {bytes(leaf.pub).decode()}")


def write_lines(events: ServiceEvents, origin: str) -> None:
    """Print each leaf byte for byte, between a first and a last line as in an export."""
    begin = Begin(release=__version__, viewer=_VIEWER, lines="leaves", origin=origin)
    click.echo(export_format.begin_line(begin))
    count, heads = 0, tuple[StreamHead, ...]()
    for one in events:
        click.echo(one.leaf)
        count, heads = count + 1, (StreamHead(_STREAM, one.position, one.hash.hex()),)
    broken = (events.broken,) if events.broken else ()
    streams = 1 if heads or broken else 0
    click.echo(
        export_format.end_line(End(is_whole=not broken, streams=streams, leaves=count, heads=heads, broken=broken))
    )


class _Shown(Struct):
    """The members of a leaf that the list shows."""

    at: str
    type: str
    pub: msgspec.Raw
