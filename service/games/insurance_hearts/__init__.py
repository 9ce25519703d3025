"""Insurance Hearts, a variation of Hearts by Daniel Calizaya."""

from service.games.game import Game, Sheet
from service.games.insurance_hearts import commands
from service.games.insurance_hearts.actions import actions
from service.games.insurance_hearts.decider import DECIDER, command_of, sealed
from service.games.insurance_hearts.events import EVENTS, Card, Insurance
from service.games.insurance_hearts.evolve import evolve
from service.games.insurance_hearts.explaining import explain
from service.games.insurance_hearts.options import SEATS, Options
from service.games.insurance_hearts.rulings import RULINGS
from service.games.insurance_hearts.state import State, due
from service.games.insurance_hearts.view import BidView, HeartsView, view, visible
from service.games.sample_tables import SampleTables


def _new(table: str) -> State:
    return State(table=table)


INSURANCE_HEARTS = Game(
    name="insurance_hearts",
    edition=1,
    sheet=Sheet(
        title="Insurance Hearts",
        author="Daniel Calizaya",
        year=0,  # The sheet names no year.
        sha256="c92936a81cbc1d8aac41567d4d88ba1111ab94b829973e3c9ab03025a5d34c07",
        credited="a variation of Hearts contributed by",
    ),
    summary="Hearts with three optional rules: insurance against the queen of spades, an auction, and the foot rule.",
    seats=SEATS,
    options=Options,
    sample_tables=SampleTables(
        demo=({"target": 12}, {"target": 12, "insurance": False, "bidding": False, "foot": False}),
        bench={"target": 10_000},
    ),
    rulings=RULINGS,
    commands=(
        commands.WriteSlip,
        commands.PassCards,
        commands.PlaceBid,
        commands.MakeNoBid,
        commands.ChooseLeftover,
        commands.PlayCard,
    ),
    events=EVENTS,
    new=_new,
    accept=DECIDER.accept,
    decide=DECIDER.decide,
    evolve=evolve,
    command_of=command_of,
    sealed=sealed,
    sealed_types=(Insurance, bool, tuple[Card, ...], BidView),
    due=due,
    actions=actions,
    visible=visible,
    view=view,
    view_type=HeartsView,
    explain=explain,
)
