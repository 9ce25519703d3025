"""The options of a table of Insurance Hearts (DECISIONS 36)."""

from typing import Annotated

from msgspec import Meta, Struct

from service.games.game import SeatRange

PLAYERS = 4
SEATS = SeatRange(least=PLAYERS, most=PLAYERS, default=PLAYERS)


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a table of Insurance Hearts; with its three rules off, the game is Hearts."""

    insurance: Annotated[
        bool, Meta(description="Insurance: each player chooses a number as insurance (IH.5, IH.6).")
    ] = True
    bidding: Annotated[
        bool, Meta(description="Bidding: an auction for four cards, after twelve cards each (IH.7 to IH.10).")
    ] = True
    foot: Annotated[
        bool, Meta(description="Foot rule: each player may once a game cancel a hand before the passing (IH.3).")
    ] = True
    queen_breaks_hearts: Annotated[
        bool, Meta(description="Whether the queen of spades breaks hearts too (H-BREAK.1).")
    ] = False
    target: Annotated[int, Meta(ge=1, le=10_000, description="The total at which the game ends (H-END.1).")] = 100
