"""Orders: a caller's command at a table, the result, and the errors after which the command is not recorded."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, structs

from service.event_store.codec import RecordedEvent
from service.event_store.entries import Secret, stream_name
from service.event_store.leaf import MoveSignature
from service.games.common_commands import DeclineInvitation, OpenTable, TakeSeat
from service.games.game import HOST, PLAYER, SERVICE, Command, Event, Refusal, seat_actor, type_name
from service.games.table_state import TableState, seat_of
from service.secrets.receipts import Receipt
from service.tables import visibility
from service.tables.fold import TableAt
from service.tables.visibility import CardOpening, DisclosedField

ANYWHERE: Final = -1


class Blind(Struct, frozen=True, forbid_unknown_fields=True):
    """The *blind* (64 hex digits) that the caller has drawn for the value of a sealed *field*."""

    field: Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64, description="The sealed field.", examples=["bid"])]
    blind: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            max_length=64,
            description="32 random bytes, as 64 hex digits. Draw new ones for each field of each action.",
            examples=["9f" * 32],
        ),
    ]


class Signature(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The caller's signature of an action (log/v1); needed if the caller's seat has a signing key (G.13)."""

    position: Annotated[
        int,
        Meta(
            ge=1,
            le=2**31 - 1,
            description="The position of the event on which the seat signs: `sign_from` or a later event.",
            examples=[17],
        ),
    ]
    head_hash: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            max_length=64,
            description="The hash of the leaf at `position`.",
            examples=["5a" * 32],
        ),
    ]
    signature: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{128}$",
            max_length=128,
            description="The Ed25519 signature of the action by the seat's signing key; if the action registers a key, "
            "by the new key.",
            examples=["c3" * 64],
        ),
    ]
    previous: Annotated[
        str,
        Meta(
            pattern="^([0-9a-f]{128})?$",
            max_length=128,
            description="If the action registers another key: the signature of the same text by the present key.",
        ),
    ] = ""
    blinds: Annotated[
        tuple[Blind, ...], Meta(max_length=8, description="A blind for each field that the action seals.")
    ] = ()


class Order(Struct, frozen=True, kw_only=True):
    """A *command* that *caller* gives at the table of *stream_id*, under an idempotency *key*.

    *signature*: the caller's signature of the command. *if_match*: the position at which the table must be; ANYWHERE:
    any position. *reads_all*: the caller may know of every private table. *sees_cards*: the caller may see the cards
    and sealed fields that its seat may see.
    """

    stream_id: bytes
    caller: str
    key: str
    command: Command
    signature: Signature | None = None
    if_match: int = ANYWHERE
    reads_all: bool = False
    sees_cards: bool = True


class CommandResult(Struct, frozen=True, kw_only=True):
    """A recorded command: its events, the openings that its caller may see, and the receipt.

    The receipt is for the last event, whose hash covers all earlier events. *replayed*: the command is a repeat, and
    this is its earlier result.
    """

    recorded: tuple[RecordedEvent, ...]
    openings: tuple[CardOpening, ...]
    fields: tuple[DisclosedField, ...]
    receipt: Receipt
    replayed: bool


class FieldToSeal(Struct, frozen=True):
    """A *field* that a command would seal, and its *value* (JSON)."""

    field: Annotated[str, Meta(pattern="^[a-z_]+$", description="The field to seal.")]
    value: Annotated[Any, Meta(description="The value that the command gives the field.")]


class WouldSeal(Struct, frozen=True):
    """What a command would seal: a player who signs the command signs hashes of these values (G.13)."""

    decision: Annotated[str, Meta(description="The type of the event that would be recorded.")]
    fields: Annotated[
        tuple[FieldToSeal, ...], Meta(min_length=1, max_length=8, description="The fields, with their values.")
    ]


class NoSuchTable(Exception):
    """There is no such table, or the caller may not know of the table."""


class TableIsImported(Exception):
    """The table was imported from another service, and is read-only here."""


class CallerMustBe(Exception):
    """Only the role *who*, "host" or "player" of this table, may give the command, and the caller has another role."""

    def __init__(self, who: str) -> None:
        super().__init__(who)
        self.who = who


class Refused(Exception):
    """The rules refused a command by the actor *by* at the table *table_at*."""

    def __init__(self, refusal: Refusal, table_at: TableAt, by: str) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.table_at = table_at
        self.by = by


class PositionMustMatch(Exception):
    """The table *table_at* is not at the position that the caller *expected*."""

    def __init__(self, expected: int, table_at: TableAt) -> None:
        super().__init__(f"expected position {expected}, the table is at {table_at.position}")
        self.expected = expected
        self.table_at = table_at


class KeyMustBeNew(Exception):
    """The idempotency key was used for another command, or for the same command with another signature.

    *member* names a member in which the two commands differ. *recorded* is the member's value in the earlier command,
    and *given* its value in this command. If a value must not be shown, a word such as "another" stands in its place.
    """

    def __init__(self, member: str, recorded: object, given: object) -> None:
        super().__init__(f"{member}: {recorded!r} was recorded under this key, {given!r} is given")
        self.member = member
        self.recorded = recorded
        self.given = given


class TooManyRaces(Exception):
    """Every attempt failed, most often because another command was recorded first; this command was not recorded."""


@contextmanager
def refusing(table_at: TableAt, command: Command) -> Iterator[None]:
    """Turn a refusal by the rules into `Refused`, with the table and the actor of *command*.

    Raises:
        Refused: the rules refused *command*.
    """
    try:
        yield
    except Refusal as refusal:
        raise Refused(refusal, table_at, command.by) from refusal


def would_seal(decision: Event | None, secrets: Mapping[str, Secret]) -> WouldSeal | None:
    """Return what *decision* with *secrets* would seal, or None if it would seal nothing."""
    if decision is None or not secrets:
        return None
    fields = tuple(FieldToSeal(field, secret.value) for field, secret in secrets.items())
    return WouldSeal(type_name(type(decision)), fields)


def must_be_known(table_at: TableAt | None, order: Order) -> TableAt:
    """Return *table_at* if the caller of *order* may know of the table.

    Raises:
        NoSuchTable: there is no such table, or the caller may not know of the table.
    """
    if table_at is None or not visibility.may_know(table_at.state, order.caller, reads_all=order.reads_all):
        raise NoSuchTable(stream_name(order.stream_id))
    return table_at


def actor(state: TableState, order: Order) -> str:
    """Return the caller's role at the table: the service, the host, a player without a seat, or a seat.

    Raises:
        CallerMustBe: the caller may not give this command.
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
    """Check that the commands *recorded* and *given* under one idempotency key are the same command.

    *may_show*: the error may show the type of the recorded command. The members `by`, `edition` and `sheet` are not
    compared, because the service sets them.

    Raises:
        KeyMustBeNew: the commands differ.
    """
    if type(recorded) is not type(given):
        was = type_name(type(recorded)) if may_show else "another"
        raise KeyMustBeNew("type", was, type_name(type(given)))
    ours: dict[str, Any] = structs.asdict(recorded)
    theirs: dict[str, Any] = structs.asdict(given)
    for member, value in theirs.items():
        if member not in {"by", "edition", "sheet"} and ours[member] != value:
            raise KeyMustBeNew(member, ours[member], value)


def must_be_signed_the_same(recorded: MoveSignature | None, given: Signature | None) -> None:
    """Check that the signatures *recorded* and *given* under one idempotency key are the same signature.

    Raises:
        KeyMustBeNew: the signatures differ, or only one of them exists.
    """
    ours: dict[str, Any] = structs.asdict(recorded) if recorded else {}
    theirs: dict[str, Any] = structs.asdict(given) if given else {}
    for member in MoveSignature.__struct_fields__:
        if ours.get(member) != theirs.get(member):
            raise KeyMustBeNew("sig", ours.get(member), theirs.get(member))
