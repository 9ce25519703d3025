"""What a table of Insurance Hearts agrees on before the first hand."""

from typing import Annotated

from msgspec import Meta, Struct

from service.games.game import SeatRange

PLAYERS = 4
SEATS = SeatRange(least=PLAYERS, most=PLAYERS, default=PLAYERS)


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agreements of a table of Insurance Hearts; with its three rules off it is Hearts."""

    insurance: Annotated[
        bool, Meta(description="Insurance: each chooses a number against taking the queen of spades (IH.5, IH.6).")
    ] = True
    bidding: Annotated[
        bool, Meta(description="Bidding: twelve cards each, and an auction for the other four (IH.7 to IH.10).")
    ] = True
    foot: Annotated[bool, Meta(description="Foot rule: each may once call a hand off before it is passed (IH.3).")] = (
        True
    )
    queen_breaks_hearts: Annotated[
        bool, Meta(description="Whether the queen of spades breaks hearts, too (H-BREAK.1).")
    ] = False
    target: Annotated[int, Meta(ge=1, le=10_000, description="The total at which the game ends (H-END.1).")] = 100
