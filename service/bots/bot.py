"""The interface of bots: a bot gets the legal moves and what its seat may see of the table, and returns an action."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

Action = Mapping[str, Any]
"""An action as a client posts it: its type and its other members."""


class Bound(Struct, frozen=True):
    """The smallest (*least*) and the largest (*most*) value of a *member* of an action."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """A choice for *member*: a list of *count* different values from *among*, or, if *count* is 0, one value."""

    member: str
    among: tuple[str, ...]
    count: int = 0


class Move(Struct, frozen=True):
    """A legal *action*, ready to post, with *bounds* of its numbers and *choices* for its other members."""

    action: dict[str, Any]
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def kind(self) -> str:
        """The action's type."""
        return str(self.action["type"])


class Table(Struct, frozen=True):
    """A table as the API shows it to one caller: *you* is the caller's seat.

    *view* has the members that only this game has.
    """

    table: str
    game: str
    position: int
    status: str
    hand: int
    you: int
    balances: dict[str, int]
    winners: tuple[int, ...]
    options: dict[str, Any]
    view: dict[str, Any]


class Bot(Protocol):
    """Chooses the actions of one seat."""

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action of one of *moves*, with numbers within the bounds and values from the choices."""
        ...
