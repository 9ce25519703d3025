"""What a table of Bankrupt looks like, and which of its cards a seat may see."""

from typing import Annotated

from msgspec import Meta, Struct

from service.cards import UNKNOWN, Face
from service.games.bankrupt.state import Phase, State, in_round, offer_cap, order, to_offer
from service.games.game import Seen


class OfferView(Struct, frozen=True, kw_only=True):
    """An offer that waits for answers: by whom, how much, and who answered or accepted so far."""

    seat: int
    chips: int
    answered: tuple[int, ...]
    accepted: tuple[int, ...]


class BankruptView(Struct, frozen=True, kw_only=True):
    """The table of Bankrupt as one viewer may see it."""

    phase: Annotated[str, Meta(description="seating, between_rounds, deciding, upping or over.")]
    dealer: Annotated[int, Meta(description="The seat that deals this round or the next; 0: not drawn yet.")]
    order: Annotated[tuple[int, ...], Meta(description="Seats in the round, from the dealer's left.")]
    multiplier: Annotated[int, Meta(description="How often a winner takes what is due (Rule 17).")]
    last_legs: Annotated[tuple[int, ...], Meta(description="Seats on last legs in this round (Rule 18).")]
    thrown_in: tuple[int, ...]
    out: Annotated[tuple[int, ...], Meta(description="Seats that are bankrupt or resigned.")]
    heaps: Annotated[dict[int, tuple[int, ...]], Meta(description="Pieces in each ante heap by seat, newest last.")]
    cards: Annotated[dict[int, tuple[Face, ...]], Meta(description="Cards by seat; ?? where they are hidden.")]
    discards: Annotated[dict[int, Face], Meta(description="Discarded cards by seat; ?? where they are hidden.")]
    upturned: Annotated[Face, Meta(description="The upturned card while it may be seen; ?? or empty otherwise.")]
    exposed: Annotated[bool, Meta(description="The upturned card was exposed: the deck is shuffled next.")]
    deck_left: Annotated[int, Meta(description="Cards in the deck, the upturned one included.")]
    offer: OfferView | None
    offer_cap: Annotated[int, Meta(description="The most that the seat due may offer; 0: no offer is possible now.")]
    involved: Annotated[tuple[int, ...], Meta(description="Seats that may collect the centre (B12.7).")]


def visible(state: State, seat: int, is_present: bool) -> frozenset[int]:  # noqa: FBT001  # Game.visible's shape.
    """List the positions of the deck in play whose faces *seat* (0: everybody) may see.

    Shown cards; the upturned card, from the ritual until the next deal in the present alone
    (B7.4), and once it is exposed; to a player their own cards and discard of this round (B11.5).
    """
    seen = set(state.shown)
    if is_present and state.upturned_in_view:
        seen.add(state.upturned)
    if seat:
        seen.update(state.cards.get(seat, ()))
        if seat in state.discards:
            seen.add(state.discards[seat])
        seen.discard(-1)  # A card that is being replaced lies nowhere.
    return frozenset(seen)


def view(state: State, seen: Seen) -> BankruptView:
    """Draw the table; *seen* hides what the viewer may not see."""
    offer = state.offer
    running = state.hand_is_running
    return BankruptView(
        phase=state.phase.value,
        dealer=state.dealer,
        order=in_round(state) if running else order(state),
        multiplier=state.dead_rounds + 1,
        last_legs=state.last_legs if running else (),
        thrown_in=state.thrown_in if running else (),
        out=tuple(sorted(state.out)),
        heaps={seat: heaps for seat, heaps in state.heaps.items() if heaps},
        cards={seat: tuple(seen.face(card) for card in hand) for seat, hand in state.cards.items()},
        discards={seat: seen.face(card) for seat, card in state.discards.items()},
        upturned=_upturned(state, seen),
        exposed=state.exposed != -1,
        deck_left=len(state.deck),
        offer=OfferView(seat=offer.seat, chips=offer.chips, answered=offer.answered, accepted=offer.accepted)
        if offer
        else None,
        offer_cap=offer_cap(state) if state.phase is Phase.UPPING and not offer and to_offer(state) else 0,
        involved=tuple(sorted(state.involved)) if running else (),
    )


def _upturned(state: State, seen: Seen) -> Face:
    if state.exposed != -1:
        return seen.face(state.exposed)
    if state.upturned == -1:
        return ""
    return seen.face(state.upturned) if state.upturned_in_view else UNKNOWN
