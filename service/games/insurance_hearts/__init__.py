"""Insurance Hearts, a variation of Hearts by Daniel Calizaya."""

from service.games import seating
from service.games.definition import Definition
from service.games.game import Sheet
from service.games.insurance_hearts.actions import actions
from service.games.insurance_hearts.bids import Bid
from service.games.insurance_hearts.defaults import default
from service.games.insurance_hearts.events import Card, Insurance
from service.games.insurance_hearts.evolve import TRANSITIONS
from service.games.insurance_hearts.explaining import explain
from service.games.insurance_hearts.moves import MOVES, resume
from service.games.insurance_hearts.options import SEATS, Options
from service.games.insurance_hearts.refusals import REFUSALS
from service.games.insurance_hearts.rule_texts import RULES
from service.games.insurance_hearts.rulings import RULINGS
from service.games.insurance_hearts.state import State, awaited
from service.games.insurance_hearts.view import HeartsView, view, visible
from service.games.sample_tables import SampleTables

INSURANCE_HEARTS = Definition(
    name="insurance_hearts",
    edition=1,
    sheet=Sheet(
        title="Insurance Hearts",
        author="Daniel Calizaya",
        year=0,  # The sheet names no year.
        sha256="c92936a81cbc1d8aac41567d4d88ba1111ab94b829973e3c9ab03025a5d34c07",
        rules=RULES,
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
    refusals=REFUSALS,
    state_type=State,
    moves=MOVES,
    time_must_be_callable=seating.must_be_playing,
    default=default,
    transitions=TRANSITIONS,
    sealed_types=(Insurance, bool, tuple[Card, ...], Bid),
    due_seats=awaited,
    own_actions=actions,
    visible=visible,
    view=view,
    view_type=HeartsView,
    explain=explain,
    resume=resume,
)
