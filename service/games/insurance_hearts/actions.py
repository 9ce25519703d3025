"""The actions that an actor may take now at a table of Insurance Hearts."""

from collections.abc import Iterator

from service.games import seating
from service.games.common_commands import CallTime, DealHand
from service.games.game import HOST, Action, Bound, Choice, Viewpoint, acting_seat
from service.games.insurance_hearts import defaults
from service.games.insurance_hearts.auction import start_up
from service.games.insurance_hearts.commands import (
    MOST_BID,
    MOST_INSURANCE,
    PASSED,
    ChooseLeftover,
    MakeNoBid,
    PassCards,
    PlaceBid,
    PlayCard,
    WriteSlip,
)
from service.games.insurance_hearts.options import PLAYERS
from service.games.insurance_hearts.refusals import STANDARD
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.slips import may_call
from service.games.insurance_hearts.state import Phase, State, awaited
from service.games.insurance_hearts.tricks import legal


def actions(state: State, by: str, viewpoint: Viewpoint) -> tuple[Action, ...]:
    """List the actions of the actor *by* ("seat:<n>", "host" or "player") that the rules would accept now."""
    if state.status != "playing":
        return seating.actions(state, by, least=PLAYERS)
    if by == HOST:
        return (Action(CallTime(by=by), rule="", ruling="G.3"),) if awaited(state) else ()
    seat = acting_seat(by)
    if seat not in awaited(state):
        return ()
    match state.phase:
        case Phase.SLIPS:
            return tuple(_slips(state, by, seat))
        case Phase.PASSING:
            return (_pass(state, by, seat, viewpoint),)
        case Phase.BIDDING:
            return tuple(_bids(state, by, seat, viewpoint))
        case Phase.CHOOSING:
            return tuple(Action(ChooseLeftover(by=by, card=card), rule="Bidding", ruling="IH.9") for card in state.left)
        case Phase.PLAYING:
            return tuple(_cards(state, by, seat, viewpoint))
        case _:
            return (Action(DealHand(by=by), rule=STANDARD, ruling="H-DEAL.2"),)


def _slips(state: State, by: str, seat: int) -> Iterator[Action]:
    insured = state.options.insurance
    bounds = (Bound(member="insurance", least=0, most=MOST_INSURANCE),) if insured else ()
    yield Action(
        WriteSlip(by=by, insurance=0), rule="Insurance" if insured else "Foot Rule", ruling="IH.2", bounds=bounds
    )
    if may_call(state, seat):
        yield Action(WriteSlip(by=by, insurance=0, foot=True), rule="Foot Rule", ruling="IH.4", bounds=bounds)


def _pass(state: State, by: str, seat: int, viewpoint: Viewpoint) -> Action:
    hand = hand_of(state, seat, viewpoint)
    choice = Choice(member="cards", among=hand, count=PASSED)
    return Action(PassCards(by=by, cards=defaults.highest(hand)), rule=STANDARD, ruling="H-PASS.1", choices=(choice,))


def _bids(state: State, by: str, seat: int, viewpoint: Viewpoint) -> Iterator[Action]:
    """Yield an action to bid for each of the four cards, and an action to make no bid.

    The example value of `shown` is the hand's weakest card.
    """
    hand = hand_of(state, seat, viewpoint)
    weakest, choices = defaults.weakest(hand), (Choice(member="shown", among=hand),)
    for card in state.auction:
        least = start_up(card)
        yield Action(
            PlaceBid(by=by, card=card, points=least, shown=weakest),
            rule="Bidding",
            ruling="IH.7",
            bounds=(Bound(member="points", least=least, most=MOST_BID),),
            choices=choices,
        )
    yield Action(MakeNoBid(by=by, shown=weakest), rule="Bidding", ruling="IH.7", choices=choices)


def _cards(state: State, by: str, seat: int, viewpoint: Viewpoint) -> Iterator[Action]:
    ruling = "H-FOLLOW.1" if state.trick or state.tricks else "H-LEAD.1"
    for card in legal(state, hand_of(state, seat, viewpoint)):
        yield Action(PlayCard(by=by, card=card), rule=STANDARD, ruling=ruling)
