"""The view of a table of Insurance: every dealt card is face up, and no other card is visible."""

from typing import Annotated

from msgspec import Meta, Struct

from service.cards import Face
from service.games.game import MOST_CHIPS, Seat, Viewpoint, describe_enum
from service.games.insurance.accounts import bet, insurance
from service.games.insurance.options import LEAST_BET
from service.games.insurance.state import Phase, State, able, banker_to_be, bettors, standard_bet
from service.games.table_state import balance_of
from service.ledger import stack


class InsuranceView(Struct, frozen=True, kw_only=True):
    """A table of Insurance; the view is the same for everybody."""

    phase: Annotated[str, describe_enum(Phase, "The phase of the table.")]
    banker: Annotated[int, Meta(ge=0, le=52, description="The banker's seat; 0: no seat is able to be the banker.")]
    banker_is_settled: Annotated[
        bool,
        Meta(
            description="Whether the banker is final. "
            "In the gambling game the banker may change until the hand's first bet."
        ),
    ]
    banker_chips: Annotated[int, Meta(ge=0, le=MOST_CHIPS, description="Chips from which the banker can pay bets.")]
    bets_total: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_CHIPS,
            description="Chips of all bets; a banker with fewer chips may be unable to pay every bet.",
        ),
    ]
    least_bet: Annotated[
        int, Meta(ge=1, le=MOST_CHIPS, description="The least bet of a player who has enough chips for this bet.")
    ]
    standard_bet: Annotated[
        int, Meta(ge=0, le=MOST_CHIPS, description="The standard bet; 0: players choose their bets.")
    ]
    players: Annotated[
        tuple[Seat, ...],
        Meta(description="Seats in this hand or, between hands, in the next hand, from the banker's left."),
    ]
    sitting_out: Annotated[
        tuple[Seat, ...], Meta(description="Seats that sit out this hand or, between hands, the next hand.")
    ]
    out: Annotated[tuple[Seat, ...], Meta(description="Seats that were knocked out.")]
    to_offer: Annotated[tuple[Seat, ...], Meta(description="Seats whose offer is due.")]
    to_answer: Annotated[tuple[Seat, ...], Meta(description="Seats whose offer the banker has not answered.")]
    insured: Annotated[tuple[Seat, ...], Meta(description="Seats whose bet is insured.")]
    cards: Annotated[dict[int, Face], Meta(description="Cards on the table by seat, the banker's card included.")]
    deck_left: Annotated[int, Meta(ge=0, le=52, description="Undealt cards in the deck.")]


def visible(state: State, seat: int, is_present: bool) -> frozenset[int]:  # noqa: ARG001, FBT001  # `Game.visible` prescribes the parameters.
    """Return the positions of the deck in play whose faces everybody may see: the cards on the table."""
    return frozenset(state.shown)


def view(state: State, viewpoint: Viewpoint) -> InsuranceView:
    """Return the view of the table from *viewpoint*."""
    banker = banker_to_be(state)
    return InsuranceView(
        phase=state.phase.value,
        banker=banker,
        banker_is_settled=bool(state.banker) or (state.status == "playing" and not state.is_gambling),
        banker_chips=balance_of(state, stack(banker)) if banker else 0,
        bets_total=sum(balance_of(state, bet(seat)) for seat in state.players),
        least_bet=standard_bet(state) or LEAST_BET,
        standard_bet=standard_bet(state),
        players=(*bettors(state), banker) if banker else able(state),
        sitting_out=tuple(sorted(state.sitting_out)),
        out=tuple(sorted(state.out)),
        to_offer=state.to_offer,
        to_answer=state.to_answer,
        insured=tuple(seat for seat in state.players if balance_of(state, insurance(seat))),
        cards={seat: viewpoint.face(position) for seat, position in sorted(state.cards.items())},
        deck_left=len(state.deck),
    )
