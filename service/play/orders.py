"""Orders: what a caller wants done at a table, what comes of it, and why nothing may."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct, structs

from service.event_store.codec import RecordedEvent
from service.event_store.entries import stream_name
from service.games.common_commands import DeclineInvitation, OpenTable, TakeSeat
from service.games.game import HOST, PLAYER, SERVICE, Command, Refusal, seat_actor, type_name
from service.games.table_state import TableState, seat_of
from service.secrets.receipts import Receipt
from service.tables import visibility
from service.tables.fold import TableAt
from service.tables.visibility import CardOpening, DisclosedField

ANYWHERE: Final = -1


class Order(Struct, frozen=True, kw_only=True):
    """A *command* as *caller* wants it done at the table of *stream_id*, under an idempotency *key*.

    *if_match*: only while the table stands at this position. *reads_all*: the caller may know
    tables that are not public. *sees_cards*: the caller may be told what its seat sees.
    """

    stream_id: bytes
    caller: str
    key: str
    command: Command
    if_match: int = ANYWHERE
    reads_all: bool = False
    sees_cards: bool = True


class CommandResult(Struct, frozen=True, kw_only=True):
    """A command that is recorded: its events, what its caller may see besides, and the receipt.

    The receipt is for the last of the events, whose hash binds all before it. *replayed*: it
    was recorded before, and is told again.
    """

    recorded: tuple[RecordedEvent, ...]
    openings: tuple[CardOpening, ...]
    fields: tuple[DisclosedField, ...]
    receipt: Receipt
    replayed: bool


class NoSuchTable(Exception):
    """There is no such table, or none that the caller may know of."""


class TableIsImported(Exception):
    """The table was played elsewhere: here it is only read."""


class CallerMustBe(Exception):
    """Somebody else than the caller may do this: the table's *who*, "host" or "player"."""

    def __init__(self, who: str) -> None:
        super().__init__(who)
        self.who = who


class Refused(Exception):
    """The rules refused a command of *by* at the table in *table_at*."""

    def __init__(self, refusal: Refusal, table_at: TableAt, by: str) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.table_at = table_at
        self.by = by


class PositionMustMatch(Exception):
    """The table in *table_at* no longer stands where the caller thought."""

    def __init__(self, expected: int, table_at: TableAt) -> None:
        super().__init__(f"expected position {expected}, the table stands at {table_at.position}")
        self.expected = expected
        self.table_at = table_at


class KeyMustBeNew(Exception):
    """The idempotency key stands for another command: *member* was *recorded*, and is *given* now."""

    def __init__(self, member: str, recorded: object, given: object) -> None:
        super().__init__(f"{member}: {recorded!r} was recorded under this key, {given!r} is given")
        self.member = member
        self.recorded = recorded
        self.given = given


class TooManyRaces(Exception):
    """Others were always first; nothing was recorded."""


@contextmanager
def refusing(table_at: TableAt, command: Command) -> Iterator[None]:
    """Tell with a refusal by the rules whose command it was, and at which table."""
    try:
        yield
    except Refusal as refusal:
        raise Refused(refusal, table_at, command.by) from refusal


def must_be_known(table_at: TableAt | None, order: Order) -> TableAt:
    """Return *table_at* where the caller of *order* may know of the table.

    Raises:
        NoSuchTable: there is none, or none that the caller may know of.
    """
    if table_at is None or not visibility.may_know(table_at.state, order.caller, reads_all=order.reads_all):
        raise NoSuchTable(stream_name(order.stream_id))
    return table_at


def actor(state: TableState, order: Order) -> str:
    """Name the caller as the rules know them.

    Raises:
        CallerMustBe: somebody else may do what *order* wants.
    """
    if order.caller == SERVICE:
        return SERVICE
    command = order.command
    if isinstance(command, TakeSeat | DeclineInvitation) and command.player == order.caller:
        return PLAYER
    if command.FOR_HOST or isinstance(command, OpenTable | TakeSeat):
        if order.caller != (command.host if isinstance(command, OpenTable) else state.host):
            raise CallerMustBe(HOST)
        return HOST
    seat = seat_of(state, order.caller)
    if not seat:
        raise CallerMustBe(PLAYER)
    return seat_actor(seat)


def must_be_the_same(recorded: Command, given: Command, *, may_show: bool) -> None:
    """Compare what was recorded under a key with what is given under it now; *may_show*: the error may show what was.

    Raises:
        KeyMustBeNew: they differ; edition and sheet are the service's own and do not count.
    """
    if type(recorded) is not type(given):
        was = type_name(type(recorded)) if may_show else "another"
        raise KeyMustBeNew("type", was, type_name(type(given)))
    ours: dict[str, Any] = structs.asdict(recorded)
    theirs: dict[str, Any] = structs.asdict(given)
    for member, value in theirs.items():
        if member not in {"by", "edition", "sheet"} and ours[member] != value:
            raise KeyMustBeNew(member, ours[member], value)
