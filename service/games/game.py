"""The base types of games: commands, events, refusals, and the inputs of the rules (DECISIONS 1, 4, 29, 32 and 49)."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Meta, Struct

from service.cards import Face
from service.games.common_refusals import Condition
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
SomeType: TypeAlias = Any
"""The type of a command, an event or a state in a table whose rows have different types.

It is `Any`, because Python's types cannot say that all functions of one row have the same type.
"""

CARD = "^[2-9TJQKA][cdhs]$"
CARD_OR_NONE = "^([2-9TJQKA][cdhs])?$"


def describe(description: str, least: int | None = None, most: int | None = None, *, form: str = "") -> Meta:
    """Return a member's description, with an integer's range (*least* to *most*) or a string's pattern (*form*).

    The service documents the range and the pattern, but does not check values against them: a recorded event must stay
    readable if a range or a pattern changes.
    """
    schema = {"minimum": least, "maximum": most, "pattern": form}
    constraints = {name: value for name, value in schema.items() if value not in {None, ""}}
    return Meta(description=description, extra_json_schema=constraints or None)


def describe_enum(values: type[Enum], description: str) -> Meta:
    """Return the description of a string whose possible values are the values of the enum *values*."""
    return Meta(description=description, extra_json_schema={"enum": [member.value for member in values]})


_SEAT_ACTOR = re.compile("seat:[1-9][0-9]*", re.ASCII)


def seat_actor(seat: int) -> str:
    """Return the actor name of the player in *seat*: "seat:<n>"."""
    return f"seat:{seat}"


# With the cache a call takes 0.04 µs instead of 0.32, and deciding again takes 1 % less time. The cache is bounded
# because a forged log may have any number of actor names.
@lru_cache(maxsize=1024)
def acting_seat(actor: str) -> int:
    """Return the seat of *actor*, or 0 for the host, the service and a player without a seat."""
    return int(actor[5:]) if _SEAT_ACTOR.fullmatch(actor) else 0


@cache
def type_name(cls: type) -> str:
    """Return the name of the class *cls* in the log and the API, such as `cards_dealt` for `CardsDealt`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Command(Struct, frozen=True, kw_only=True):
    """A command of the actor *by*: "seat:<n>", "host", "service" or "player".

    FOR_HOST: whether the command is for the table's host and not for a player. FROM_CALLER: the members that the
    service fills in from the caller; the schema of a request does not have these members. IS_RARE: whether a player who
    chooses at random should rarely choose the command, because the command is no part of playing a hand, or ends
    the player's game.
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
    """A decision of a player, of the host, or of the service.

    The service makes a decision when time is called, and when a value is erased.
    """


class TimedDecision(Decision, frozen=True, kw_only=True):
    """A decision of a player or, if time is called, of the service (G.3); *called* says who called time."""

    called: Annotated[
        Literal["", "host", "limit"],
        Meta(description="Who called time, so that the service decided: the host or the time limit; empty: nobody."),
    ] = ""


class Consequence(Event, frozen=True, kw_only=True):
    """An event that follows from a decision by the rules."""


class Refusal(Exception):
    """The rules do not allow a command, because it does not meet a *condition*; nothing is recorded.

    *detail* is a text for people (default: the condition's sentence). *rule* and *ruling* must be a citation that the
    condition declares (default: its only citation).
    """

    def __init__(self, condition: Condition, detail: str = "", *, rule: str = "", ruling: str = "") -> None:
        self.code = condition.code
        self.detail = detail or condition.sentence
        self.rule, self.ruling = condition.citation(rule, ruling)
        super().__init__(f"{self.code}: {self.detail}")


class Secret(Struct, frozen=True, kw_only=True):
    """The *value* of a sealed field of a decision, and the seats that may read the value (G.1, log/v1).

    The seats in *to* may read the value immediately. *shown* names further seats, by type of event: these seats may
    read the value from the first event of that type on. Everybody may read the value from the first event of a type in
    *open* on. After an event of a type in *never*, no seat gains the right to read the value.
    """

    value: object
    to: tuple[int, ...]
    open: tuple[type[Event], ...]
    never: tuple[type[Event], ...] = ()
    shown: Mapping[type[Event], tuple[int, ...]] = {}


SealedFields: TypeAlias = Callable[[str], object]
"""Returns the value, as JSON, that a decision sealed under a field.

The function returns None if the decision sealed no such value, or if the value is closed for good.
"""


ClientSeeds: TypeAlias = Mapping[int, str]
"""The seeds of players, in hex, by seat (G.9)."""
NO_SEEDS: ClientSeeds = {}


class OrderCommitment(NamedTuple):
    """The commitment to a deck's order: the *transcript* of the shuffle, and the *root* over the salted cards (hex)."""

    transcript: str
    root: str


class SaltedFace(Struct, frozen=True, gc=False):
    """The card at *pos* of a deck: its *face*, and the *salt* (hex) with which the deck's root commits to the face."""

    pos: int
    face: Face
    salt: str


class Known(Protocol):
    """The hidden inputs of the rules: values that the log does not show when a command is decided.

    While a table is played, these inputs come from the sealed store and the random source; in an audit, they come from
    the values that the log has made public. Within one command the same call always returns the same value.
    """

    def sealed(self, seat: int, field: str) -> object:
        """Return the last value that *seat* sealed under *field* before the current command, as JSON."""
        ...

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of the deck of *epoch*, which the rules put in reserve in this command."""
        ...

    def order_commitment(self, epoch: str, seeds: ClientSeeds = NO_SEEDS) -> OrderCommitment:
        """Return the commitment to the order of the deck of *epoch*, which the rules fix in this command.

        The rules have committed to the deck's seed earlier. *seeds* are the players' seeds that go into the order.
        """
        ...

    def faces(self, epoch: str, positions: Sequence[int]) -> tuple[SaltedFace, ...]:
        """Return the cards at *positions* of the deck of *epoch*, in the order of *positions*."""
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
    """The values that a command's *member* may have: every list of *count* different faces that are in *among*.

    If *count* is 0, the value is not a list but one face that is in *among*.
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

    *rules* are its rules in our words, by the names that transfers, tests and decisions of disputes cite: numbers,
    "option <n>", or headings. *credited* has the words between the title and the author's name, wherever the game is
    shown (G.8).
    """

    title: str
    author: str
    year: int
    sha256: str
    rules: Mapping[str, str]
    credited: str = "a card game by"


class SeatRange(Struct, frozen=True):
    """How many seats a table of a game may have: *least* to *most*, and *default* if the host names no number."""

    least: int
    most: int
    default: int


class Viewpoint(Protocol):
    """The faces and sealed values that one caller may see at a table."""

    def face(self, position: int) -> Face:
        """Return the face at *position* of the deck in play, or `??` if the caller may not see the face."""
        ...

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        """Return the faces at *positions* of the deck in play, in this order, each as `face` returns it."""
        ...

    def sealed(self, seat: int, field: str) -> object:
        """Return, as JSON, the last value that *seat* sealed under *field*, or None if the caller may not read it."""
        ...
