"""The write path: `Play.do` takes one command, has the rules decide it, and records its events."""

# DECISIONS 19, 47, 81 and 85

from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine

from service.database.engines import Connect, reading, reading_if_needed
from service.entropy import Entropy
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, UncommittedEvent, stream_name
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import CommandRecorded, Log
from service.games import GAMES
from service.games.common_commands import EraseValue, OpenTable
from service.games.common_events import ValueErased
from service.games.game import SERVICE, Command, acting_seat
from service.games.seating import author, must_belong
from service.play import orders, outcomes
from service.play.attempts import Attempts
from service.play.group_commit import Work, Writer
from service.play.known import DecidedUnsealer, FreshDecks, LiveKnown
from service.play.orders import ANYWHERE, CommandResult, Order, PositionMustMatch, TableIsImported, TooManyRaces
from service.play.outcomes import Observer, Outcome
from service.play.results import Results
from service.projections import projector
from service.projections.swap_guard import retry_after_swap
from service.secrets.derivation import Derivation
from service.secrets.receipts import Signer
from service.tables import erasable, sealed_fields, visibility
from service.tables.cache import TableCache
from service.tables.fold import TableAt, fold_steps, new
from service.tables.sealed_store import SealedStore, TableUnsealer


class Play:
    """Takes commands, has the rules decide them, and records their events."""

    def __init__(  # noqa: PLR0913  # These are the parts that the path is made of.
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
        self._writer = Writer(engine, log, entropy)

    def do(self, order: Order) -> CommandResult:
        """Record *order*'s command, or return the result that it had when it was recorded before.

        Decides on the cached table first; on a conflict or a refusal it reads the stream and decides again. A stale or
        repeated command is never recorded: the log takes events only after the head that they were decided on, and
        each command's id once.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, KeyMustBeNew, StreamCorrupted,
            TooManyRaces, StreamReplaced: nothing was recorded; after the last two the caller may repeat the order.
            UnknownCommit: it may be recorded; the caller finds out by repeating the order.
        """
        try:
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

        Where the stream has the command *cmd* already, return its result again as soon as that is durable.
        """
        with reading_if_needed(self._engine) as connect:
            table_at, decision = self._table(connect, order, cmd, attempt)
            if decision is None:
                decided = self._decide(connect, order, cmd, table_at, attempt)
            else:
                decided = _Decided(self._results.of_repeat(connect, order, table_at, decision), table_at)
        if decided.work is None:
            self._writer.wait_until_durable(order.stream_id, decided.result.recorded[-1])
        else:
            self._writer.record(decided.work)
        self._tables.put(decided.table_at, attempt.generation)
        if decided.work is not None:
            self._tables.snapshot_if_due(self._engine, table_at.position, decided.table_at)
        return decided.result

    def _table(
        self, connect: Connect, order: Order, cmd: str, attempt: Attempts
    ) -> tuple[TableAt, RecordedEvent | None]:
        """Return the table that *order* is decided on, and the decision of *cmd* where the stream has it already.

        Raises:
            NoSuchTable: there is none, or none that the caller may know of.
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
        """Have the rules decide *order* on the table *before* it; return what to record and what to answer."""
        # What the rules need besides the state: sealed values, and chance for the decks that they open.
        check = None if attempt.reads_stream else partial(self._must_be_new, connect, order, cmd)
        unsealer = TableUnsealer(self._sealed_store, connect, before, check)
        fresh = FreshDecks(self._entropy, self._sealed_store.shuffle)
        known = LiveKnown(unsealer, fresh)
        command = self._admitted(order, before)
        with orders.refusing(before, command):
            if isinstance(command, EraseValue):
                erasable.must_be_erasable(connect, self._log, before, command)
            decision, *consequences = before.game.decide(before.state, command, known)

        # The events, at the next positions of the stream, with the values that are sealed with them.
        secrets = sealed_fields.secrets(before.game.sealed(before.state, command, known))
        erases = (decision.position, decision.field) if isinstance(decision, ValueErased) else None
        events = [UncommittedEvent(decision, author(command, decision), cmd, secrets=secrets, erases=erases)]
        events += [UncommittedEvent(event, SERVICE, hidden=fresh.seed_of(event)) for event in consequences]
        entry = self._log.entry(order.stream_id, before.head, events)

        # The table after them, and the rows that they change in the projections.
        steps = fold_steps(before, entry.recorded)
        after = steps[-1].after
        changes = projector.changes(order.stream_id, steps)
        work = Work(entry, changes, attempt.generation, is_new=not before.position)

        # The answer: the receipt, and what the caller may see of these events.
        own = DecidedUnsealer(unsealer, fresh, entry.openings)
        result = self._results.of_events(order, after, entry.recorded, before.sealed, own)
        return _Decided(result, after, work)

    def _admitted(self, order: Order, table_at: TableAt) -> Command:
        """Return *order*'s command in the name by which the rules know the caller, if it may be decided at all.

        Raises:
            StreamCorrupted, TableIsImported, PositionMustMatch, CallerMustBe, Refused: it may not.
        """
        self._log.quarantine.require_sound(order.stream_id)
        if table_at.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, table_at.position}:
            raise PositionMustMatch(order.if_match, table_at)
        command: Command = replace(order.command, by=orders.actor(table_at.state, order))
        with orders.refusing(table_at, command):
            must_belong(command, table_at.game)
        return command

    def _must_be_new(self, connect: Connect, order: Order, cmd: str) -> None:
        """Pass a command that is not recorded. A repeat must open no sealed value: its duration would betray the value.

        Raises:
            CommandRecorded: the command is a repeat.
        """
        if self._log.reader.is_recorded(connect(), order.stream_id, cmd):
            raise CommandRecorded(stream_name(order.stream_id))

    @retry_after_swap
    def _repeat_before_damage(self, order: Order, cmd: str, error: StreamCorrupted) -> CommandResult:
        """Return the result of *order* again where it was recorded before the position at which its stream is damaged.

        Raises:
            StreamCorrupted: it was not.
        """
        with reading(self._engine) as connection:
            table_at = self._tables.current(connection, order.stream_id)
            decision = self._log.reader.decision(connection, order.stream_id, cmd)
            if table_at is None or decision is None or decision.position > table_at.position:
                raise error
            result = self._results.of_repeat(lambda: connection, order, table_at, decision)
        self._writer.wait_until_durable(order.stream_id, result.recorded[-1])
        return result

    def dry_run(self, order: Order) -> None:
        """Check whether *order* would be accepted now; record nothing.

        The rules compute no consequence, and see only the caller's own cards: neither the answer nor its duration
        betrays what the caller may not see.

        Raises:
            NoSuchTable, TableIsImported, CallerMustBe, Refused, PositionMustMatch, StreamCorrupted: it would not.
        """
        with reading(self._engine) as connection:
            table_at = orders.must_be_known(self._tables.current(connection, order.stream_id), order)
            command = self._admitted(order, table_at)
            seat = acting_seat(command.by) if order.sees_cards else 0
            unsealer = TableUnsealer(self._sealed_store, lambda: connection, table_at)
            with orders.refusing(table_at, command):
                if isinstance(command, EraseValue):
                    erasable.must_be_erasable(lambda: connection, self._log, table_at, command)
                table_at.game.accept(table_at.state, command, visibility.SeatViewpoint(table_at, seat, unsealer))

    def _report(self, order: Order, outcome: Outcome) -> None:
        """Have the observer count *order*'s outcome."""
        self._observe(self._game(order) if outcome in outcomes.NAME_THE_GAME else "", outcome)

    def _game(self, order: Order) -> str:
        """Return the name of the game; "": the table is not cached."""
        if isinstance(order.command, OpenTable):
            return order.command.game
        table_at = self._tables.cached(order.stream_id)
        return table_at.game.name if table_at else ""

    def _command_id(self, order: Order) -> str:
        return self._derivation.command_id(order.caller, stream_name(order.stream_id), order.key)


class _Decided(Struct, frozen=True):
    """The *result* of a command, the table after it, and the *work* of recording it; None: it was recorded before."""

    result: CommandResult
    table_at: TableAt
    work: Work | None = None
