"""The view of a table of Bankrupt, and the cards that a seat may see."""

from typing import Annotated

from msgspec import Meta, Struct

from service.cards import UNKNOWN, Face
from service.games.bankrupt.state import Phase, State, in_round, offer_cap, order, to_offer
from service.games.game import Seat, Viewpoint, describe, describe_enum


class OfferView(Struct, frozen=True, kw_only=True):
    """An open offer: its seat and pieces, the seats that have answered, and the seats that have accepted."""

    seat: Annotated[Seat, describe("The seat that offered.")]
    chips: Annotated[int, describe("How many pieces the seat offered.", 1, 6)]
    answered: Annotated[tuple[Seat, ...], describe("Seats that answered the offer.")]
    accepted: Annotated[tuple[Seat, ...], describe("Seats that accepted the offer.")]


class BankruptView(Struct, frozen=True, kw_only=True):
    """A table of Bankrupt as one viewer may see it."""

    phase: Annotated[str, describe_enum(Phase, "The phase of the table.")]
    dealer: Annotated[
        int,
        describe(
            "The dealer of this round or, between rounds, of the next; 0: not drawn yet, or there is no next round.",
            0,
            52,
        ),
    ]
    order: Annotated[
        tuple[Seat, ...], describe("Seats in the round or, between rounds, in the game, from the dealer's left.")
    ]
    multiplier: Annotated[int, describe("The factor for a winner's claims (Rule 17).", 1, 101)]
    last_legs: Annotated[tuple[Seat, ...], describe("Seats on last legs in this round (Rule 18).")]
    thrown_in: Annotated[tuple[Seat, ...], describe("Seats that have thrown in their hands.")]
    out: Annotated[tuple[Seat, ...], describe("Seats that are bankrupt or have resigned.")]
    heaps: Annotated[
        dict[int, tuple[Annotated[int, Meta(ge=0, le=9)], ...]],
        describe("Pieces in each ante heap by seat, the newest heap last."),
    ]
    cards: Annotated[dict[int, tuple[Face, ...]], describe("Cards by seat; ?? for a hidden card.")]
    discards: Annotated[dict[int, Face], describe("Discarded cards by seat; ?? for a hidden card.")]
    upturned: Annotated[
        Face,
        describe(
            "The upturned card; ??: the card is hidden; empty: no card is upturned.",
            form="^([2-9TJQKA][cdhs]|[?][?])?$",
        ),
    ]
    exposed: Annotated[
        bool, describe("Whether the upturned card was exposed; if so, the deck is shuffled before the next round.")
    ]
    deck_left: Annotated[int, describe("Cards in the deck, the upturned card included.", 0, 52)]
    offer: Annotated[OfferView | None, describe("The open offer; null: none.")]
    offer_cap: Annotated[int, describe("The maximum offer now; 0: no offer is possible.", 0, 6)]
    involved: Annotated[tuple[Seat, ...], describe("Seats that made or accepted an offer in this round (B12.7).")]


def visible(state: State, seat: int, is_present: bool) -> frozenset[int]:  # noqa: FBT001  # `Game.visible` prescribes the parameters.
    """Return the positions of the deck in play whose faces *seat* (0: everybody) may see.

    Everybody sees shown cards and the exposed upturned card. From the ritual until the next deal, everybody also sees
    the upturned card, but only in a view of the present table (B7.4). A player also sees their own cards and discard of
    this round or, between rounds, of the last round (B11.5).
    """
    positions = set(state.shown)
    if is_present and state.upturned_in_view:
        positions.add(state.upturned)
    if seat:
        positions.update(state.cards.get(seat, ()))
        if seat in state.discards:
            positions.add(state.discards[seat])
        positions.discard(-1)  # -1: a card that is being replaced has no position.
    return frozenset(positions)


def view(state: State, viewpoint: Viewpoint) -> BankruptView:
    """Return the view of the table from *viewpoint*."""
    offer = state.offer
    running = state.hand_is_running
    return BankruptView(
        phase=state.phase.value,
        dealer=state.dealer,
        order=in_round(state) if running else order(state),
        multiplier=state.dead_rounds + 1,
        last_legs=state.last_legs if running else (),
        thrown_in=tuple(state.thrown_in) if running else (),
        out=tuple(sorted(state.out)),
        heaps={seat: heaps for seat, heaps in state.heaps.items() if heaps},
        cards={seat: viewpoint.faces(hand) for seat, hand in state.cards.items()},
        discards={seat: viewpoint.face(card) for seat, card in state.discards.items()},
        upturned=_upturned(state, viewpoint),
        exposed=state.exposed != -1,
        deck_left=len(state.deck),
        offer=OfferView(seat=offer.seat, chips=offer.chips, answered=offer.answered, accepted=offer.accepted)
        if offer
        else None,
        offer_cap=offer_cap(state) if state.phase is Phase.UPPING and not offer and to_offer(state) else 0,
        involved=tuple(sorted(state.involved)) if running else (),
    )


def _upturned(state: State, viewpoint: Viewpoint) -> Face:
    if state.exposed != -1:
        return viewpoint.face(state.exposed)
    if state.upturned == -1:
        return ""
    return viewpoint.face(state.upturned) if state.upturned_in_view else UNKNOWN
