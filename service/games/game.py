"""What every game is made of: commands, events, refusals, and what its rules must be told."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

from msgspec import Meta, Struct

from service.cards import Face
from service.deck import Deck
from service.games.payouts import Payout
from service.ledger import Transfer

HOST = "host"
SERVICE = "service"
PLAYER = "player"  # somebody who has no seat at the table yet

MOST_CHIPS = 1_000_000_000

Seat = Annotated[int, Meta(ge=1, le=52, description="A seat's number, clockwise from 1.")]
Chips = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="A whole number of chips.")]
Position = Annotated[
    int,
    Meta(ge=0, description="A card's place in its deck's order; 0 is the top.", extra_json_schema={"maximum": 255}),
]
CARD = "^[2-9TJQKA][cdhs]$"
CARD_OR_NONE = "^([2-9TJQKA][cdhs])?$"


def seat_actor(seat: int) -> str:
    """Name the player of *seat* as one who acts: "seat:<n>"."""
    return f"seat:{seat}"


def acting_seat(actor: str) -> int:
    """Return the seat of *actor*; 0 for the host, the service and those without a seat."""
    return int(actor[5:]) if actor.startswith("seat:") else 0


@cache
def type_name(cls: type) -> str:
    """Return the name that *cls* has in the log and the API: UppingOffered is `upping_offered`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Command(Struct, frozen=True, kw_only=True):
    """Something that *by* wants done: "seat:<n>", "host", "service" or "player".

    FOR_HOST: it is the table's host who may want it, not a player. FROM_ASKER: members that no request has; they follow
    from who asks.
    """

    FOR_HOST: ClassVar[bool] = False
    FROM_ASKER: ClassVar[tuple[str, ...]] = ("by",)

    by: str


# Facts and states never change, so that none can come to hold itself: the garbage collector need not look (gc=False).
class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Something that has happened, with every fact that made it so.

    Its members are public: they are what the leaf shows to all who may see the table.
    A member at its default is left out of the leaf.
    """

    VERSION: ClassVar[int] = 1

    transfers: tuple[Transfer, ...] = ()


class Decision(Event, frozen=True, kw_only=True):
    """What a player, the host or, when time was called, the service chose."""


class TimedDecision(Decision, frozen=True, kw_only=True):
    """A decision that the service makes once time is called (G.3); *called* names who called it."""

    called: Annotated[
        Literal["", "host", "limit"],
        Meta(description="Who called time, so that the service decided: the host or the time limit; empty: nobody."),
    ] = ""


class Consequence(Event, frozen=True, kw_only=True):
    """What the rules made of a decision."""


class Refusal(Exception):
    """The rules do not allow a command; nothing is recorded.

    *code* says what must hold, in snake case, and never changes; *rule* is the sheet's,
    *ruling* ours (`rulings.md`); *detail* is for people.
    """

    def __init__(self, code: str, *, rule: str = "", ruling: str = "", detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.rule = rule
        self.ruling = ruling
        self.detail = detail


class Secret(Struct, frozen=True, kw_only=True):
    """The *value* of a sealed field of a decision, as JSON has it, and who reads it when (G.1, log/v1).

    Seats *to* read it at once; the seats that *shown* names for a type of event from the first such event on; everybody
    from the first event of a type in *open* on; and after one of a type in *never* nobody else ever does.
    """

    value: Any
    to: tuple[int, ...]
    open: tuple[type[Event], ...]
    never: tuple[type[Event], ...] = ()
    shown: Mapping[type[Event], tuple[int, ...]] = {}


SealedFields: TypeAlias = Callable[[str], Any]
"""What a decision sealed under a field, by the field's name; None: nothing, or it stays sealed for good."""


class Known(Protocol):
    """What the rules need and the log does not show.

    Live it comes from the sealed store and the source of chance, in an audit from what
    was revealed. Within one command the same question always has the same answer.
    """

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*, before the command that is decided now."""
        ...

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of a deck about to be opened."""
        ...

    def deck(self, epoch: str) -> Deck:
        """Return the deck of an opened *epoch*: its order, salts and root."""
        ...

    def server_seed(self, epoch: str) -> str:
        """Return the seed of a retired deck, as hex, to be revealed."""
        ...


class Bound(Struct, frozen=True):
    """The *least* and the *most* that *member* of a command may be."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """What *member* of a command may be: any *count* different ones of those *among* which to choose, as a list.

    With *count* 0 it is one of them, by itself.
    """

    member: str
    among: tuple[Face, ...]
    count: int = 0


class Action(Struct, frozen=True):
    """A *command* that would be accepted now, ready to be made, and what else it may hold.

    Each of *bounds* and *choices* is about another member, and may be used whatever the others are. Members that
    *to_fill* names hold an example: whoever makes the command puts their own value there.
    """

    command: Command
    rule: str
    ruling: str = ""
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()
    to_fill: tuple[str, ...] = ()


class Sheet(Struct, frozen=True):
    """A game's rule sheet: who wrote it, when, and the SHA-256 of the text that was followed."""

    title: str
    author: str
    year: int
    sha256: str


class SeatRange(Struct, frozen=True):
    """How many seats a table of a game may have."""

    least: int
    most: int
    default: int


Evolve: TypeAlias = Callable[[Any, Any], Any]
"""Remembers an event in a state: the same state and event give the same, whoever asks."""


class Accept(Protocol):
    """The checks of the rules alone: what a dry run asks."""

    def __call__(self, state: Any, command: Any, viewpoint: "Viewpoint", /) -> None:  # noqa: ANN401 -- a state is its game's own
        """Pass a *command* that `decide` would accept; its checks know the state and what the caller sees.

        Raises:
            Refusal: the rules do not allow it.
        """
        ...


class Decide(Protocol):
    """The rules: what comes of a command. *evolve* may know what comes of events without folding them again."""

    def __call__(self, state: Any, command: Any, known: Known, evolve: Evolve = ..., /) -> tuple[Event, ...]:  # noqa: ANN401 -- a state is its game's own
        """Return the decision that *command* makes, and all that follows from it at once.

        Raises:
            Refusal: the rules do not allow it.
        """
        ...


class Explain(Protocol):
    """Why an event moves what it moves."""

    def __call__(self, event: Any, before: Sequence[Any] = (), /) -> tuple[Payout, ...]:  # noqa: ANN401 -- of any game
        """Return the payouts that *event* holds; *before* are the events of its hand that came before it."""
        ...


class Game(Struct, frozen=True):
    """One edition of a game, as the rest of the service meets it. All of it is pure."""

    name: str
    edition: int
    sheet: Sheet
    summary: str
    seats: SeatRange
    options: type[Struct]
    rulings: Mapping[str, str]
    commands: tuple[type[Command], ...]
    events: tuple[type[Event], ...]
    new: Callable[[str], Any]
    """The state of a table, by its id, before its first event."""
    accept: Accept
    decide: Decide
    evolve: Evolve
    command_of: Callable[[Any, str, SealedFields], Command]
    """The command that a decision (and who made it, and what it sealed) came from."""
    sealed: Callable[[Any, Any, Known], Mapping[str, Secret]]
    """What the decision seals that a command makes, by field; the state is the one before it, and it was accepted."""
    sealed_types: tuple[Any, ...]
    """Of which types the values of sealed fields are."""
    due: Callable[[Any], tuple[str, ...]]
    """Whose decision is awaited: "seat:<n>" or "host"."""
    actions: Callable[[Any, str, "Viewpoint"], tuple[Action, ...]]
    """All that an actor may do now, made out from what the actor sees."""
    visible: Callable[[Any, int, bool], frozenset[int]]
    """The allow-list: the positions of the deck in play whose faces a seat (0: everybody) may see.

    The flag tells the table as it stands from a view of the past.
    """
    view: Callable[[Any, "Viewpoint"], Struct]
    """What is particular to the game in the view of a table; what it hides is asked of the allow-list."""
    view_type: type[Struct]
    explain: Explain
    """The payouts that an event holds, each with its reason."""


class Viewpoint(Protocol):
    """What one caller sees of a table, and nothing else."""

    def face(self, position: int) -> Face:
        """Return the face at a *position* of the deck in play; `??` where the caller may not see it."""
        ...

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*; None where the caller may not read it."""
        ...


def nothing_sealed(_state: object, _command: object, _known: object) -> Mapping[str, Secret]:
    """Seal nothing, as in a game in which all choices are made openly."""
    return {}
