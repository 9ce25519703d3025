"""Strategies of simulated players of Bankrupt: honest players, and a player who sees the others' cards."""

from random import Random

from service.bots.strategies.bankrupt import (
    Outlook,
    chance,
    on_cards,
    strength as strength_of_ranks,
    to_offer,
    would_accept,
)
from service.cards import rank
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.card_choices import may_throw_in
from service.games.bankrupt.commands import (
    AcceptUpping,
    DeclineUpping,
    ExchangeCard,
    HoldCards,
    OfferUpping,
    PassUpping,
    ThrowIn,
)
from service.games.bankrupt.showdown import high_first, strength
from service.games.bankrupt.state import Phase, State, in_round, offer_cap
from service.games.game import Command, Viewpoint, seat_actor
from service.games.table_state import balance_of
from tests.player_statistics.simulated import dealing


def _outlook(state: State, seat: int, seen: Viewpoint) -> Outlook:
    first, second = seen.faces(state.cards[seat])
    return Outlook(
        cards=(first, second),
        opponents=max(1, len(in_round(state)) - 1),
        multiplier=state.dead_rounds + 1,
        ante=balance_of(state, ante(seat)),
        centre=balance_of(state, CENTRE),
        is_involved=seat in state.involved,
        most=offer_cap(state),
    )


def sensible(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    by = seat_actor(seat)
    if state.phase is Phase.BETWEEN_ROUNDS:
        return dealing(seat)
    outlook = _outlook(state, seat, seen)
    if state.phase is Phase.DECIDING:
        kind, card = on_cards(outlook, may_throw_in=may_throw_in(state, seat))
        if kind == "throw_in":
            return ThrowIn(by=by)
        return ExchangeCard(by=by, card=card) if card else HoldCards(by=by)
    if state.offer:
        laid = state.offer.chips * (1 + len(state.offer.accepted))
        accepts = would_accept(outlook, state.offer.chips, laid)
        return AcceptUpping(by=by) if accepts else DeclineUpping(by=by)
    chips = to_offer(outlook, dice)
    return OfferUpping(by=by, chips=chips) if chips else PassUpping(by=by)


def random(state: State, seat: int, _seen: Viewpoint, dice: Random) -> Command:
    by = seat_actor(seat)
    if state.phase is Phase.BETWEEN_ROUNDS:
        return dealing(seat)
    if state.phase is Phase.DECIDING:
        card = ExchangeCard(by=by, card=dice.randint(1, 2))
        throw_in = [ThrowIn(by=by)] if may_throw_in(state, seat) else []
        return dice.choice([HoldCards(by=by), card, *throw_in])
    if state.offer:
        return dice.choice([AcceptUpping(by=by), DeclineUpping(by=by)])
    chips = dice.randint(0, offer_cap(state))
    return OfferUpping(by=by, chips=chips) if chips else PassUpping(by=by)


def reader(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    """Play sensibly, but demand a better hand for each other seat that has put pieces in."""
    command = sensible(state, seat, seen, dice)
    if isinstance(command, AcceptUpping | OfferUpping):
        one, other = (rank(face) for face in seen.faces(state.cards[seat]))
        mine = chance(strength_of_ranks(one, other), 1)
        if mine < 0.5 + 0.2 * len(state.involved - {seat}):
            by = seat_actor(seat)
            return DeclineUpping(by=by) if state.offer else PassUpping(by=by)
    return command


def cautious(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    """Put pieces in only with a pair or an ace."""
    command = sensible(state, seat, seen, dice)
    if state.phase is Phase.UPPING:
        one, other = (rank(face) for face in seen.faces(state.cards[seat]))
        by = seat_actor(seat)
        if one != other and max(one, other) < 14:
            return DeclineUpping(by=by) if state.offer else PassUpping(by=by)
        return AcceptUpping(by=by) if state.offer else OfferUpping(by=by, chips=1)
    return command


def seeing(state: State, seat: int, seen: Viewpoint, dice: Random, among: int = 52) -> Command:
    """See the cards of at most *among* others; if one of them has a better or equal hand, exchange, pass and decline.

    With the best hand, hold and put pieces in, or play sensibly if the round has players whose cards are not seen.
    """
    by = seat_actor(seat)
    if state.phase is Phase.BETWEEN_ROUNDS:
        return dealing(seat)
    others = [one for one in in_round(state) if one != seat][:among]
    if not others:
        return sensible(state, seat, seen, dice)
    hands = [strength(high_first(*seen.faces(state.cards[one]))) for one in others]
    wins = strength(high_first(*seen.faces(state.cards[seat]))) > max(hands)
    if among < len(in_round(state)) - 1 and wins:
        return sensible(state, seat, seen, dice)
    if state.phase is Phase.DECIDING:
        if wins:
            return HoldCards(by=by)
        first, second = seen.faces(state.cards[seat])
        weak = 1 if rank(first) < rank(second) else 2
        return ExchangeCard(by=by, card=weak)
    if state.offer:
        return AcceptUpping(by=by) if wins else DeclineUpping(by=by)
    most = offer_cap(state)
    return OfferUpping(by=by, chips=most) if wins else PassUpping(by=by)
