"""Strategies of simulated players of Insurance: honest players, a player who sees cards, and a giver of chips."""

from random import Random

from service.bots.strategies.insurance import fair_price
from service.cards import PACK, RANKS, rank
from service.games.game import Command, Viewpoint, seat_actor
from service.games.insurance.accounts import bet, offer
from service.games.insurance.commands import AcceptInsurance, OfferInsurance, PlaceBet, RefuseInsurance
from service.games.insurance.state import Phase, State, bet_bounds, bettors, to_bet
from service.games.table_state import balance_of
from service.ledger import stack
from tests.player_statistics.simulated import dealing


def sensible(state: State, seat: int, seen: Viewpoint, dice: Random, share: float = 0.1) -> Command:
    by = seat_actor(seat)
    if state.phase is Phase.BETTING:
        if not to_bet(state):
            return dealing(seat)
        bounds = bet_bounds(state, seat)
        wanted = round(bounds.most * share * (0.5 + dice.random()))
        return PlaceBet(by=by, chips=max(bounds.least, min(wanted, bounds.most)))
    banker = seen.face(state.cards[state.banker])
    if state.phase is Phase.OFFERING:
        price = round(fair_price(balance_of(state, bet(seat)), banker))
        return OfferInsurance(by=by, chips=max(1, min(price, balance_of(state, stack(seat)))))
    other = state.to_answer[0]
    fair = round(fair_price(balance_of(state, bet(other)), banker))
    kind = AcceptInsurance if balance_of(state, offer(other)) >= fair else RefuseInsurance
    return kind(by=by, seat=other)


def random(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    by = seat_actor(seat)
    if state.phase is Phase.OFFERING:
        most = min(balance_of(state, stack(seat)), balance_of(state, bet(seat)))
        return OfferInsurance(by=by, chips=dice.randint(1, max(1, most)))
    if state.phase is Phase.ACCEPTING:
        kind = dice.choice([AcceptInsurance, RefuseInsurance])
        return kind(by=by, seat=state.to_answer[0])
    return sensible(state, seat, seen, dice, share=dice.random() / 2)


def counting(state: State, seat: int, seen: Viewpoint, dice: Random) -> Command:
    """Offer and accept by the cards that are left in the deck, as an honest player who counts cards can."""
    by = seat_actor(seat)
    if state.phase is Phase.BETTING:
        return sensible(state, seat, seen, dice)
    banker = rank(seen.face(state.cards[state.banker]))
    gone = {seen.face(position) for position in range(52) if position not in state.deck}
    left = [rank(face) for face in PACK if face not in gone]
    won, lost = sum(one > banker for one in left), sum(one < banker for one in left)
    fair = lost / max(1, won + lost)
    if state.phase is Phase.OFFERING:
        wanted = round(fair * balance_of(state, bet(seat)) * (0.9 + 0.2 * dice.random()))
        return OfferInsurance(by=by, chips=max(1, min(wanted, balance_of(state, stack(seat)))))
    other = state.to_answer[0]
    accepts = balance_of(state, offer(other)) >= fair * balance_of(state, bet(other))
    kind = AcceptInsurance if accepts else RefuseInsurance
    return kind(by=by, seat=other)


def seeing(state: State, seat: int, seen: Viewpoint, dice: Random, *, bets: bool = True) -> Command:
    """See the next cards of the deck: bet, offer and answer accordingly."""
    by = seat_actor(seat)
    seats = bettors(state)
    if state.phase is Phase.BETTING:
        if not to_bet(state) or not bets or len(state.deck) <= len(seats):
            return sensible(state, seat, seen, dice)
        bounds = bet_bounds(state, seat)
        banker, own = map(rank, seen.faces((state.deck[0], state.deck[1 + seats.index(seat)])))
        wins = banker == 2 or (banker != len(RANKS) + 1 and own > banker)
        return PlaceBet(by=by, chips=max(bounds.least, round(bounds.most * 0.15)) if wins else bounds.least)
    other = seat if state.phase is Phase.OFFERING else state.to_answer[0]
    banker, card = rank(seen.face(state.cards[state.banker])), rank(seen.face(state.deck[seats.index(other)]))
    if other == seat:
        most = max(1, min(balance_of(state, stack(seat)), balance_of(state, bet(seat)) - 1))
        return OfferInsurance(by=by, chips=most if card < banker else 1)
    kind = AcceptInsurance if card > banker else RefuseInsurance
    return kind(by=by, seat=other)


def giving(state: State, seat: int, seen: Viewpoint, dice: Random, *, to: int) -> Command:
    """Play sensibly, but pay the player in seat *to* far too much for insurance."""
    command = sensible(state, seat, seen, dice, share=0.002)
    if isinstance(command, OfferInsurance) and state.banker == to:
        chips = min(balance_of(state, stack(seat)), 2 * balance_of(state, bet(seat)))
        return OfferInsurance(by=command.by, chips=max(1, chips))
    return command
