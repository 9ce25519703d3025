"""Insurance, a banking card game by Mark Steere (2022)."""

from service.games.definition import Definition
from service.games.game import Sheet
from service.games.insurance.actions import actions
from service.games.insurance.evolve import TRANSITIONS
from service.games.insurance.explaining import explain
from service.games.insurance.moves import MOVES, default, time_must_be_callable
from service.games.insurance.options import SEATS, Options
from service.games.insurance.refusals import REFUSALS
from service.games.insurance.rule_texts import RULES
from service.games.insurance.rulings import RULINGS
from service.games.insurance.state import State, due_seats
from service.games.insurance.view import InsuranceView, view, visible
from service.games.sample_tables import SampleTables

INSURANCE = Definition(
    name="insurance",
    edition=1,
    sheet=Sheet(
        title="Insurance",
        author="Mark Steere",
        year=2022,
        sha256="d7214cbf5b4f4bd9e6edb94d4ac85acd19cabd17c04c9aadb41ef57e1a216cc7",
        rules=RULES,
    ),
    summary="Players bet against the banker's card, and offer to insure their bets before their own cards are dealt.",
    seats=SEATS,
    options=Options,
    sample_tables=SampleTables(
        demo=({"buy_in": 40, "form": "non_gambling", "standard_bets": (10, 20, 40)}, {"buy_in": 100}),
        bench={"buy_in": 5_000, "form": "non_gambling", "standard_bets": (10,)},
    ),
    rulings=RULINGS,
    refusals=REFUSALS,
    state_type=State,
    moves=MOVES,
    time_must_be_callable=time_must_be_callable,
    default=default,
    transitions=TRANSITIONS,
    sealed_types=(),
    due_seats=due_seats,
    own_actions=actions,
    visible=visible,
    view=view,
    view_type=InsuranceView,
    explain=explain,
)
