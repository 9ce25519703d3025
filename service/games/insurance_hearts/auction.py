"""The auction of the four cards, and the choice of what is left (IH.7 to IH.9)."""

from collections.abc import Iterable
from typing import Any, Final

from service.cards import Face, suit
from service.games import decks
from service.games.common_events import CardsShown
from service.games.decks import Emitter
from service.games.full_viewpoint import FullViewpoint
from service.games.game import Known, Refusal, Viewpoint, acting_seat
from service.games.insurance_hearts import playing
from service.games.insurance_hearts.commands import MOST_BID, ChooseLeftover, MakeNoBid, PlaceBid
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


def begin(emitter: Emitter[State], viewpoint: FullViewpoint) -> None:
    """Turn the four cards up and ask for bids, or go on where there is no auction (IH.1)."""
    state = emitter.state
    if not state.options.bidding:
        playing.begin(emitter, viewpoint)
        return
    cards = tuple(decks.shown_card(viewpoint.deck, position) for position in ON_TABLE)
    emitter.emit(CardsShown(epoch=state.epoch, cards=cards))
    emitter.emit(BidsAwaited(cards=tuple(card.face for card in cards)))


def bid(state: State, command: PlaceBid | MakeNoBid, viewpoint: Viewpoint) -> BidWritten:
    """Take a bid, or that none is made; its author holds the card shown, as *viewpoint* (IH.7)."""
    must_be_phase(state, Phase.BIDDING, rule=_RULE)
    seat = must_be_awaited(state, command.by, rule=_RULE, ruling="IH.7")
    if isinstance(command, PlaceBid):
        _must_be_sound(state, command)
    must_be_held(hand_of(state, seat, viewpoint), command.shown, rule=_RULE, ruling="IH.7")
    return BidWritten(seat=seat)


def settle_after_last_bid(emitter: Emitter[State], command: PlaceBid | MakeNoBid, known: Known) -> None:
    """Open all bids with the last one, and settle the auction (IH.8)."""
    state = emitter.state
    if awaited(state):
        return
    viewpoint = FullViewpoint(state, known, {(acting_seat(command.by), "bid"): sealed_bid(command)})
    bids = tuple(_opened(one, viewpoint.sealed(one, "bid")) for one in state.players)
    emitter.emit(BidsOpened(bids=bids))
    emitter.emit(_settled(state.auction, bids))
    continue_auction(emitter, viewpoint)


def choose(state: State, command: ChooseLeftover) -> LeftoverChosen:
    """Give a player the card that they choose of what is left (IH.9)."""
    must_be_phase(state, Phase.CHOOSING, rule=_RULE)
    seat = must_be_turn(state, command.by, rule=_RULE, ruling="IH.9")
    if command.card not in state.left:
        detail = f"Left are: {', '.join(state.left)}."
        raise Refusal("card_must_be_left", rule=_RULE, ruling="IH.9", detail=detail)
    return LeftoverChosen(seat=seat, card=command.card)


def continue_auction(emitter: Emitter[State], viewpoint: FullViewpoint) -> None:
    """Give the last card without a choice, and let play begin once all four are given (IH.9)."""
    state = emitter.state
    if len(state.left) == 1:
        emitter.emit(LeftoverGiven(seat=state.choosing[0], card=state.left[0]))
    if not emitter.state.left:
        playing.begin(emitter, viewpoint)


def start_up(card: Face) -> int:
    """Return the least that can be bid for *card* (IH.7)."""
    return START_UP[suit(card)]


def sealed_bid(command: PlaceBid | MakeNoBid) -> dict[str, Any]:
    """Return a bid as it is sealed."""
    if isinstance(command, MakeNoBid):
        return {"card": "", "points": 0, "shown": command.shown}
    return {"card": command.card, "points": command.points, "shown": command.shown}


def _must_be_sound(state: State, command: PlaceBid) -> None:
    """Refuse a bid for another card, or of too little or absurdly much.

    Raises:
        Refusal: it is one.
    """
    if command.card not in state.auction:
        detail = f"The four cards are: {', '.join(state.auction)}."
        raise Refusal("card_must_be_up_for_auction", rule=_RULE, ruling="IH.7", detail=detail)
    least = start_up(command.card)
    if not least <= command.points <= MOST_BID:
        detail = f"{least} to {MOST_BID} points can be bid for {command.card}."
        raise Refusal("bid_must_be_within_its_bounds", rule=_RULE, ruling="IH.7", detail=detail)


def _opened(seat: int, sealed: dict[str, Any]) -> OpenedBid:
    return OpenedBid(seat=seat, card=sealed["card"], points=sealed["points"], shown=sealed["shown"])


def _settled(cards: tuple[Face, ...], bids: Iterable[OpenedBid]) -> AuctionSettled:
    """Find who gets what: the highest number, then the stronger shown card; who gets nothing chooses (IH.8, IH.9)."""
    strongest_first = sorted(bids, key=lambda one: strength(one.shown), reverse=True)
    sold = []
    for card in cards:
        if on_it := [one for one in strongest_first if one.card == card]:
            best = max(on_it, key=lambda one: one.points)  # Of equals it is the first.
            sold.append(Sold(seat=best.seat, card=card, points=best.points))
    served, bought = {one.seat for one in sold}, {one.card for one in sold}
    return AuctionSettled(
        sold=tuple(sold),
        choosing=tuple(one.seat for one in strongest_first if one.seat not in served),
        left=tuple(card for card in cards if card not in bought),
    )
