"""The write path: one command in, its events recorded."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.entropy import Entropy
from service.games import GAMES
from service.games.commands import OpenTable, TakeSeat
from service.games.game import HOST, PLAYER, SERVICE, Command, Event, Refusal, seat_actor, type_name
from service.games.seating import author, must_belong
from service.games.table import TableState, seat_of
from service.log.codec import Recorded
from service.log.database import reading, writing
from service.log.leaf import command_id
from service.log.signer import Receipt, Signer
from service.log.silence import Silence
from service.log.store import CommandRecorded, Draft, Log, StalePosition, StreamExists, stream_name
from service.projections import hands, recording, sealing, sight
from service.projections.sight import CardOpening, ToldField
from service.projections.situations import Situation, Situations, Step, follow, new
from service.projections.vault import LiveKnown, Vault

ANYWHERE: Final = -1

_MOST_RACES: Final = 1_000
_PAGE: Final = 64


class Order(Struct, frozen=True, kw_only=True):
    """A *command* as *asker* wants it done at the table of *stream_id*, under an idempotency *key*.

    *if_match*: only while the table stands at this position. *reads_all*: the asker may know
    tables that are not public. *sees_cards*: the asker may be told what its seat sees.
    """

    stream_id: bytes
    asker: str
    key: str
    command: Command
    if_match: int = ANYWHERE
    reads_all: bool = False
    sees_cards: bool = True


class Played(Struct, frozen=True, kw_only=True):
    """A command that is recorded: its events, what its asker may see besides, and the receipt.

    The receipt is for the last of the events, whose hash binds all before it. *replayed*: it
    was recorded before, and is told again.
    """

    recorded: tuple[Recorded, ...]
    openings: tuple[CardOpening, ...]
    fields: tuple[ToldField, ...]
    receipt: Receipt
    replayed: bool


class NoSuchTable(Exception):
    """There is no such table, or none that the asker may know of."""


class TableIsImported(Exception):
    """The table was played elsewhere: here it is only read."""


class AskerMustBe(Exception):
    """Somebody else than the asker may do this: the table's *who*, "host" or "player"."""

    def __init__(self, who: str) -> None:
        super().__init__(who)
        self.who = who


class Refused(Exception):
    """The rules refused a command of *by* at the table in *situation*."""

    def __init__(self, refusal: Refusal, situation: Situation, by: str) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.situation = situation
        self.by = by


class PositionMustMatch(Exception):
    """The table in *situation* no longer stands where the asker thought."""

    def __init__(self, expected: int, situation: Situation) -> None:
        super().__init__(f"expected position {expected}, the table stands at {situation.position}")
        self.expected = expected
        self.situation = situation


class KeyMustBeNew(Exception):
    """The idempotency key stands for another command: *member* was *recorded*, and is *given* now."""

    def __init__(self, member: str, recorded: object, given: object) -> None:
        super().__init__(f"{member}: {recorded!r} was recorded under this key, {given!r} is given")
        self.member = member
        self.recorded = recorded
        self.given = given


class TooManyRaces(Exception):
    """Others were always first; nothing was recorded."""


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

    def do(self, order: Order) -> Played:
        """Record *order*'s command, or tell again what it recorded before.

        Raises:
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch, KeyMustBeNew: nothing was recorded.
            TooManyRaces: nothing was recorded; the same order may be made again.
            UnknownCommit: it may be recorded; the same order, made again, finds out.
        """
        looks = self._tables.seen(order.stream_id) is None
        for _ in range(_MOST_RACES):
            try:
                with writing(self._engine) as connection:
                    played, situation = self._attempt(connection, order, looks=looks)
            except (StalePosition, StreamExists, CommandRecorded):
                looks = True  # Somebody was first, or it is a repeat: decide again on what is there now.
                continue
            except (NoSuchTable, AskerMustBe, Refused, PositionMustMatch):
                if looks:
                    raise
                looks = True  # Nobody is refused for what was so a while ago.
                continue
            self._tables.keep(situation)
            return played
        raise TooManyRaces(stream_name(order.stream_id))

    def would(self, order: Order) -> None:
        """Find out whether *order* would be accepted now; nothing is recorded, and no consequence told.

        Raises:
            NoSuchTable, TableIsImported, AskerMustBe, Refused, PositionMustMatch: it would not.
        """
        with reading(self._engine) as connection:
            situation = self._tables.now(connection, order.stream_id)
            self._decide(connection, order, _known(situation, order))

    def _attempt(self, connection: Connection, order: Order, *, looks: bool) -> tuple[Played, Situation]:
        """Decide on the table as it was last seen here, or as it *looks* now.

        Nothing is recorded on what is old, nor twice: the log takes events only where the stream still
        stands where it was seen, and each command's id once.
        """
        cmd = command_id(order.asker, order.key)
        seen = self._tables.seen(order.stream_id)
        if seen is not None and not looks:
            return self._record(connection, order, _known(seen, order), cmd)
        after = seen.position if seen else 0
        rows = self._log.read(connection, order.stream_id, after, or_cmd=cmd)
        newer = [one for one in rows if one.position > after]
        situation = self._tables.folded(connection, seen, order.stream_id, newer)
        if situation is not None:
            self._tables.keep(situation)
            for one in rows:
                if one.cmd == cmd:
                    return self._again(connection, situation, order, one), situation
        elif isinstance(order.command, OpenTable):
            self._log.create(connection, order.stream_id)
            situation = new(order.stream_id, GAMES[order.command.game, order.command.edition])
        return self._record(connection, order, _known(situation, order), cmd)

    def _record(self, connection: Connection, order: Order, situation: Situation, cmd: str) -> tuple[Played, Situation]:
        command, events, known = self._decide(connection, order, situation)
        decision, *consequences = events
        secrets = sealing.secrets(situation.game.sealed(situation.state, command, known))
        drafts = [Draft(decision, author(command, decision), cmd, secrets=secrets)]
        drafts += [Draft(event, SERVICE, hidden=known.to_seal(event)) for event in consequences]
        recorded = self._log.append(connection, order.stream_id, situation.head, drafts)
        steps, sealed = [], situation.sealed
        for one in recorded:
            before, situation = situation, follow(situation, one)
            steps.append(Step(one, before.state, situation))
        recording.record(connection, order.stream_id, steps)
        return self._played(order, situation, recorded, sealed, known), situation

    def _decide(
        self, connection: Connection, order: Order, situation: Situation
    ) -> tuple[Command, tuple[Event, ...], LiveKnown]:
        if situation.imported_at:
            raise TableIsImported(stream_name(order.stream_id))
        if order.if_match not in {ANYWHERE, situation.position}:
            raise PositionMustMatch(order.if_match, situation)
        command: Command = replace(order.command, by=_actor(situation.state, order))
        known = LiveKnown(connection, situation, self._vault, self._entropy)
        try:
            must_belong(command, situation.game)
            return command, situation.game.decide(situation.state, command, known), known
        except Refusal as refusal:
            raise Refused(refusal, situation, command.by) from refusal

    def _again(self, connection: Connection, situation: Situation, order: Order, decision: Recorded) -> Played:
        own = {one.field: one.value for one in self._log.openings(connection, order.stream_id, [decision])}
        made = situation.game.command_of(decision.event, decision.by, own.get)
        _must_be_the_same(made, order.command, tells=order.sees_cards or not decision.priv)
        recorded = (decision, *self._consequences(connection, order.stream_id, decision.position))
        known = LiveKnown(connection, situation, self._vault, self._entropy)
        sealed = hands.silence_before(connection, self._log, situation, decision.position)
        return self._played(order, situation, recorded, sealed, known, replayed=True)

    def _consequences(self, connection: Connection, stream_id: bytes, position: int) -> Iterable[Recorded]:
        while page := self._log.read(connection, stream_id, position, limit=_PAGE):
            consequences = tuple(takewhile(lambda one: not one.cmd, page))
            yield from consequences
            if len(consequences) < _PAGE:
                return
            position = page[-1].position

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
