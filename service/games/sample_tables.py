"""The tables of a game that the demo and the measurements play, so that these programs need not know the game."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

Options: TypeAlias = Mapping[str, bool | int | str | tuple[int, ...]]


class SampleTables(Struct, frozen=True, kw_only=True):
    """The options of a game's sample tables; options that are left out have their defaults.

    *demo* has the options of each table of the demo. With these options a game must end after a few hands, unless its
    players may leave.
    *bench* has the options of a table that lasts for hundreds of moves.
    """

    demo: tuple[Options, ...]
    bench: Options


def buy_in(options: Options) -> int:
    """Return the chips that each player buys at a table with *options*; 0: *options* has no `buy_in` (G.7)."""
    chips = options.get("buy_in", 0)
    return chips if isinstance(chips, int) else 0
