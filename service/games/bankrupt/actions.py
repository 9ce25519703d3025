"""The actions that an actor may take now at a table of Bankrupt."""

from service.games import seating
from service.games.bankrupt.card_choices import may_throw_in
from service.games.bankrupt.commands import (
    AcceptUpping,
    DeclineUpping,
    ExchangeCard,
    HoldCards,
    OfferUpping,
    PassUpping,
    Resign,
    ThrowIn,
)
from service.games.bankrupt.state import Phase, State, alive, due_seat, offer_cap
from service.games.common_commands import CallTime, DealHand
from service.games.game import HOST, Action, Bound, Viewpoint, acting_seat


def actions(state: State, by: str, _viewpoint: Viewpoint) -> tuple[Action, ...]:
    """List the actions of the actor *by* ("seat:<n>", "host" or "player") that the rules would accept now."""
    if state.status != "playing":
        return seating.actions(state, by)
    if by == HOST:
        return (Action(CallTime(by=by), rule="", ruling="G.3"),)
    seat = acting_seat(by)
    if seat not in alive(state):
        return ()
    if state.phase is Phase.BETWEEN_ROUNDS:
        resign = Action(Resign(by=by), rule="19", ruling="B19.1")
        return (Action(DealHand(by=by), rule="8", ruling="B8.1"), resign) if seat == state.dealer else (resign,)
    if seat != due_seat(state):
        return ()
    if state.phase is Phase.DECIDING:
        return _card_actions(state, by, seat)
    return _upping_actions(state, by)


def _card_actions(state: State, by: str, seat: int) -> tuple[Action, ...]:
    hold = Action(HoldCards(by=by), rule="11", ruling="B11.1")
    exchange = Action(
        ExchangeCard(by=by, card=1), rule="11", ruling="B11.6", bounds=(Bound(member="card", least=1, most=2),)
    )
    throw_in = Action(ThrowIn(by=by), rule="11", ruling="B11.3")
    return (hold, exchange, throw_in) if may_throw_in(state, seat) else (hold, exchange)


def _upping_actions(state: State, by: str) -> tuple[Action, ...]:
    if state.offer is not None:
        return (
            Action(AcceptUpping(by=by), rule="12", ruling="B12.4"),
            Action(DeclineUpping(by=by), rule="12", ruling="B12.3"),
        )
    bound = Bound(member="chips", least=1, most=offer_cap(state))
    return (
        Action(OfferUpping(by=by, chips=1), rule="12", ruling="B12.5", bounds=(bound,)),
        Action(PassUpping(by=by), rule="12", ruling="B12.3"),
    )
