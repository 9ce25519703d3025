"""The write path: one command in, its events recorded."""

from collections.abc import Iterable
from functools import partial
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service import orders
from service.entropy import Entropy
from service.games import GAMES
from service.games.commands import EraseValue, OpenTable
from service.games.events import ValueErased
from service.games.game import SERVICE, Command, Event, acting_seat
from service.games.seating import author, must_belong
from service.games.table import seat_of
from service.log import silence
from service.log.codec import Recorded
from service.log.database import Connect, reading, reading_if_needed
from service.log.derivation import Derivation
from service.log.entries import EMPTY, Draft, stream_name
from service.log.openings import OpeningMustMatch
from service.log.quarantine import LogMustRunOn, StreamIsAnother
from service.log.signer import Signer
from service.log.silence import Silence
from service.log.store import CommandRecorded, Log, NoSuchStream, NotSealed, StalePosition, StreamExists
from service.orders import (
    ANYWHERE,
    AskerMustBe,
    NoSuchTable,
    Order,
    Played,
    PositionMustMatch,
    Refused,
    TableIsImported,
    TooManyRaces,
)
from service.projections import erasing, hands, recording, sealing, sight
from service.projections.generation import ProjectionsWereSwapped, repeated
from service.projections.kept import Situations
from service.projections.situations import Situation, Step, follow, new
from service.projections.vault import LiveKnown, Opened, Vault
from service.writer import Work, Writer

_MOST_RACES: Final = 1_000
_MOST_LOST: Final = 3  # how often an order is decided again because the database is another one
_PAGE: Final = 64


class Play:
    """Takes commands, decides them by the rules, and records what comes of them."""

    def __init__(  # noqa: PLR0913  # These are the parts that the path is made of.
        self,
        engine: Engine,
        log: Log,
        tables: Situations,
        vault: Vault,
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
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch, KeyMustBeNew, LogMustRunOn,
            TooManyRaces, StreamIsAnother: nothing was recorded; after the last two the same order may be made again.
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
                    self._writer.confirm(order.stream_id, made.played.recorded[-1])
                else:
                    self._writer.record(made.work)
            except (StalePosition, StreamExists, CommandRecorded, ProjectionsWereSwapped):
                looks = True  # Somebody was first, or it is a repeat: decide again on what is there now.
            except (NoSuchStream, StreamIsAnother):
                self._tables.drop(order.stream_id)  # The database is another one now, which has less.
                looks, lost = True, lost + 1
                if lost > _MOST_LOST:
                    break
            except (NotSealed, OpeningMustMatch):
                if looks and generation == self._log.generation.number:
                    raise
                looks = True  # It was erased since, or this is another database, which has none or another.
            except (NoSuchTable, AskerMustBe, Refused, PositionMustMatch):
                if looks:
                    raise
                looks = True  # Nobody is refused for what was so a while ago, nor for what was erased since.
            except LogMustRunOn as error:
                return self._still_told(order, error)
            else:
                self._tables.keep(made.situation, generation)
                if made.work is not None:
                    self._tables.snap(self._engine, made.work.entry.head.position, made.situation)
                return made.played
        raise TooManyRaces(stream_name(order.stream_id))

    def would(self, order: Order) -> None:
        """Find out whether *order* would be accepted now; nothing is recorded.

        No consequence is computed, and of what is hidden only the asker's own cards are used: how long this takes
        tells as little as the answer.

        Raises:
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch, LogMustRunOn: it would not.
        """
        with reading(self._engine) as connection:
            situation = orders.must_be_known(self._tables.now(connection, order.stream_id), order)
            command = self._admitted(order, situation)
            seat = acting_seat(command.by) if order.sees_cards else 0
            seen = sight.Sight(situation, seat, Opened(self._vault, connection, situation))
            with orders.refusing(situation, command):
                if isinstance(command, EraseValue):
                    erasing.must_be_erasable(lambda: connection, self._log, situation, command)
                situation.game.accept(situation.state, command, seen)

    def _look(self, connect: Connect, order: Order, cmd: str, generation: int) -> "_Made":
        """Decide on the table as it stands now; or find what was recorded before."""
        seen = self._tables.seen(order.stream_id)
        seen = seen or self._tables.snapshot(connect(), order.stream_id)
        since = seen.head if seen else EMPTY
        rows = self._log.newer(connect(), order.stream_id, since, or_cmd=cmd, generation=generation)
        newer = [one for one in rows if seen is None or one.position > seen.position]
        situation = self._tables.folded(connect(), seen, order.stream_id, newer)
        if situation is not None:
            self._tables.keep(situation, generation)
            for one in rows:
                if one.cmd == cmd:
                    return _Made(self._again(connect, situation, order, one), situation)
        elif isinstance(order.command, OpenTable):
            situation = new(order.stream_id, GAMES[order.command.game, order.command.edition])
        return self._make(connect, order, cmd, generation, situation)

    def _make(
        self, connect: Connect, order: Order, cmd: str, generation: int, situation: Situation | None = None
    ) -> "_Made":
        """Decide on the table in *situation*, or as it was last seen here, in a *generation*."""
        has_looked = situation is not None
        situation = orders.must_be_known(situation or self._tables.seen(order.stream_id), order)
        known = LiveKnown(connect, situation, self._vault, self._entropy)
        if not has_looked:
            known.before = partial(self._must_be_new, connect, order, cmd)
        command, events = self._decide(connect, order, situation, known)
        decision, *consequences = events
        secrets = sealing.secrets(situation.game.sealed(situation.state, command, known))
        erases = (decision.position, decision.field) if isinstance(decision, ValueErased) else None
        drafts = [Draft(decision, author(command, decision), cmd, secrets=secrets, erases=erases)]
        drafts += [Draft(event, SERVICE, hidden=known.to_seal(event)) for event in consequences]
        entry = self._log.entry(order.stream_id, situation.head, drafts)
        known.learn(entry.openings)
        is_new, steps, sealed = not situation.position, [], situation.sealed
        for one in entry.recorded:
            before, situation = situation, follow(situation, one)
            steps.append(Step(one, before.state, situation))
        work = Work(entry, recording.changes(order.stream_id, steps), generation, is_new=is_new)
        return _Made(self._played(order, situation, entry.recorded, sealed, known), situation, work)

    def _must_be_new(self, connect: Connect, order: Order, cmd: str) -> None:
        """Let nothing hidden be asked for a command that can't be recorded: its time would tell what nobody is told.

        Raises:
            CommandRecorded: the order's Idempotency-Key stands for a command already.
        """
        if self._log.is_recorded(connect(), order.stream_id, cmd):
            raise CommandRecorded(stream_name(order.stream_id))

    def _decide(
        self, connect: Connect, order: Order, situation: Situation, known: LiveKnown
    ) -> tuple[Command, tuple[Event, ...]]:
        command = self._admitted(order, situation)
        with orders.refusing(situation, command):
            if isinstance(command, EraseValue):
                erasing.must_be_erasable(connect, self._log, situation, command)
            return command, situation.game.decide(situation.state, command, known)

    def _admitted(self, order: Order, situation: Situation) -> Command:
        """Return *order*'s command as the rules are asked about it, where they may be asked."""
        self._log.damages.must_not_have(order.stream_id)
        if situation.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, situation.position}:
            raise PositionMustMatch(order.if_match, situation)
        command: Command = replace(order.command, by=orders.actor(situation.state, order))
        with orders.refusing(situation, command):
            must_belong(command, situation.game)
        return command

    def _again(self, connect: Connect, situation: Situation, order: Order, decision: Recorded) -> Played:
        own = self._own(connect, situation, decision)
        if own is not None:
            made = situation.game.command_of(decision.event, decision.by, own.get)
            orders.must_be_the_same(made, order.command, tells=order.sees_cards or not decision.priv)
        recorded = (decision, *self._consequences(connect(), situation, decision))
        known = LiveKnown(connect, situation, self._vault, self._entropy)
        sealed = hands.silence_before(connect(), self._log, situation, decision.position)
        return self._played(order, situation, recorded, sealed, known, replayed=True)

    def _own(self, connect: Connect, situation: Situation, decision: Recorded) -> dict[str, Any] | None:
        """Return what *decision* sealed, by field; None: some of it was erased, and nobody knows any more what it was.

        Raises:
            LogMustRunOn: it is missing or altered, and no erasure is on record.
        """
        try:
            return {
                kept.field: self._vault.field(connect, situation, kept).value for kept in silence.sealed_with(decision)
            }
        except NotSealed:
            return None

    def _consequences(self, connection: Connection, situation: Situation, last: Recorded) -> Iterable[Recorded]:
        while page := self._log.read(connection, situation.stream_id, last, _PAGE, head=situation.head):
            consequences = tuple(takewhile(lambda one: not one.cmd, page))
            yield from consequences
            if len(consequences) < _PAGE:
                return
            last = page[-1]

    @repeated
    def _still_told(self, order: Order, error: LogMustRunOn) -> Played:
        """Tell again what was recorded before the table's log ceased to hold, or raise *error*."""
        with reading(self._engine) as connection:
            situation = self._tables.now(connection, order.stream_id)
            decision = self._log.decision(connection, order.stream_id, self._command_id(order))
            if situation is None or decision is None or decision.position > situation.position:
                raise error
            told = self._again(lambda: connection, situation, order, decision)
        self._writer.confirm(order.stream_id, told.recorded[-1])
        return told

    def _command_id(self, order: Order) -> str:
        return self._derivation.command_id(order.asker, stream_name(order.stream_id), order.key)

    def _played(  # noqa: PLR0913  # All of it is told.
        self,
        order: Order,
        situation: Situation,
        recorded: tuple[Recorded, ...],
        sealed: Silence,
        known: LiveKnown,
        *,
        replayed: bool = False,
    ) -> Played:
        last, cmd = recorded[-1], recorded[0].cmd
        seat = seat_of(situation.state, order.asker) if order.sees_cards else 0
        return Played(
            recorded=recorded,
            openings=sight.openings(recorded, seat, known),
            fields=sight.fields(recorded, sealed, seat, known),
            receipt=self._signer.receipt(stream_name(order.stream_id), last.position, last.hash, cmd),
            replayed=replayed,
        )


class _Made(Struct, frozen=True):
    """What a command was *played* to, the table's *situation* after it, and the *work* of recording it, if any."""

    played: Played
    situation: Situation
    work: Work | None = None
