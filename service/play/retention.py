"""Retention: finds and erases sealed values by owner or age; the leaves with their commitments stay (DECISIONS 75)."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, select

from service.database.engines import reading
from service.database.metadata import LAST_TABLE
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import EMPTY, Head
from service.event_store.hash_chain import ChainPoint
from service.event_store.log_tables import sealed
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NotSealed
from service.games.common_commands import EraseValue, Ground
from service.games.common_events import SeatLeft, SeatTaken
from service.games.game import SERVICE
from service.play.handler import Play
from service.play.imported_erasure import ImportedEraser
from service.play.orders import KeyMustBeNew, NoSuchTable, Order, Refused, TableIsImported
from service.secrets.encryption import Tampered, WrongKey
from service.tables.sealed_store import SEED

_PAGE: Final = 1_000


class SealedValue(Struct, frozen=True, kw_only=True):
    """A value that the event at *position* of a table, or of its disputes, sealed under *field*.

    *owner* is the owner of the seat that chose the value, or the author of a dispute's text; *at* is the time of the
    event. *owner* and *at* are "" if they were not looked up.
    """

    stream_id: bytes
    position: int
    field: str
    owner: str = ""
    at: str = ""


class ErasureOutcome(Struct, frozen=True, kw_only=True):
    """The outcome for one *value*. *why_not* is the reason why the value was not erased; "": the value was erased.

    In a dry run, *why_not* is the reason why the value can't be erased; "": the value can be erased.
    """

    value: SealedValue
    why_not: str = ""


class ValueFilter(Struct, frozen=True, kw_only=True):
    """Selects sealed values and texts.

    *owner*: select only values of this owner; "": values of all owners. *before*: select only values that were sealed
    before this time; "": values of any age.
    """

    owner: str = ""
    before: str = ""

    def accepts(self, value: SealedValue) -> bool:
        """Return whether the filter selects *value*."""
        return self.owner in {"", value.owner} and (not self.before or value.at < self.before)


def find_values(engine: Engine, log: Log, value_filter: ValueFilter) -> Iterator[SealedValue | StreamCorrupted]:
    """Yield, table by table, the sealed values that *value_filter* selects, except erased values and seeds of decks.

    The texts of disputes are left out: `dispute_erasure` finds them.

    The events are read in pages of 1,000. For a damaged table, yield the values of the pages before the damaged page,
    and then the error.
    """
    for stream_id in _streams_with_values(engine):
        try:
            yield from (value for value in _values_of(engine, log, stream_id) if value_filter.accepts(value))
        except StreamCorrupted as error:
            yield error


class Eraser:
    """Erases sealed values by commands of the service: one transaction records the event and deletes the value."""

    def __init__(self, play: Play, imported: ImportedEraser, ground: Ground) -> None:
        self._play = play
        self._imported = imported
        self._ground = ground

    def erase(self, value: SealedValue) -> ErasureOutcome:
        """Erase *value*; return the outcome, with the reason if the value can't be erased.

        Raises:
            ErasureNeedsOneNode: as for `ImportedEraser.record`.
        """
        return _outcome(value, lambda: self._erase(value))

    def dry_run(self, value: SealedValue) -> ErasureOutcome:
        """Return the outcome that `erase` would return now, perhaps with other words for the reason; record nothing.

        `erase` may still raise ErasureNeedsOneNode.
        """
        return _outcome(value, lambda: self._check(value))

    def _erase(self, value: SealedValue) -> bool:
        """Erase *value*; return whether it was erased before."""
        try:
            return self._play.do(self._order(value)).replayed
        except TableIsImported:
            self._imported.erase(value.stream_id, self._command(value))
            return False

    def _check(self, value: SealedValue) -> None:
        try:
            self._play.dry_run(self._order(value))
        except TableIsImported:
            self._imported.check(value.stream_id, self._command(value))

    def _command(self, value: SealedValue) -> EraseValue:
        return EraseValue(by=SERVICE, position=value.position, field=value.field, ground=self._ground)

    def _order(self, value: SealedValue) -> Order:
        return Order(
            stream_id=value.stream_id,
            caller=SERVICE,
            key=f"erase/{value.position}/{value.field}",
            command=self._command(value),
            reads_all=True,
        )


def _outcome(value: SealedValue, erase: Callable[[], bool | None]) -> ErasureOutcome:
    try:
        is_repeat = erase()
    except Refused as error:
        return ErasureOutcome(value=value, why_not=error.refusal.detail)
    except NoSuchTable:
        return ErasureOutcome(value=value, why_not="There is no such table.")
    except (KeyMustBeNew, NotSealed):
        is_repeat = True
    except (Tampered, WrongKey):
        return ErasureOutcome(value=value, why_not=f"The sealed value at position {value.position} was altered.")
    except StreamCorrupted as error:
        return ErasureOutcome(value=value, why_not=f"The table is damaged at position {error.position}: {error.why}.")
    return ErasureOutcome(value=value, why_not="The value was erased before." if is_repeat else "")


def _streams_with_values(engine: Engine) -> list[bytes]:
    """Return the streams of tables that have sealed values other than seeds."""
    of_tables = select(sealed.c.stream_id).where(sealed.c.field != SEED, sealed.c.stream_id <= LAST_TABLE)
    statement = of_tables.distinct().order_by(sealed.c.stream_id)
    with reading(engine) as connection:
        return [bytes(stream_id) for stream_id in connection.scalars(statement)]


def _values_of(engine: Engine, log: Log, stream_id: bytes) -> Iterator[SealedValue]:
    with reading(engine) as connection:
        head, places = log.head(connection, stream_id), _sealed_places(connection, stream_id)
    players: dict[int, str] = {}
    last: ChainPoint = EMPTY
    while last.position < head.position:
        page = _page(engine, log, stream_id, last, head)
        for one in page:
            _track_player(players, one)
            for field in one.priv:
                if (one.position, field) in places:
                    owner = players.get(getattr(one.event, "seat", 0), "")
                    yield SealedValue(stream_id=stream_id, position=one.position, field=field, owner=owner, at=one.at)
        last = page[-1]


def _page(engine: Engine, log: Log, stream_id: bytes, after: ChainPoint, head: Head) -> tuple[RecordedEvent, ...]:
    with reading(engine) as connection:
        return log.reader.read(connection, stream_id, after, _PAGE, head=head)


def _sealed_places(connection: Connection, stream_id: bytes) -> frozenset[FieldPlace]:
    statement = select(sealed.c.position, sealed.c.field).where(sealed.c.stream_id == stream_id)
    return frozenset((row.position, row.field) for row in connection.execute(statement))


def _track_player(players: dict[int, str], recorded: RecordedEvent) -> None:
    """Update *players*, the owner of each seat, from an event. If a player leaves, another owner may take the seat."""
    match recorded.event:
        case SeatTaken(seat=seat, player=player):
            players[seat] = player
        case SeatLeft(seat=seat):
            players.pop(seat, None)
        case _:
            pass
