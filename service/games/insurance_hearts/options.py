"""The options of a table of Insurance Hearts (DECISIONS 36)."""

from typing import Annotated

from msgspec import Meta, Struct

from service.games.game import SeatRange

PLAYERS = 4
SEATS = SeatRange(least=PLAYERS, most=PLAYERS, default=PLAYERS)


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a table of Insurance Hearts; if the three optional rules are off, the game is Hearts."""

    insurance: Annotated[
        bool, Meta(description="Insurance: each player insures against taking the queen of spades (IH.5, IH.6).")
    ] = True
    bidding: Annotated[
        bool, Meta(description="Bidding: players get twelve cards each, and bid for the other four (IH.7 to IH.10).")
    ] = True
    foot: Annotated[
        bool, Meta(description="Foot rule: once a game, each player may cancel a hand before passing (IH.3, IH.4).")
    ] = True
    queen_breaks_hearts: Annotated[
        bool, Meta(description="Whether the queen of spades breaks hearts too (H-BREAK.1).")
    ] = False
    target: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="The game ends after the hand in which a total reaches this number of points (H-END.1).",
        ),
    ] = 100
