"""What a table of Insurance agrees on before the first hand."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.games.game import SeatRange

SEATS = SeatRange(least=2, most=52, default=4)  # I-END.3

LEAST_BET = 10

Form = Literal["gambling", "non_gambling"]
Bet = Annotated[int, Meta(ge=LEAST_BET, le=1_000_000)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agreements of a table of Insurance."""

    form: Annotated[
        Form, Meta(description="gambling: players buy chips and leave between hands; non_gambling: the last one wins.")
    ] = "gambling"
    buy_in: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Chips that each player starts with; when gambling, a suggestion.")
    ] = 100
    standard_bets: Annotated[
        tuple[Bet, ...],
        Meta(
            max_length=52,
            description="Non-gambling: everyone's bet, and what it rises to with each knock-out, none below the one "
            "before; the last one stays. Empty: each bets what they like (I-BET.3).",
        ),
    ] = ()
    first_banker: Annotated[int, Meta(ge=1, le=52, description="The seat of the first banker (I-END.2).")] = 1
