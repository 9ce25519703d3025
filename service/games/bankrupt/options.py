"""The options of a table of Bankrupt."""

from typing import Annotated

from msgspec import Meta, Struct

from service.games.game import SeatRange

SEATS = SeatRange(least=2, most=17, default=4)  # B1.1


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a table of Bankrupt, which the players agree on before the game."""

    buy_in: Annotated[int, Meta(ge=1, le=1_000_000, description="Pieces that each player starts with (Rule 4).")] = 50
    max_dead_rounds: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="The number of dead rounds in a row after which the centre is divided (option 2, BO2.1).",
        ),
    ] = 3
    max_throw_ins_in_a_row: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="The maximum number of rounds in a row in which a player may throw in (option 2, BO2.1).",
        ),
    ] = 2
    show_one_card: Annotated[
        bool, Meta(description="Whether players show only one card if this card settles the round (option 1, BO1.1).")
    ] = False
