"""Strategies of simulated players of Insurance Hearts: honest players, and a player who sees the others' hands."""

from random import Random

from service.bots.strategies.insurance_hearts import cost, insurance, to_bid, to_pass, to_show
from service.bots.strategies.insurance_hearts.hearts_tricks import Outlook, to_play
from service.cards import rank, suit
from service.games.game import Command, Viewpoint, seat_actor
from service.games.insurance_hearts.auction import start_up
from service.games.insurance_hearts.commands import (
    ChooseLeftover,
    MakeNoBid,
    PassCards,
    PlaceBid,
    PlayCard,
    WriteSlip,
)
from service.games.insurance_hearts.scoring import with_points, worth
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.state import Phase, PlayedCard, State, direction
from service.games.insurance_hearts.tricks import legal, taker
from tests.player_statistics.simulated import dealing


def _trick_outlook(state: State, seat: int, hand: tuple[str, ...]) -> Outlook:
    return Outlook(
        you=seat,
        hand=hand,
        legal=legal(state, hand),
        trick=tuple(state.trick),
        taken={one: with_points(cards) for one, cards in state.taken.items()},
        tricks=sum(state.tricks.values()),
    )


def sensible(state: State, seat: int, seen: Viewpoint, _dice: Random) -> Command:
    by = seat_actor(seat)
    if state.phase is Phase.BETWEEN_HANDS:
        return dealing(seat)
    if state.phase is Phase.CHOOSING:
        hand = hand_of(state, seat, seen)
        return ChooseLeftover(by=by, card=min(state.left, key=lambda card: cost(card, hand)))
    hand = hand_of(state, seat, seen)
    if state.phase is Phase.SLIPS:
        passes = direction(state.hand) != "none"
        return WriteSlip(by=by, insurance=insurance(hand, passes=passes))
    if state.phase is Phase.PASSING:
        return PassCards(by=by, cards=to_pass(hand, 3))
    if state.phase is Phase.BIDDING:
        least = {card: start_up(card) for card in state.auction}
        card, points = to_bid(state.auction, least, hand)
        shown = to_show(hand)
        return PlaceBid(by=by, card=card, points=points, shown=shown) if card else MakeNoBid(by=by, shown=shown)
    return PlayCard(by=by, card=to_play(_trick_outlook(state, seat, hand)))


def random(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    if state.phase is not Phase.PLAYING:
        return sensible(state, seat, seen, dice)
    cards = legal(state, hand_of(state, seat, seen))
    return PlayCard(by=seat_actor(seat), card=dice.choice(cards))


def low(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    """Play the lowest legal card, but discard the worst."""
    if state.phase is not Phase.PLAYING:
        return sensible(state, seat, seen, dice)
    cards = legal(state, hand_of(state, seat, seen))
    follows = not state.trick or suit(cards[0]) == suit(state.trick[0].card)
    card = min(cards, key=rank) if follows else max(cards, key=lambda one: (worth(one), rank(one)))
    return PlayCard(by=seat_actor(seat), card=card)


def seeing(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    """Play the card that takes the fewest points in the trick if the others play their true hands sensibly."""
    if state.phase is not Phase.PLAYING or len(state.to_play) == 1:
        return sensible(state, seat, seen, dice)
    hand = hand_of(state, seat, seen)
    usual = to_play(_trick_outlook(state, seat, hand))
    cards = legal(state, hand)
    if len(cards) == 1:
        return PlayCard(by=seat_actor(seat), card=usual)
    others = {one: hand_of(state, one, seen) for one in state.to_play[1:]}

    def taken(card: str) -> int:
        trick = (*state.trick, PlayedCard(seat, card))
        for one, held in others.items():
            led = suit(trick[0].card)
            may = [own for own in held if suit(own) == led] or list(held)
            outlook = Outlook(
                you=one, hand=held, legal=tuple(may), trick=tuple(trick), tricks=sum(state.tricks.values())
            )
            trick = (*trick, PlayedCard(one, to_play(outlook)))
        return sum(worth(played.card) for played in trick) if taker(trick) == seat else 0

    points = {card: taken(card) for card in cards}
    least = min(points.values())
    card = usual if points[usual] == least else max((one for one in cards if points[one] == least), key=rank)
    return PlayCard(by=seat_actor(seat), card=card)
