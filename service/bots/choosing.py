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


class Move(Struct, frozen=True):
    """An *action* that would be accepted now, ready to be posted, and how far its numbers may go."""

    action: dict[str, Any]
    bounds: tuple[Bound, ...] = ()

    @property
    def kind(self) -> str:
        """The action's type."""
        return str(self.action["type"])


class Table(Struct, frozen=True):
    """A table as its API shows it to one asker: *you* is the asker's seat, *view* what is particular to the game."""

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
        """Return what to do: one of *moves*, its numbers within their bounds."""
        ...
