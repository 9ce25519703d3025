"""What a bot is asked, and what it may look at before it answers: what the API tells its seat."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

Action = Mapping[str, Any]
"""An action as it is posted: its type, and what else it holds."""


class Bound(Struct, frozen=True):
    """The *least* and the *most* that *member* of an action may be."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """What *member* of an action may be: a list of *count* different ones of those *among* which to choose.

    With *count* 0 it is one of them, by itself.
    """

    member: str
    among: tuple[str, ...]
    count: int = 0


class Move(Struct, frozen=True):
    """An *action* that would be accepted now, ready to be posted; how far its numbers may go, and what to choose."""

    action: dict[str, Any]
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def kind(self) -> str:
        """The action's type."""
        return str(self.action["type"])


class Table(Struct, frozen=True):
    """A table as its API shows it to one caller: *you* is the caller's seat, *view* what is particular to the game."""

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
    """A player's mind."""

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return what to do: one of *moves*, its numbers within their bounds, the rest of what there is."""
        ...
