"""The write path: one command in, its events recorded."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.entropy import Entropy
from service.games import GAMES
from service.games.commands import EraseValue, OpenTable, TakeSeat
from service.games.events import ValueErased
from service.games.game import HOST, PLAYER, SERVICE, Command, Event, Refusal, seat_actor, type_name
from service.games.seating import author, must_belong
from service.games.table import TableState, seat_of
from service.log import silence
from service.log.codec import Recorded
from service.log.database import Connect, reading, reading_if_needed
from service.log.entries import EMPTY, Draft, stream_name
from service.log.holding import LogMustRunOn
from service.log.leaf import command_id
from service.log.signer import Signer
from service.log.silence import Silence
from service.log.store import CommandRecorded, Log, NoSuchStream, NotSealed, StalePosition, StreamExists
from service.orders import (
    ANYWHERE,
    AskerMustBe,
    KeyMustBeNew,
    NoSuchTable,
    Order,
    Played,
    PositionMustMatch,
    Refused,
    TableIsImported,
    TooManyRaces,
)
from service.projections import erasing, hands, recording, sealing, sight
from service.projections.kept import Situations
from service.projections.situations import Situation, Step, follow, new
from service.projections.vault import LiveKnown, Vault
from service.writer import Work, Writer

_MOST_RACES: Final = 1_000
_PAGE: Final = 64


class Play:
    """Takes commands, decides them by the rules, and records what comes of them."""

    def __init__(  # noqa: PLR0913  # These are the parts that the path is made of.
        self, engine: Engine, log: Log, tables: Situations, vault: Vault, entropy: Entropy, signer: Signer
    ) -> None:
        self._engine = engine
        self._log = log
        self._tables = tables
        self._vault = vault
        self._entropy = entropy
        self._signer = signer
        self._writer = Writer(engine, log, entropy)

    def do(self, order: Order) -> Played:
        """Record *order*'s command, or tell again what it recorded before.

        It is decided on the table as it was last seen here, and only where that does not do, as it stands now.
        Nothing is recorded on what is old, nor twice: the log takes events only where the stream still stands
        where it was seen, and each command's id once.

        Raises:
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch, KeyMustBeNew, LogMustRunOn,
            TooManyRaces: nothing was recorded; after the last of them the same order may be made again.
            UnknownCommit: it may be recorded; the same order, made again, finds out.
        """
        cmd = command_id(order.asker, order.key)
        looks = self._tables.seen(order.stream_id) is None
        for _ in range(_MOST_RACES):
            life = self._tables.life
            try:
                with reading_if_needed(self._engine) as connect:
                    made = (self._look if looks else self._make)(connect, order, cmd)
                if made.work is None:
                    self._writer.confirm(order.stream_id)
                else:
                    self._writer.record(made.work)
            except (StalePosition, StreamExists, CommandRecorded):
                looks = True  # Somebody was first, or it is a repeat: decide again on what is there now.
            except NoSuchStream:
                self._tables.drop(order.stream_id)  # The database is another one now, which has less.
                looks = True
            except (NoSuchTable, AskerMustBe, Refused, PositionMustMatch, NotSealed):
                if looks:
                    raise
                looks = True  # Nobody is refused for what was so a while ago, nor for what was erased since.
            except LogMustRunOn as error:
                return self._still_told(order, error)
            else:
                self._tables.keep(made.situation, life)
                if made.work is not None:
                    self._tables.snap(self._engine, made.work.entry.head.position, made.situation)
                return made.played
        raise TooManyRaces(stream_name(order.stream_id))

    def would(self, order: Order) -> None:
        """Find out whether *order* would be accepted now; nothing is recorded, and no consequence told.

        Raises:
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch, LogMustRunOn: it would not.
        """
        with reading(self._engine) as connection:
            situation = self._tables.now(connection, order.stream_id)
            self._decide(lambda: connection, order, _known(situation, order))

    def _look(self, connect: Connect, order: Order, cmd: str) -> "_Made":
        """Decide on the table as it stands now; or find what was recorded before."""
        life, seen = self._tables.life, self._tables.seen(order.stream_id)
        seen = seen or self._tables.snapshot(connect(), order.stream_id)
        rows = self._log.newer(connect(), order.stream_id, seen.head if seen else EMPTY, or_cmd=cmd)
        newer = [one for one in rows if seen is None or one.position > seen.position]
        situation = self._tables.folded(connect(), seen, order.stream_id, newer)
        if situation is not None:
            self._tables.keep(situation, life)
            for one in rows:
                if one.cmd == cmd:
                    return _Made(self._again(connect, situation, order, one), situation)
        elif isinstance(order.command, OpenTable):
            situation = new(order.stream_id, GAMES[order.command.game, order.command.edition])
        return self._make(connect, order, cmd, situation)

    def _make(self, connect: Connect, order: Order, cmd: str, situation: Situation | None = None) -> "_Made":
        """Decide on the table in *situation*, or as it was last seen here."""
        situation = _known(situation or self._tables.seen(order.stream_id), order)
        command, events, known = self._decide(connect, order, situation)
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
        work = Work(entry, recording.changes(order.stream_id, steps), is_new=is_new)
        return _Made(self._played(order, situation, entry.recorded, sealed, known), situation, work)

    def _decide(
        self, connect: Connect, order: Order, situation: Situation
    ) -> tuple[Command, tuple[Event, ...], LiveKnown]:
        self._log.damages.must_not_have(order.stream_id)
        if situation.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, situation.position}:
            raise PositionMustMatch(order.if_match, situation)
        command: Command = replace(order.command, by=_actor(situation.state, order))
        known = LiveKnown(connect, situation, self._vault, self._entropy)
        try:
            must_belong(command, situation.game)
            if isinstance(command, EraseValue):
                erasing.must_be_erasable(connect, self._log, situation, command)
            return command, situation.game.decide(situation.state, command, known), known
        except Refusal as refusal:
            raise Refused(refusal, situation, command.by) from refusal

    def _again(self, connect: Connect, situation: Situation, order: Order, decision: Recorded) -> Played:
        own = self._own(connect, situation, decision)
        if own is not None:
            made = situation.game.command_of(decision.event, decision.by, own.get)
            _must_be_the_same(made, order.command, tells=order.sees_cards or not decision.priv)
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

    def _still_told(self, order: Order, error: LogMustRunOn) -> Played:
        """Tell again what was recorded before the table's log ceased to hold, or raise *error*."""
        with reading(self._engine) as connection:
            situation = self._tables.now(connection, order.stream_id)
            decision = self._log.decision(connection, order.stream_id, command_id(order.asker, order.key))
            if situation is None or decision is None or decision.position > situation.position:
                raise error
            told = self._again(lambda: connection, situation, order, decision)
        self._writer.confirm(order.stream_id)
        return told

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


def _known(situation: Situation | None, order: Order) -> Situation:
    if situation is None or not sight.may_know(situation.state, order.asker, reads_all=order.reads_all):
        raise NoSuchTable(stream_name(order.stream_id))
    return situation


def _actor(state: TableState, order: Order) -> str:
    """Name the asker as the rules know them."""
    if order.asker == SERVICE:
        return SERVICE
    command = order.command
    if isinstance(command, TakeSeat) and command.player == order.asker:
        return PLAYER
    if command.FOR_HOST or isinstance(command, OpenTable | TakeSeat):
        if order.asker != (command.host if isinstance(command, OpenTable) else state.host):
            raise AskerMustBe(HOST)
        return HOST
    seat = seat_of(state, order.asker)
    if not seat:
        raise AskerMustBe(PLAYER)
    return seat_actor(seat)


def _must_be_the_same(recorded: Command, given: Command, *, tells: bool) -> None:
    """Compare what was recorded under a key with what is given under it now; *tells*: the asker may know what was.

    Raises:
        KeyMustBeNew: they differ; edition and sheet are the service's own and do not count.
    """
    if type(recorded) is not type(given):
        was = type_name(type(recorded)) if tells else "another"
        raise KeyMustBeNew("type", was, type_name(type(given)))
    ours: dict[str, Any] = structs.asdict(recorded)
    theirs: dict[str, Any] = structs.asdict(given)
    for member, value in theirs.items():
        if member not in {"by", "edition", "sheet"} and ours[member] != value:
            raise KeyMustBeNew(member, ours[member], value)
