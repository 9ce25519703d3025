"""The actions that an actor may take now at a table of Insurance."""

from service.games import invitations, seating
from service.games.common_commands import CallTime, CloseTable, DealHand, LeaveSeat
from service.games.game import HOST, PLAYER, Action, Bound, Viewpoint, acting_seat
from service.games.insurance.betting import may_sit_out
from service.games.insurance.commands import (
    AcceptInsurance,
    BuyChips,
    OfferInsurance,
    PlaceBet,
    RefuseInsurance,
    SitIn,
    SitOut,
)
from service.games.insurance.state import (
    Phase,
    State,
    bet_bounds,
    may_be_called,
    may_sit_down,
    most_to_sell,
    to_bet,
)
from service.games.table_state import balance_of
from service.ledger import stack


def actions(state: State, by: str, _viewpoint: Viewpoint) -> tuple[Action, ...]:
    """List the actions of the actor *by* ("seat:<n>", "host" or "player") that the rules would accept now."""
    if state.status != "playing":
        return seating.actions(state, by)
    if by == HOST:
        return _host_actions(state, by)
    if by == PLAYER:
        return invitations.actions(state, by) if may_sit_down(state) else ()
    seat = acting_seat(by)
    if seat not in state.players:
        return ()
    match state.phase:
        case Phase.BETTING:
            return (*_betting_actions(state, by, seat), *_between_hands(state, by))
        case Phase.OFFERING if seat in state.to_offer:
            bound = Bound(member="chips", least=1, most=balance_of(state, stack(seat)))
            offer = OfferInsurance(by=by, chips=1)
            return (Action(offer, rule="INSURANCE OFFER", ruling="I-OFFER.2", bounds=(bound,)),)
        case Phase.ACCEPTING if seat == state.banker:
            return tuple(
                Action(answer(by=by, seat=offering), rule="ACCEPTANCE", ruling="I-ACC.1")
                for offering in state.to_answer
                for answer in (AcceptInsurance, RefuseInsurance)
            )
        case _:
            return ()


def _host_actions(state: State, by: str) -> tuple[Action, ...]:
    if may_be_called(state):
        return (Action(CallTime(by=by), rule="", ruling="G.3"),)
    if not may_sit_down(state):
        return ()
    return (Action(CloseTable(by=by), rule="", ruling="I-BET.2"), *invitations.actions(state, by))


def _betting_actions(state: State, by: str, seat: int) -> tuple[Action, ...]:
    actions: list[Action] = []
    if seat in to_bet(state):
        least, most = bet_bounds(state, seat)
        ruling = "I-BET.1" if state.is_gambling else "I-BET.3"
        bound = Bound(member="chips", least=least, most=most)
        actions.append(Action(PlaceBet(by=by, chips=least), rule="BET", ruling=ruling, bounds=(bound,)))
    if seat == state.banker and not to_bet(state):
        actions.append(Action(DealHand(by=by), rule="FIRST ROUND DEAL", ruling="I-DEAL1.2"))
    if state.is_gambling and may_sit_out(state, seat):
        actions.append(Action(SitOut(by=by), rule="BET", ruling="I-BET.2"))
    if seat in state.sitting_out and not state.hand_is_running:
        actions.append(Action(SitIn(by=by), rule="BET", ruling="I-BET.2"))
    return tuple(actions)


def _between_hands(state: State, by: str) -> tuple[Action, ...]:
    if state.hand_is_running or not state.is_gambling:
        return ()
    leave = Action(LeaveSeat(by=by), rule="BET", ruling="I-BET.2")
    bound = Bound(member="chips", least=1, most=most_to_sell(state, acting_seat(by)))
    if bound.most < bound.least:
        return (leave,)
    return (Action(BuyChips(by=by, chips=1), rule="BET", ruling="I-BET.2", bounds=(bound,)), leave)
