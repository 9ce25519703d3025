"""The options of a table of Insurance."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.games.game import SeatRange

SEATS = SeatRange(least=2, most=52, default=4)  # I-END.3

LEAST_BET = 10

Form = Literal["gambling", "non_gambling"]
Bet = Annotated[int, Meta(ge=LEAST_BET, le=1_000_000)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a table of Insurance, which the players agree on before the first hand."""

    form: Annotated[
        Form,
        Meta(description="gambling: players may buy chips or leave between hands; non_gambling: the last player wins."),
    ] = "gambling"
    buy_in: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="The chips with which each player starts; in the gambling game only a suggestion.",
        ),
    ] = 100
    standard_bets: Annotated[
        tuple[Bet, ...],
        Meta(
            max_length=52,
            description="Non-gambling: the list of standard bets; no bet may be lower than the bet before. Each "
            "knock-out moves the standard bet one step along the list, up to the last bet. Empty: players choose their "
            "bets (I-BET.3).",
        ),
    ] = ()
    first_banker: Annotated[int, Meta(ge=1, le=52, description="The seat of the first banker (I-END.2).")] = 1
