"""The vault: what is sealed, for those who may know it: decks that follow from seeds, and sealed fields."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import Connection

from service import deck
from service.database.cache_generation import Generation
from service.database.engines import Connect
from service.deck import Deck
from service.entropy import Entropy
from service.event_store import disclosure
from service.event_store.disclosure import FieldPlace, SealedField
from service.event_store.hash_chain import SEALED_VALUE_LOST
from service.event_store.quarantine import ChainBreak
from service.event_store.store import Log, NotSealed, StalePosition
from service.games.common_events import DeckOpened, ValueErased
from service.games.game import Event
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch
from service.tables.fold import TableAt

SEED: Final = "server_seed"
"""The field under which the seed is sealed, at the position of its `deck_opened`."""

MOST_KEPT: Final = 4_096
"""Of decks, and of openings, in one process."""

Shuffle = Callable[[str, bytes], Deck]

K = TypeVar("K")
V = TypeVar("V")


class Hidden(Protocol):
    """What one table hides. Only `sight` asks for it to show it to somebody."""

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*.

        Raises:
            NotSealed: its seed was erased, or is another service's.
            StreamCorrupted: its seed is missing, or altered.
        """
        ...

    def field(self, kept: SealedField) -> FieldOpening:
        """Return the opening of a sealed field.

        Raises:
            NotSealed: it was erased, or is another service's.
            StreamCorrupted: it is missing, or altered.
        """
        ...


class SealedStore:
    """Opens what is sealed in the log, and remembers it for a generation: another database has other decks."""

    def __init__(self, log: Log, shuffle: Shuffle) -> None:
        self.log = log
        self.shuffle = shuffle
        self._decks: _Kept[str, Deck] = _Kept(log.generation)
        self._openings: _Kept[tuple[bytes, FieldPlace], FieldOpening] = _Kept(log.generation)

    def deck(self, connect: Connect, table_at: TableAt, epoch: str) -> Deck:
        """Return the deck of *epoch*, committed at the table in *table_at*.

        Raises:
            NotSealed, StreamCorrupted: as `seed`.
        """
        return self._decks.get(epoch, lambda: self.shuffle(epoch, self.seed(connect, table_at, epoch)))

    def seed(self, connect: Connect, table_at: TableAt, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*: 32 bytes.

        Raises:
            NotSealed: it was erased, or is another service's.
            StreamCorrupted: it is missing, or altered, and no erasure is on record.
        """
        position = table_at.opened[epoch]

        def read() -> bytes:
            return self.log.hidden(connect(), table_at.stream_id, position, SEED)

        return self._sound(connect, table_at, (position, SEED), read)

    def field(self, connect: Connect, table_at: TableAt, kept: SealedField) -> FieldOpening:
        """Return the opening of a field that is committed.

        Raises:
            NotSealed: it was erased, or is another service's.
            StreamCorrupted: it is missing, or not what the leaf commits to, and no erasure is on record.
        """
        place = (kept.position, kept.field)
        if place in table_at.erased:
            self._openings.drop((table_at.stream_id, place))
            raise NotSealed(f"{kept.field} at position {kept.position} was erased")

        def read() -> FieldOpening:
            return read_field(self.log, connect(), table_at.stream_id, kept)

        return self._openings.get((table_at.stream_id, place), lambda: self._sound(connect, table_at, place, read))

    def _sound(self, connect: Connect, table_at: TableAt, place: FieldPlace, read: Callable[[], V]) -> V:
        """Return what *read* finds of what was sealed at *place*.

        Raises:
            NotSealed: it was erased, perhaps after *table_at*, or is another service's.
            StreamCorrupted: it is missing, or altered, and no erasure is on record.
        """
        try:
            return read()
        except NotSealed:
            if table_at.imported_at or self._is_erased(connect(), table_at, place):
                raise
            why: Exception | None = None
        except (Tampered, WrongKey, OpeningMustMatch) as error:
            why = error
        raise self.log.quarantine_stream(
            connect(), table_at.stream_id, ChainBreak(place[0], SEALED_VALUE_LOST)
        ) from why

    def _is_erased(self, connection: Connection, table_at: TableAt, place: FieldPlace) -> bool:
        """Tell whether an event on record, up to *table_at* or after it, erased what was sealed at *place*.

        Raises:
            NoSuchStream, StalePosition, StreamReplaced: the database is another one now, which has less.
        """
        if place in table_at.erased:
            return True
        head = self.log.head(connection, table_at.stream_id)
        if head.position < table_at.position:  # The database is another one now, which has less.
            raise StalePosition(table_at.position, head.position)
        # In which generation *table_at* was read is not known here, so a mismatch is not yet taken for damage.
        newer = self.log.newer(connection, table_at.stream_id, table_at.head, generation=-1)
        return any(
            isinstance(one.event, ValueErased) and (one.event.position, one.event.field) == place for one in newer
        )


class Opened:
    """What a table in *table_at* hides, as long as the *connection*'s transaction lasts."""

    def __init__(self, vault: SealedStore, connection: Connection, table_at: TableAt) -> None:
        self._vault = vault
        self._connect: Connect = lambda: connection
        self._situation = table_at

    def deck(self, epoch: str) -> Deck:
        """As `Hidden`."""
        return self._vault.deck(self._connect, self._situation, epoch)

    def field(self, kept: SealedField) -> FieldOpening:
        """As `Hidden`."""
        return self._vault.field(self._connect, self._situation, kept)


class LiveKnown:
    """What the rules need and the log does not show: from the sealed store, and fresh seeds.

    *before* is called before the first question about what is hidden, and may raise what keeps it from an answer.
    """

    def __init__(self, connect: Connect, table_at: TableAt, vault: SealedStore, entropy: Entropy) -> None:
        self._connect = connect
        self._situation = table_at
        self._vault = vault
        self._entropy = entropy
        self._fresh: dict[str, bytes] = {}
        self._shuffled: dict[str, Deck] = {}
        self._made: Mapping[FieldPlace, FieldOpening] = {}
        self.before: Callable[[], None] | None = None

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*."""
        self._ask()
        kept = disclosure.last_sealed(self._situation.sealed, seat, field)
        if kept is None:
            raise LookupError(f"seat {seat} has sealed no {field}")
        return self._vault.field(self._connect, self._situation, kept).value

    def server_commit(self, epoch: str) -> str:
        """Draw the seed of *epoch*, once, and return its commitment."""
        if epoch not in self._fresh:
            self._fresh[epoch] = self._entropy.secret()
        return deck.server_commit(epoch, self._fresh[epoch])

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*; one that is not committed yet is not kept for others."""
        if epoch not in self._fresh:
            self._ask()
            return self._vault.deck(self._connect, self._situation, epoch)
        if epoch not in self._shuffled:
            self._shuffled[epoch] = self._vault.shuffle(epoch, self._fresh[epoch])
        return self._shuffled[epoch]

    def server_seed(self, epoch: str) -> str:
        """Return the seed of *epoch* as hex, to be revealed."""
        if epoch in self._fresh:
            return self._fresh[epoch].hex()
        self._ask()
        return self._vault.seed(self._connect, self._situation, epoch).hex()

    def learn(self, made: Mapping[FieldPlace, FieldOpening]) -> None:
        """Know the fields that the command itself has *made*, too; for others there are none of them yet."""
        self._made = made

    def field(self, kept: SealedField) -> FieldOpening:
        """As `Hidden`."""
        made = self._made.get((kept.position, kept.field))
        return made or self._vault.field(self._connect, self._situation, kept)

    def to_seal(self, event: Event) -> Mapping[str, bytes]:
        """Return what must be sealed with *event*: the seed of a deck that it opens."""
        return {SEED: self._fresh[event.epoch]} if isinstance(event, DeckOpened) else {}

    def _ask(self) -> None:
        if self.before is not None:
            before, self.before = self.before, None
            before()


def read_field(log: Log, connection: Connection, stream_id: bytes, kept: SealedField) -> FieldOpening:
    """Read the opening of a field from the sealed store.

    Raises:
        NotSealed: it was erased, or is another service's.
        OpeningMustMatch: what is sealed there is not what the leaf commits to.
    """
    return log.field(connection, stream_id, kept.position, kept.field, kept.commitment.c)


class _Kept(Generic[K, V]):
    """The last MOST_KEPT values that were asked for in this generation."""

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
            if len(self._values) > MOST_KEPT:
                self._values.popitem(last=False)
        return made
