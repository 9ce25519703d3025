"""The auction of the four cards, and the choice of the leftovers (IH.7 to IH.9)."""

from collections.abc import Iterable
from typing import Final

from service.cards import Face, suit
from service.games import decks
from service.games.common_events import CardsShown
from service.games.decks import Emitter
from service.games.game import Known, Refusal, Viewpoint
from service.games.insurance_hearts import playing, refusals
from service.games.insurance_hearts.bids import Bid, from_json
from service.games.insurance_hearts.commands import MOST_BID, BidOrNone, ChooseLeftover, PlaceBid
from service.games.insurance_hearts.events import (
    AuctionSettled,
    BidsAwaited,
    BidsOpened,
    BidWritten,
    LeftoverChosen,
    LeftoverGiven,
    OpenedBid,
    Sold,
)
from service.games.insurance_hearts.seat_cards import hand_of, strength
from service.games.insurance_hearts.state import ON_TABLE, Phase, State, awaited
from service.games.insurance_hearts.turns import must_be_awaited, must_be_held, must_be_phase, must_be_turn

START_UP: Final = {"s": 3, "h": 2, "d": 1, "c": 0}
_RULE: Final = "Bidding"


def begin(emitter: Emitter[State], known: Known) -> None:
    """Turn up the four cards and await bids; at a table without the bidding rule, begin the tricks (IH.1)."""
    state = emitter.state
    if not state.options.bidding:
        playing.begin(emitter, known)
        return
    cards = tuple(map(decks.shown_card, known.faces(state.epoch, ON_TABLE)))
    emitter.emit(CardsShown(epoch=state.epoch, cards=cards))
    emitter.emit(BidsAwaited(cards=tuple(card.face for card in cards)))


def bid(state: State, command: BidOrNone, viewpoint: Viewpoint) -> BidWritten:
    """Accept a bid, or the decision not to bid, if the card shown is in the hand that *viewpoint* sees (IH.7)."""
    must_be_phase(state, Phase.BIDDING, rule=_RULE)
    seat = must_be_awaited(state, command.by, rule=_RULE, ruling="IH.7")
    if isinstance(command, PlaceBid):
        _must_be_sound(state, command)
    must_be_held(hand_of(state, seat, viewpoint), command.shown, rule=_RULE, ruling="IH.7")
    return BidWritten(seat=seat)


def settle_after_last_bid(emitter: Emitter[State], known: Known) -> None:
    """After the last bid, open all bids and settle the auction (IH.8)."""
    state = emitter.state
    if awaited(state):
        return
    bids = tuple(_opened_bid(seat, from_json(known.sealed(seat, "bid"))) for seat in state.players)
    emitter.emit(BidsOpened(bids=bids))
    emitter.emit(_settlement(state.auction, bids))
    continue_auction(emitter, known)


def choose(state: State, command: ChooseLeftover) -> LeftoverChosen:
    """Give a player the leftover card that they choose (IH.9)."""
    must_be_phase(state, Phase.CHOOSING, rule=_RULE)
    seat = must_be_turn(state, command.by, rule=_RULE, ruling="IH.9")
    if command.card not in state.left:
        detail = f"These cards are left: {', '.join(state.left)}."
        raise Refusal(refusals.CARD_MUST_BE_LEFT, detail)
    return LeftoverChosen(seat=seat, card=command.card)


def continue_auction(emitter: Emitter[State], known: Known) -> None:
    """If one leftover remains, give it to the last player (IH.9); begin the tricks once no leftover remains."""
    state = emitter.state
    if len(state.left) == 1:
        emitter.emit(LeftoverGiven(seat=state.choosing[0], card=state.left[0]))
    if not emitter.state.left:
        playing.begin(emitter, known)


def start_up(card: Face) -> int:
    """Return the least bid for *card*, in points (IH.7)."""
    return START_UP[suit(card)]


def _must_be_sound(state: State, command: PlaceBid) -> None:
    """Check the card and the points of a bid.

    Raises:
        Refusal: the card is not up for auction, or the points are out of bounds.
    """
    if command.card not in state.auction:
        detail = f"The four cards are: {', '.join(state.auction)}."
        raise Refusal(refusals.CARD_MUST_BE_UP_FOR_AUCTION, detail)
    least = start_up(command.card)
    if not least <= command.points <= MOST_BID:
        detail = f"A bid for {command.card} is {least} to {MOST_BID} points."
        raise Refusal(refusals.BID_MUST_BE_WITHIN_ITS_BOUNDS, detail)


def _opened_bid(seat: int, bid: Bid) -> OpenedBid:
    return OpenedBid(seat=seat, card=bid.card, points=bid.points, shown=bid.shown)


def _settlement(cards: tuple[Face, ...], bids: Iterable[OpenedBid]) -> AuctionSettled:
    """Sell each card to its highest bidder; of equal bids, the bid with the strongest card shown wins (IH.8).

    The players who bought no card choose from the leftovers; the player among them who showed the strongest card
    chooses first (IH.9).
    """
    strongest_first = sorted(bids, key=lambda bid: strength(bid.shown), reverse=True)
    sales = []
    for card in cards:
        if bids_for_card := [bid for bid in strongest_first if bid.card == card]:
            # Of equal bids, max() returns the first: the bid with the strongest card shown.
            best = max(bids_for_card, key=lambda bid: bid.points)
            sales.append(Sold(seat=best.seat, card=card, points=best.points))
    buyers, sold_cards = {sale.seat for sale in sales}, {sale.card for sale in sales}
    return AuctionSettled(
        sold=tuple(sales),
        choosing=tuple(bid.seat for bid in strongest_first if bid.seat not in buyers),
        left=tuple(card for card in cards if card not in sold_cards),
    )
