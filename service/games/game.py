"""The interface of a game: commands, events, refusals, and the inputs of its rules (DECISIONS 1, 4, 29, 32 and 49)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

from msgspec import Meta, Struct

from service.cards import Face
from service.deck import Deck
from service.games.payouts import Payout
from service.games.sample_tables import SampleTables
from service.ledger import Transfer

HOST = "host"
SERVICE = "service"
PLAYER = "player"  # a player without a seat at the table

MOST_CHIPS = 1_000_000_000
MOST_SEATS = 52  # as many as the pack has cards

Seat = Annotated[int, Meta(ge=1, le=MOST_SEATS, description="A seat's number, clockwise from 1.")]
Chips = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="A whole number of chips.")]
Position = Annotated[
    int,
    Meta(ge=0, description="A card's position in its shuffled deck; 0: the top.", extra_json_schema={"maximum": 255}),
]
CARD = "^[2-9TJQKA][cdhs]$"
CARD_OR_NONE = "^([2-9TJQKA][cdhs])?$"


def seat_actor(seat: int) -> str:
    """Return the actor name of the player in *seat*: "seat:<n>"."""
    return f"seat:{seat}"


def acting_seat(actor: str) -> int:
    """Return the seat of *actor*, or 0 for the host, the service and a player without a seat."""
    return int(actor[5:]) if actor.startswith("seat:") else 0


@cache
def type_name(cls: type) -> str:
    """Return the name of the class *cls* in the log and the API, such as `upping_offered` for `UppingOffered`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Command(Struct, frozen=True, kw_only=True):
    """A command of the actor *by*: "seat:<n>", "host", "service" or "player".

    FOR_HOST: whether the command is for the table's host and not for a player. FROM_CALLER: the members that the
    service fills in from the caller; the schema of a request does not have these members. IS_RARE: whether a player who
    chooses at random should rarely choose the command, because it is no move in a hand, or ends the player's game.
    """

    FOR_HOST: ClassVar[bool] = False
    IS_RARE: ClassVar[bool] = False
    FROM_CALLER: ClassVar[tuple[str, ...]] = ("by",)

    by: str


# gc=False: the garbage collector may skip events and states: they are immutable, so they cannot form reference cycles.
class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """An event, with every fact that is needed to fold the event.

    The members of an event are public: the leaf shows them to everybody who may see the table.
    The leaf omits a member that has its default value.
    """

    VERSION: ClassVar[int] = 1

    transfers: tuple[Transfer, ...] = ()


class Decision(Event, frozen=True, kw_only=True):
    """A decision of a player, of the host, or of the service, which decides when time is called and erases values."""


class TimedDecision(Decision, frozen=True, kw_only=True):
    """A decision of a player or, if time is called, of the service (G.3); *called* says who called time."""

    called: Annotated[
        Literal["", "host", "limit"],
        Meta(description="Who called time, so that the service decided: the host or the time limit; empty: nobody."),
    ] = ""


class Consequence(Event, frozen=True, kw_only=True):
    """An event that follows from a decision by the rules."""


class Refusal(Exception):
    """The rules do not allow a command; nothing is recorded.

    *code* names, in snake case, the condition that the command must meet; a code never changes. *rule* cites the
    author's sheet, and *ruling* one of our rulings (`rulings.py`, `common_rulings.py`). *detail* is a text for people.
    """

    def __init__(self, code: str, *, rule: str = "", ruling: str = "", detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.rule = rule
        self.ruling = ruling
        self.detail = detail


class Secret(Struct, frozen=True, kw_only=True):
    """The *value* of a sealed field of a decision, as JSON, and the seats that may read the value (G.1, log/v1).

    The seats in *to* may read the value immediately. *shown* names further seats, by type of event: these seats may
    read the value from the first event of that type on. Everybody may read the value from the first event of a type in
    *open* on. After an event of a type in *never*, no further seat may ever read the value.
    """

    value: Any
    to: tuple[int, ...]
    open: tuple[type[Event], ...]
    never: tuple[type[Event], ...] = ()
    shown: Mapping[type[Event], tuple[int, ...]] = {}


SealedFields: TypeAlias = Callable[[str], Any]
"""Returns the value that a decision sealed under a field, or None if there is no value or it stays sealed for good."""


class Known(Protocol):
    """The hidden inputs of the rules: values that the log does not show when a command is decided.

    While a table is played, these inputs come from the sealed store and the random source; in an audit, they come from
    the values that the log has made public. Within one command the same call always returns the same value.
    """

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return the last value that *seat* sealed under *field* before the current command."""
        ...

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of *epoch*, the deck to which the rules commit in this command."""
        ...

    def deck(self, epoch: str) -> Deck:
        """Return the order, salts and root of the deck of *epoch*, to which the rules have already committed."""
        ...

    def server_seed(self, epoch: str) -> str:
        """Return the seed, in hex, of the deck of *epoch*, which the rules reveal in this command."""
        ...


class Bound(Struct, frozen=True):
    """The range of a command's *member*: *least* to *most*."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """The values that a command's *member* may have: a list of any *count* different faces of *among*.

    If *count* is 0, the value is one face of *among*, not a list.
    """

    member: str
    among: tuple[Face, ...]
    count: int = 0


class Action(Struct, frozen=True):
    """A *command* that the rules would accept now, and the other values that its members may have.

    Each of the *bounds* and *choices* gives the values of one member, and these values may be combined freely. The
    members in *to_fill* have an example value, which the client must replace.
    """

    command: Command
    rule: str
    ruling: str = ""
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()
    to_fill: tuple[str, ...] = ()


class Sheet(Struct, frozen=True):
    """A game's rule sheet: its title, author, year (0: unknown), and the SHA-256 of the text that we follow.

    *credited* has the words between the title and the author's name, wherever the game is shown (G.8).
    """

    title: str
    author: str
    year: int
    sha256: str
    credited: str = "a card game by"


class SeatRange(Struct, frozen=True):
    """How many seats a table of a game may have: *least* to *most*, and *default* if the host names no number."""

    least: int
    most: int
    default: int


Evolve: TypeAlias = Callable[[Any, Any], Any]
"""Returns the state after an event; a pure function of state and event."""


class Accept(Protocol):
    """Checks a command by the rules without computing its consequences, for dry runs."""

    def __call__(self, state: Any, command: Any, viewpoint: "Viewpoint", /) -> None:  # noqa: ANN401 -- each game has its own class for states
        """Check a *command* exactly as `decide` does, from the *viewpoint* of its caller.

        Raises:
            Refusal: the rules do not allow the command.
        """
        ...


class Decide(Protocol):
    """Decides a command by the rules.

    A caller that already has the state after each event may pass an *evolve* that returns these states.
    """

    def __call__(self, state: Any, command: Any, known: Known, evolve: Evolve = ..., /) -> tuple[Event, ...]:  # noqa: ANN401 -- each game has its own class for states
        """Return the decision that *command* makes, and its consequences.

        Raises:
            Refusal: the rules do not allow the command.
        """
        ...


class Explain(Protocol):
    """Gives the reason for each transfer of an event."""

    def __call__(self, event: Any, before: Sequence[Any] = (), /) -> tuple[Payout, ...]:  # noqa: ANN401 -- each game has its own events
        """Return the payouts of *event*; *before* has the earlier events of the same hand."""
        ...


class Game(Struct, frozen=True):
    """One edition of a game: all that the rest of the service uses of the game. All functions of a game are pure."""

    name: str
    edition: int
    sheet: Sheet
    summary: str
    seats: SeatRange
    options: type[Struct]
    sample_tables: SampleTables
    rulings: Mapping[str, str]
    commands: tuple[type[Command], ...]
    events: tuple[type[Event], ...]
    new: Callable[[str], Any]
    """Returns the state before the first event, for the table with this id."""
    accept: Accept
    decide: Decide
    evolve: Evolve
    command_of: Callable[[Any, str, SealedFields], Command]
    """Returns the command that led to a decision, from the decision, its actor and its sealed fields."""
    sealed: Callable[[Any, Any, Known], Mapping[str, Secret]]
    """Returns, by field, the values that an accepted command seals; the state is the state before the command."""
    sealed_types: tuple[Any, ...]
    """The types of the values of sealed fields."""
    due: Callable[[Any], tuple[str, ...]]
    """Returns the actors whose decisions are due: "seat:<n>" or "host"."""
    actions: Callable[[Any, str, "Viewpoint"], tuple[Action, ...]]
    """Lists the actions that an actor may take now, computed from the actor's viewpoint."""
    visible: Callable[[Any, int, bool], frozenset[int]]
    """Returns the allow-list: the positions of the deck in play whose faces a seat (0: everybody) may see.

    The flag is true for the present table, and false for a view of the past.
    """
    view: Callable[[Any, "Viewpoint"], Struct]
    """Returns the game's own part of the view of a table; the viewpoint hides every face outside the allow-list."""
    view_type: type[Struct]
    explain: Explain
    """Returns the payouts of an event, each with its reason."""


class Viewpoint(Protocol):
    """The faces and sealed values that one caller may see at a table."""

    def face(self, position: int) -> Face:
        """Return the face at *position* of the deck in play, or `??` if the caller may not see the face."""
        ...

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return the last value that *seat* sealed under *field*, or None if the caller may not read the value."""
        ...


def nothing_sealed(_state: object, _command: object, _known: object) -> Mapping[str, Secret]:
    """Return no sealed fields, for a game in which every choice is public."""
    return {}
