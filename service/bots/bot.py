"""What a bot is: it gets the legal moves and the table as its seat may see it, and returns an action."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

Action = Mapping[str, Any]
"""An action as a client posts it: its type and its other members."""


class Bound(Struct, frozen=True):
    """The *least* and the *most* value of a *member* of an action."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """The values *among* which to choose for *member*: a list of *count* different ones, or, with 0, one value."""

    member: str
    among: tuple[str, ...]
    count: int = 0


class Move(Struct, frozen=True):
    """A legal *action*, ready to be posted; the bounds of its numbers, and the choices for its other members."""

    action: dict[str, Any]
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def kind(self) -> str:
        """The action's type."""
        return str(self.action["type"])


class Table(Struct, frozen=True):
    """A table as the API shows it to one caller: *you* is the caller's seat, *view* the part of its game."""

    table: str
    game: str
    position: int
    status: str
    hand: int
    you: int
    centre: int
    balances: dict[str, int]
    winners: tuple[int, ...]
    options: dict[str, Any]
    view: dict[str, Any]


class Bot(Protocol):
    """Chooses the actions of one seat."""

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action of one of *moves*, with numbers within its bounds and values of its choices."""
        ...
