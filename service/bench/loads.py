"""A load: moves that are legal with any cards, so that they can be chosen before the measurement."""

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from service.games.sample_tables import Options, buy_in

Body: TypeAlias = dict[str, Any]
"""The body of a command in the API."""


class Move(Struct, frozen=True):
    """The command in *body*, made by the player in *seat*."""

    seat: int
    body: Body


class Loads(Struct, frozen=True, kw_only=True):
    """The loads of a game: their *names*, and the *options* and *seats* of tables where their moves are legal."""

    names: tuple[str, ...]
    options: Options
    seats: int
    cycle: Callable[[str, int], tuple[Move, ...]]
    """A function that gets the name of a load and the number of the dealer's seat, and returns the moves of the load.

    The moves end between two hands, with the same dealer, so that the same moves can follow.
    """

    @property
    def chips(self) -> int:
        """The chips that each player buys; 0: the game has no chips."""
        return buy_in(self.options)
