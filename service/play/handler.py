"""The command handler: `Play.do` calls the rules to decide one command, and records its events."""

# DECISIONS 19, 47, 81, 85 and 126

from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine

from service.database.engines import Connect, reading, reading_if_needed, reading_once
from service.entropy import Entropy
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, UncommittedEvent, stream_name
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import CommandRecorded, Log
from service.games import GAMES
from service.games.common_commands import EraseValue, OpenTable
from service.games.common_events import ValueErased
from service.games.game import SERVICE, Command, acting_seat
from service.games.seating import author
from service.play import orders, outcomes, signature_check
from service.play.attempts import Attempts
from service.play.known import DecidedUnsealer, FreshDecks, LiveKnown
from service.play.orders import (
    ANYWHERE,
    CommandResult,
    Order,
    PositionMustMatch,
    TableIsImported,
    TooManyRaces,
    WouldSeal,
)
from service.play.outcomes import Observer, Outcome
from service.play.results import Results
from service.play.signature_check import SignatureCheck
from service.play.table_turns import TableTurns
from service.play.writing.group_commit import Work
from service.play.writing.lanes import Lanes
from service.projections import projector
from service.projections.swap_guard import retry_after_swap
from service.secrets.derivation import Derivation
from service.secrets.receipts import Signer
from service.tables import erasable, sealed_fields, visibility
from service.tables.cache import TableCache
from service.tables.fold import TableAt, new, steps_of
from service.tables.sealed_store import SealedStore, TableUnsealer


class Play:
    """Handles commands: calls the rules to decide each command, and records its events."""

    def __init__(  # noqa: PLR0913  # The write path needs all of these parts.
        self,
        engine: Engine,
        log: Log,
        tables: TableCache,
        sealed_store: SealedStore,
        entropy: Entropy,
        signer: Signer,
        derivation: Derivation,
        observe: Observer = outcomes.ignore,
    ) -> None:
        self._engine = engine
        self._log = log
        self._tables = tables
        self._sealed_store = sealed_store
        self._entropy = entropy
        self._derivation = derivation
        self._observe = observe
        self._results = Results(log, sealed_store, signer)
        self._lanes = Lanes(engine, log, entropy)
        self._turns = TableTurns(self._known_position)

    def do(self, order: Order) -> CommandResult:
        """Record *order*'s command and return its result. If the command is a repeat, return its earlier result.

        `do` decides on the cached table first. After a conflict, or a refusal on the cached table, `do` reads the
        stream and decides again. A stale or repeated command is never recorded: the log appends events only if the
        stream still has the head on which the events were decided, and accepts each command id once.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, KeyMustBeNew, StreamCorrupted:
                nothing was recorded.
            TooManyRaces, StreamReplaced: nothing was recorded; the caller may repeat the order.
            WriteLockNotAcquired, SQLAlchemyError: nothing was recorded.
            UnknownCommit: the command may be recorded; the caller finds out by repeating the order.
        """
        try:
            if order.if_match == ANYWHERE:
                result = self._do(order)
            else:
                with self._turns.turn(order.stream_id, order.if_match):
                    result = self._do(order)
        except BaseException as error:
            self._report(order, outcomes.of_error(error))
            raise
        self._report(order, outcomes.of_result(result))
        return result

    def _do(self, order: Order) -> CommandResult:
        cmd = self._command_id(order)
        try:
            for attempt in Attempts(self._tables, self._log.generation, order.stream_id):
                with attempt:
                    return self._attempt(order, cmd, attempt)
        except StreamCorrupted as error:
            return self._repeat_before_damage(order, cmd, error)
        raise TooManyRaces(stream_name(order.stream_id))

    def _attempt(self, order: Order, cmd: str, attempt: Attempts) -> CommandResult:
        """Carry out one attempt: read the table, decide, record the events, cache the new table.

        If the stream already has the command *cmd*, wait until its events are durable and return its earlier result.
        """
        with reading_if_needed(self._engine) as connect:
            table_at, decision = self._table(connect, order, cmd, attempt)
            if decision is None:
                decided = self._decide(connect, order, cmd, table_at, attempt)
            else:
                decided = _Decided(self._results.of_repeat(connect, order, table_at, decision), table_at)
        if decided.work is None:
            self._lanes.wait_until_durable(order.stream_id, decided.result.recorded[-1])
        else:
            self._lanes.record(decided.work)
        self._tables.put(decided.table_at, attempt.generation)
        if decided.work is not None:
            self._tables.snapshot_if_due(self._engine, table_at.position, decided.table_at)
        return decided.result

    def _table(
        self, connect: Connect, order: Order, cmd: str, attempt: Attempts
    ) -> tuple[TableAt, RecordedEvent | None]:
        """Return the table on which *order* is decided, and the recorded decision of *cmd*.

        The decision is None if this attempt reads no such decision.

        Raises:
            NoSuchTable: there is no such table, or the caller may not know of the table.
        """
        stream_id = order.stream_id
        table_at = self._tables.cached(stream_id)
        if attempt.reads_stream:
            table_at = table_at or self._tables.from_snapshot(connect(), stream_id)
            after = table_at.head if table_at else EMPTY
            rows = self._log.reader.newer(connect(), stream_id, after, or_cmd=cmd, generation=attempt.generation)
            newer = [one for one in rows if one.position > after.position]
            table_at = self._tables.extended(connect(), table_at, stream_id, newer)
            if table_at is not None:
                self._tables.put(table_at, attempt.generation)
                for one in rows:
                    if one.cmd == cmd:
                        return table_at, one
            elif isinstance(order.command, OpenTable):
                table_at = new(stream_id, GAMES[order.command.game, order.command.edition])
        return orders.must_be_known(table_at, order), None

    def _decide(self, connect: Connect, order: Order, cmd: str, before: TableAt, attempt: Attempts) -> "_Decided":
        """Call the rules to decide *order* on the table *before*; return the work to record and the result."""
        # Besides the state, the rules need sealed values, and random seeds for the decks that the command opens.
        check = None if attempt.reads_stream else partial(self._must_be_new, order, cmd)
        unsealer = TableUnsealer(self._sealed_store, connect, before, check)
        fresh = FreshDecks(self._entropy, self._sealed_store.shuffle)
        known = LiveKnown(unsealer, fresh, self._sealed_store.shuffle)
        command = self._admitted(order, before)
        with orders.refusing(before, command):
            if isinstance(command, EraseValue):
                erasable.must_be_erasable(connect, self._log, before, command)
            decided = before.game.decide(before.state, command, known)
            decision, *consequences = decided.events
            by = author(command, decision)
            signature = SignatureCheck(self._log, connect, before, order.signature)
            secrets = signature.blinded(decision, by, cmd, sealed_fields.secrets(decided.secrets))

        # Make the log entry: the events at the next positions of the stream, with their sealed values.
        erases = (decision.position, decision.field) if isinstance(decision, ValueErased) else None
        sig = signature_check.leaf_signature(order.signature)
        events = [UncommittedEvent(decision, by, cmd, sig, secrets=secrets, erases=erases)]
        events += [UncommittedEvent(event, SERVICE, hidden=fresh.seed_of(event)) for event in consequences]
        entry = self._log.entry(order.stream_id, before.head, events)

        # The rules have folded the events and booked their transfers: take the new table, and the projections' rows.
        steps = steps_of(before, entry.recorded, decided)
        after = steps[-1].after
        changes = projector.changes(order.stream_id, steps)
        work = Work(entry, changes, attempt.generation, is_new=not before.position)

        # Make the result: the receipt, and the openings in these events that the caller may see.
        own = DecidedUnsealer(unsealer, known, entry.openings)
        result = self._results.of_events(order, after, entry.recorded, before.sealed, own)
        return _Decided(result, after, work)

    def _admitted(self, order: Order, table_at: TableAt) -> Command:
        """Check that *order*'s command may be decided, and return it with `by` set to the caller's role at the table.

        Raises:
            StreamCorrupted, TableIsImported, PositionMustMatch, CallerMustBe, Refused: the command may not be decided.
        """
        self._log.quarantine.require_sound(order.stream_id)
        if table_at.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, table_at.position}:
            raise PositionMustMatch(order.if_match, table_at)
        command: Command = replace(order.command, by=orders.actor(table_at.state, order))
        with orders.refusing(table_at, command):
            table_at.game.must_have(command)
        return command

    def _must_be_new(self, order: Order, cmd: str) -> None:
        """Check that the command is not recorded yet.

        A repeated command must not open a sealed value, because the response time could leak the value.

        Raises:
            CommandRecorded: the command is a repeat.
        """
        with reading_once(self._engine) as connection:
            if self._log.reader.is_recorded(connection, order.stream_id, cmd):
                raise CommandRecorded(stream_name(order.stream_id))

    @retry_after_swap
    def _repeat_before_damage(self, order: Order, cmd: str, error: StreamCorrupted) -> CommandResult:
        """Return the earlier result of *order*, if its command was recorded before the damage in the stream.

        Raises:
            StreamCorrupted: the command was not recorded before the damage; the exception is *error*.
        """
        with reading(self._engine) as connection:
            table_at = self._tables.current(connection, order.stream_id)
            decision = self._log.reader.decision(connection, order.stream_id, cmd)
            if table_at is None or decision is None or decision.position > table_at.position:
                raise error
            result = self._results.of_repeat(lambda: connection, order, table_at, decision)
        self._lanes.wait_until_durable(order.stream_id, result.recorded[-1])
        return result

    def dry_run(self, order: Order) -> WouldSeal | None:
        """Check that *order* would be accepted now; record nothing.

        Return what *order* would seal, or None if it would seal nothing.

        The rules compute no consequences, and see only the cards that the caller's seat may see. So neither the
        response nor the response time leaks a hidden card.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, StreamCorrupted: *order* would not
                be accepted.
            StreamReplaced: as for `do`.
        """
        with reading(self._engine) as connection:
            table_at = orders.must_be_known(self._tables.current(connection, order.stream_id), order)
            command = self._admitted(order, table_at)
            seat = acting_seat(command.by) if order.sees_cards else 0
            unsealer = TableUnsealer(self._sealed_store, lambda: connection, table_at)
            with orders.refusing(table_at, command):
                if isinstance(command, EraseValue):
                    erasable.must_be_erasable(lambda: connection, self._log, table_at, command)
                viewpoint = visibility.SeatViewpoint(table_at, seat, unsealer)
                accepted = table_at.game.accept(table_at.state, command, viewpoint)
                secrets = sealed_fields.secrets(accepted.secrets)
                if order.signature:  # Without a signature, the check assumes a valid one.
                    signature = SignatureCheck(self._log, lambda: connection, table_at, order.signature)
                    signature.blinded(accepted.decision, command.by, self._command_id(order), secrets)
        return orders.would_seal(accepted.decision, secrets)

    def _report(self, order: Order, outcome: Outcome) -> None:
        """Pass *order*'s outcome to the observer."""
        self._observe(self._game(order) if outcome in outcomes.NAME_THE_GAME else "", outcome)

    def _known_position(self, stream_id: bytes) -> int:
        table_at = self._tables.cached(stream_id)
        return table_at.position if table_at else 0

    def _game(self, order: Order) -> str:
        """Return the name of *order*'s game, or "" if the table is not cached."""
        if isinstance(order.command, OpenTable):
            return order.command.game
        table_at = self._tables.cached(order.stream_id)
        return table_at.game.name if table_at else ""

    def _command_id(self, order: Order) -> str:
        return self._derivation.command_id(order.caller, stream_name(order.stream_id), order.key)


class _Decided(Struct, frozen=True):
    """The *result* of a command, the table after it, and the *work* to record (None: the command is a repeat)."""

    result: CommandResult
    table_at: TableAt
    work: Work | None = None
