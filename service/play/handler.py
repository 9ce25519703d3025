"""The write path: one command in, its events recorded."""

from collections.abc import Iterable
from functools import partial
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.database.engines import Connect, reading, reading_if_needed
from service.entropy import Entropy
from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState
from service.event_store.entries import EMPTY, UncommittedEvent, stream_name
from service.event_store.quarantine import StreamCorrupted, StreamReplaced
from service.event_store.store import CommandRecorded, Log, NoSuchStream, NotSealed, StalePosition, StreamExists
from service.games import GAMES
from service.games.common_commands import EraseValue, OpenTable
from service.games.common_events import ValueErased
from service.games.game import SERVICE, Command, Event, acting_seat
from service.games.seating import author, must_belong
from service.games.table_state import seat_of
from service.play import orders
from service.play.group_commit import Work, Writer
from service.play.orders import (
    ANYWHERE,
    CallerMustBe,
    NoSuchTable,
    Order,
    Played,
    PositionMustMatch,
    Refused,
    TableIsImported,
    TooManyRaces,
)
from service.projections import hand_positions, projector
from service.projections.swap_guard import ProjectionsWereSwapped, retry_after_swap
from service.secrets.derivation import Derivation
from service.secrets.openings import OpeningMustMatch
from service.secrets.receipts import Signer
from service.tables import erasable, sealed_fields, visibility
from service.tables.cache import TableCache
from service.tables.fold import Step, TableAt, follow, new
from service.tables.sealed_store import LiveKnown, Opened, SealedStore

_MOST_RACES: Final = 1_000
_MOST_LOST: Final = 3  # how often an order is decided again because the database is another one
_PAGE: Final = 64


class Play:
    """Takes commands, decides them by the rules, and records what comes of them."""

    def __init__(  # noqa: PLR0913  # These are the parts that the path is made of.
        self,
        engine: Engine,
        log: Log,
        tables: TableCache,
        vault: SealedStore,
        entropy: Entropy,
        signer: Signer,
        derivation: Derivation,
    ) -> None:
        self._engine = engine
        self._log = log
        self._tables = tables
        self._vault = vault
        self._entropy = entropy
        self._signer = signer
        self._derivation = derivation
        self._writer = Writer(engine, log, entropy)

    def do(self, order: Order) -> Played:
        """Record *order*'s command, or tell again what it recorded before.

        It is decided on the table as it was last seen here, and only where that does not do, as it stands now.
        Nothing is recorded on what is old, nor twice: the log takes events only where the stream still stands
        where it was seen, and each command's id once.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, KeyMustBeNew, StreamCorrupted,
            TooManyRaces, StreamReplaced: nothing was recorded; after the last two the same order may be made again.
            UnknownCommit: it may be recorded; the same order, made again, finds out.
        """
        cmd = self._command_id(order)
        looks = self._tables.seen(order.stream_id) is None
        lost = 0
        for _ in range(_MOST_RACES):
            generation = self._log.generation.number
            try:
                with reading_if_needed(self._engine) as connect:
                    made = (self._look if looks else self._make)(connect, order, cmd, generation)
                if made.work is None:
                    self._writer.wait_until_durable(order.stream_id, made.played.recorded[-1])
                else:
                    self._writer.record(made.work)
            except (StalePosition, StreamExists, CommandRecorded, ProjectionsWereSwapped):
                looks = True  # Somebody was first, or it is a repeat: decide again on what is there now.
            except (NoSuchStream, StreamReplaced):
                self._tables.drop(order.stream_id)  # The database is another one now, which has less.
                looks, lost = True, lost + 1
                if lost > _MOST_LOST:
                    break
            except (NotSealed, OpeningMustMatch):
                if looks and generation == self._log.generation.number:
                    raise
                looks = True  # It was erased since, or this is another database, which has none or another.
            except (NoSuchTable, CallerMustBe, Refused, PositionMustMatch):
                if looks:
                    raise
                looks = True  # Nobody is refused for what was so a while ago, nor for what was erased since.
            except StreamCorrupted as error:
                return self._still_told(order, error)
            else:
                self._tables.keep(made.table_at, generation)
                if made.work is not None:
                    self._tables.snap(self._engine, made.work.entry.head.position, made.table_at)
                return made.played
        raise TooManyRaces(stream_name(order.stream_id))

    def would(self, order: Order) -> None:
        """Find out whether *order* would be accepted now; nothing is recorded.

        No consequence is computed, and of what is hidden only the caller's own cards are used: how long this takes
        tells as little as the answer.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, StreamCorrupted: it would not.
        """
        with reading(self._engine) as connection:
            table_at = orders.must_be_known(self._tables.now(connection, order.stream_id), order)
            command = self._admitted(order, table_at)
            seat = acting_seat(command.by) if order.sees_cards else 0
            seen = visibility.Sight(table_at, seat, Opened(self._vault, connection, table_at))
            with orders.refusing(table_at, command):
                if isinstance(command, EraseValue):
                    erasable.must_be_erasable(lambda: connection, self._log, table_at, command)
                table_at.game.accept(table_at.state, command, seen)

    def _look(self, connect: Connect, order: Order, cmd: str, generation: int) -> "_Made":
        """Decide on the table as it stands now; or find what was recorded before."""
        seen = self._tables.seen(order.stream_id)
        seen = seen or self._tables.snapshot(connect(), order.stream_id)
        since = seen.head if seen else EMPTY
        rows = self._log.newer(connect(), order.stream_id, since, or_cmd=cmd, generation=generation)
        newer = [one for one in rows if seen is None or one.position > seen.position]
        table_at = self._tables.folded(connect(), seen, order.stream_id, newer)
        if table_at is not None:
            self._tables.keep(table_at, generation)
            for one in rows:
                if one.cmd == cmd:
                    return _Made(self._again(connect, table_at, order, one), table_at)
        elif isinstance(order.command, OpenTable):
            table_at = new(order.stream_id, GAMES[order.command.game, order.command.edition])
        return self._make(connect, order, cmd, generation, table_at)

    def _make(
        self, connect: Connect, order: Order, cmd: str, generation: int, table_at: TableAt | None = None
    ) -> "_Made":
        """Decide on the table in *table_at*, or as it was last seen here, in a *generation*."""
        has_looked = table_at is not None
        table_at = orders.must_be_known(table_at or self._tables.seen(order.stream_id), order)
        known = LiveKnown(connect, table_at, self._vault, self._entropy)
        if not has_looked:
            known.before = partial(self._must_be_new, connect, order, cmd)
        command, events = self._decide(connect, order, table_at, known)
        decision, *consequences = events
        secrets = sealed_fields.secrets(table_at.game.sealed(table_at.state, command, known))
        erases = (decision.position, decision.field) if isinstance(decision, ValueErased) else None
        uncommitted_events = [
            UncommittedEvent(decision, author(command, decision), cmd, secrets=secrets, erases=erases)
        ]
        uncommitted_events += [UncommittedEvent(event, SERVICE, hidden=known.to_seal(event)) for event in consequences]
        entry = self._log.entry(order.stream_id, table_at.head, uncommitted_events)
        known.learn(entry.openings)
        is_new, steps, sealed = not table_at.position, [], table_at.sealed
        for one in entry.recorded:
            before, table_at = table_at, follow(table_at, one)
            steps.append(Step(one, before.state, table_at))
        work = Work(entry, projector.changes(order.stream_id, steps), generation, is_new=is_new)
        return _Made(self._played(order, table_at, entry.recorded, sealed, known), table_at, work)

    def _must_be_new(self, connect: Connect, order: Order, cmd: str) -> None:
        """Let nothing hidden be asked for a command that can't be recorded: its time would tell what nobody is told.

        Raises:
            CommandRecorded: the order's Idempotency-Key stands for a command already.
        """
        if self._log.is_recorded(connect(), order.stream_id, cmd):
            raise CommandRecorded(stream_name(order.stream_id))

    def _decide(
        self, connect: Connect, order: Order, table_at: TableAt, known: LiveKnown
    ) -> tuple[Command, tuple[Event, ...]]:
        command = self._admitted(order, table_at)
        with orders.refusing(table_at, command):
            if isinstance(command, EraseValue):
                erasable.must_be_erasable(connect, self._log, table_at, command)
            return command, table_at.game.decide(table_at.state, command, known)

    def _admitted(self, order: Order, table_at: TableAt) -> Command:
        """Return *order*'s command as the rules are asked about it, where they may be asked."""
        self._log.quarantine.require_sound(order.stream_id)
        if table_at.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, table_at.position}:
            raise PositionMustMatch(order.if_match, table_at)
        command: Command = replace(order.command, by=orders.actor(table_at.state, order))
        with orders.refusing(table_at, command):
            must_belong(command, table_at.game)
        return command

    def _again(self, connect: Connect, table_at: TableAt, order: Order, decision: RecordedEvent) -> Played:
        own = self._own(connect, table_at, decision)
        if own is not None:
            made = table_at.game.command_of(decision.event, decision.by, own.get)
            orders.must_be_the_same(made, order.command, tells=order.sees_cards or not decision.priv)
        recorded = (decision, *self._consequences(connect(), table_at, decision))
        known = LiveKnown(connect, table_at, self._vault, self._entropy)
        sealed = hand_positions.disclosure_before(connect(), self._log, table_at, decision.position)
        return self._played(order, table_at, recorded, sealed, known, replayed=True)

    def _own(self, connect: Connect, table_at: TableAt, decision: RecordedEvent) -> dict[str, Any] | None:
        """Return what *decision* sealed, by field; None: some of it was erased, and nobody knows any more what it was.

        Raises:
            StreamCorrupted: it is missing or altered, and no erasure is on record.
        """
        try:
            return {
                kept.field: self._vault.field(connect, table_at, kept).value
                for kept in disclosure.sealed_fields(decision)
            }
        except NotSealed:
            return None

    def _consequences(self, connection: Connection, table_at: TableAt, last: RecordedEvent) -> Iterable[RecordedEvent]:
        while page := self._log.read(connection, table_at.stream_id, last, _PAGE, head=table_at.head):
            consequences = tuple(takewhile(lambda one: not one.cmd, page))
            yield from consequences
            if len(consequences) < _PAGE:
                return
            last = page[-1]

    @retry_after_swap
    def _still_told(self, order: Order, error: StreamCorrupted) -> Played:
        """Tell again what was recorded before the table's log ceased to hold, or raise *error*."""
        with reading(self._engine) as connection:
            table_at = self._tables.now(connection, order.stream_id)
            decision = self._log.decision(connection, order.stream_id, self._command_id(order))
            if table_at is None or decision is None or decision.position > table_at.position:
                raise error
            told = self._again(lambda: connection, table_at, order, decision)
        self._writer.wait_until_durable(order.stream_id, told.recorded[-1])
        return told

    def _command_id(self, order: Order) -> str:
        return self._derivation.command_id(order.caller, stream_name(order.stream_id), order.key)

    def _played(  # noqa: PLR0913  # All of it is told.
        self,
        order: Order,
        table_at: TableAt,
        recorded: tuple[RecordedEvent, ...],
        sealed: DisclosureState,
        known: LiveKnown,
        *,
        replayed: bool = False,
    ) -> Played:
        last, cmd = recorded[-1], recorded[0].cmd
        seat = seat_of(table_at.state, order.caller) if order.sees_cards else 0
        return Played(
            recorded=recorded,
            openings=visibility.openings(recorded, seat, known),
            fields=visibility.fields(recorded, sealed, seat, known),
            receipt=self._signer.receipt(stream_name(order.stream_id), last.position, last.hash, cmd),
            replayed=replayed,
        )


class _Made(Struct, frozen=True):
    """What a command was *played* to, the table's *table_at* after it, and the *work* of recording it, if any."""

    played: Played
    table_at: TableAt
    work: Work | None = None
