"""The sealed store: opens sealed fields, and decks, which are computed from sealed seeds (DECISIONS 76)."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import Connection

from service.database.cache_generation import Generation
from service.database.engines import Connect
from service.deck import Deck, Shuffle, of_hex
from service.event_store import disclosure
from service.event_store.disclosure import FieldPlace, SealedField
from service.event_store.hash_chain import SEALED_VALUE_LOST
from service.event_store.quarantine import ChainBreak
from service.event_store.store import Log, NotSealed, StalePosition
from service.games.common_events import ValueErased
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch
from service.tables.fold import TableAt

SEED: Final = "server_seed"
"""The field under which a deck's seed is sealed, at the position of its `deck_opened`."""

MOST_CACHED: Final = 4_096
"""The maximum number of decks, and also of openings, that a process caches."""

K = TypeVar("K")
V = TypeVar("V")


class Unsealer(Protocol):
    """Opens the decks and sealed fields of one table. `visibility` decides which cards and fields a viewer may see."""

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*.

        Raises:
            NotSealed: the deck's seed was erased, or only another service has the seed.
            StreamCorrupted: the deck's seed is missing or altered.
        """
        ...

    def field(self, sealed_field: SealedField) -> FieldOpening:
        """Return the opening of a sealed field.

        Raises:
            NotSealed: the field's value was erased, or only another service has the value.
            StreamCorrupted: the field's value is missing or altered.
        """
        ...


class SealedStore:
    """Opens decks and sealed fields of the log, and caches the decks and openings for one generation.

    In another generation, for example after a failover, the database may have other decks.
    """

    def __init__(self, log: Log, shuffle: Shuffle) -> None:
        self.log = log
        self.shuffle = shuffle
        self._decks: _GenerationCache[tuple[str, tuple[int, ...]], Deck] = _GenerationCache(log.generation)
        self._openings: _GenerationCache[tuple[bytes, FieldPlace], FieldOpening] = _GenerationCache(log.generation)

    def deck(self, connect: Connect, table_at: TableAt, epoch: str) -> Deck:
        """Return the deck of *epoch*, whose order was fixed at the position of *table_at* or earlier.

        Raises:
            NotSealed, StreamCorrupted, NoSuchStream, StalePosition, StreamReplaced: as for `seed`.
        """
        clients = of_hex(table_at.clients.get(epoch, {}))

        def make() -> Deck:
            return self.shuffle(epoch, self.seed(connect, table_at, epoch), clients)

        return self._decks.get((epoch, tuple(clients)), make)

    def seed(self, connect: Connect, table_at: TableAt, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*: 32 bytes.

        Raises:
            NotSealed: the seed was erased, or only another service has the seed.
            StreamCorrupted: the seed was altered, or is missing although no event erased the seed.
            NoSuchStream, StalePosition, StreamReplaced: the seed is missing, and the database was replaced by one with
                fewer or other events.
        """
        position = table_at.opened[epoch]

        def read() -> bytes:
            return self.log.hidden(connect(), table_at.stream_id, position, SEED)

        return self._open(connect, table_at, (position, SEED), read)

    def field(self, connect: Connect, table_at: TableAt, sealed_field: SealedField) -> FieldOpening:
        """Return the opening of *sealed_field*, whose event must be committed.

        Raises:
            NotSealed: the value was erased, or only another service has the value.
            StreamCorrupted: the value was altered, or is missing although no event erased the value.
            NoSuchStream, StalePosition, StreamReplaced: the value is missing, and the database was replaced by one with
                fewer or other events.
        """
        place = (sealed_field.position, sealed_field.field)
        if place in table_at.erased:
            self._openings.drop((table_at.stream_id, place))
            raise NotSealed(f"{sealed_field.field} at position {sealed_field.position} was erased")

        def read() -> FieldOpening:
            return read_field(self.log, connect(), table_at.stream_id, sealed_field)

        return self._openings.get((table_at.stream_id, place), lambda: self._open(connect, table_at, place, read))

    def _open(self, connect: Connect, table_at: TableAt, place: FieldPlace, read: Callable[[], V]) -> V:
        """Return what *read* returns: the value sealed at *place*.

        Raises:
            NotSealed: the value was erased, perhaps after the position of *table_at*, or only another service has the
                value.
            StreamCorrupted: the value was altered, or is missing although no event erased the value.
            NoSuchStream, StalePosition, StreamReplaced: as for `_is_erased`.
        """
        try:
            return read()
        except NotSealed:
            if table_at.imported_at or self._is_erased(connect(), table_at, place):
                raise
            why: Exception | None = None
        except (Tampered, WrongKey, OpeningMustMatch) as error:
            why = error
        raise self.log.reader.quarantine_stream(
            connect(), table_at.stream_id, ChainBreak(place[0], SEALED_VALUE_LOST)
        ) from why

    def _is_erased(self, connection: Connection, table_at: TableAt, place: FieldPlace) -> bool:
        """Return whether any event, before or after the position of *table_at*, erased the value sealed at *place*.

        Raises:
            NoSuchStream, StalePosition, StreamReplaced: the database was replaced by one with fewer or other events.
        """
        if place in table_at.erased:
            return True
        head = self.log.head(connection, table_at.stream_id)
        if head.position < table_at.position:  # The database was replaced by one with fewer events.
            raise StalePosition(table_at.position, head.position)
        # *table_at* may be of an earlier generation, so a wrong hash does not prove damage.
        newer = self.log.reader.newer(connection, table_at.stream_id, table_at.head, generation=-1)
        return any(
            isinstance(one.event, ValueErased) and (one.event.position, one.event.field) == place for one in newer
        )


class TableUnsealer:
    """Opens the decks and sealed fields of the table *table_at*, as long as the transaction of *connect* lasts.

    `TableUnsealer` calls *check* before it opens the first value. If *check* raises an error, that value is not opened,
    and the next call of a method calls *check* again.
    """

    def __init__(
        self, sealed_store: SealedStore, connect: Connect, table_at: TableAt, check: Callable[[], None] | None = None
    ) -> None:
        self._sealed_store = sealed_store
        self._connect = connect
        self._table_at = table_at
        self._check = check

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*.

        Raises:
            NotSealed, StreamCorrupted, NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.deck`.
        """
        self._check_once()
        return self._sealed_store.deck(self._connect, self._table_at, epoch)

    def field(self, sealed_field: SealedField) -> FieldOpening:
        """Return the opening of *sealed_field*.

        Raises:
            NotSealed, StreamCorrupted, NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.field`.
        """
        self._check_once()
        return self._sealed_store.field(self._connect, self._table_at, sealed_field)

    def seed(self, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*.

        Raises:
            NotSealed, StreamCorrupted, NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.seed`.
        """
        self._check_once()
        return self._sealed_store.seed(self._connect, self._table_at, epoch)

    def last_value(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that *seat* sealed last under *field*.

        Raises:
            LookupError: the seat has sealed no value under *field*.
            NotSealed, StreamCorrupted, NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.field`.
        """
        self._check_once()
        sealed_field = disclosure.last_sealed(self._table_at.sealed, seat, field)
        if sealed_field is None:
            raise LookupError(f"seat {seat} has sealed no {field}")
        return self.field(sealed_field).value

    def _check_once(self) -> None:
        if self._check is not None:
            self._check()
            self._check = None  # only after a check that raised nothing: otherwise the next call must check again


def read_field(log: Log, connection: Connection, stream_id: bytes, sealed_field: SealedField) -> FieldOpening:
    """Read the opening of a field from the log's sealed values.

    Raises:
        NotSealed: the value was erased, is lost, or is only in the sealed store of another service.
        Tampered: the stored value was altered.
        WrongKey: the value was sealed under a service key that this process does not have.
        OpeningMustMatch: the value does not match the commitments in the leaf.
    """
    return log.field(connection, stream_id, sealed_field)


class _GenerationCache(Generic[K, V]):
    """Caches up to MOST_CACHED values of one generation; a full cache drops the value that was cached first."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        self._number = generation.number

    def drop(self, key: K) -> None:
        with self._lock:
            self._values.pop(key, None)

    def get(self, key: K, make: Callable[[], V]) -> V:
        with self._lock:
            number = self._generation.number
            if number != self._number:
                self._values.clear()
                self._number = number
            if key in self._values:
                return self._values[key]
        made = make()
        with self._lock:
            if number != self._generation.number:
                return made
            self._values[key] = made
            if len(self._values) > MOST_CACHED:
                self._values.popitem(last=False)
        return made
