"""Bankrupt, a card game by Aidan-B. Howard (2011)."""

from service.games import seating
from service.games.bankrupt.actions import actions
from service.games.bankrupt.evolve import TRANSITIONS
from service.games.bankrupt.explaining import explain
from service.games.bankrupt.moves import MOVES, default, resume
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.refusals import REFUSALS
from service.games.bankrupt.rule_texts import RULES
from service.games.bankrupt.rulings import RULINGS
from service.games.bankrupt.state import State, due_seats
from service.games.bankrupt.view import BankruptView, view, visible
from service.games.definition import Definition
from service.games.game import Sheet
from service.games.sample_tables import SampleTables

BANKRUPT = Definition(
    name="bankrupt",
    edition=1,
    sheet=Sheet(
        title="Bankrupt",
        author="Aidan-B. Howard",
        year=2011,
        sha256="a50de18b4a0b2a17e4260a8336f0f20933ff6e0c68f33b8acd48a1729cac6ca9",
        rules=RULES,
    ),
    summary="Two cards each; the best hand takes the differences from the antes, until one player has all the chips.",
    seats=SEATS,
    options=Options,
    sample_tables=SampleTables(
        demo=({"buy_in": 12},) * 3,
        bench={"buy_in": 200},  # With this buy-in, some players get on last legs, and some go bankrupt.
    ),
    rulings=RULINGS,
    refusals=REFUSALS,
    state_type=State,
    moves=MOVES,
    time_must_be_callable=seating.must_be_playing,
    default=default,
    transitions=TRANSITIONS,
    sealed_types=(),
    due_seats=due_seats,
    own_actions=actions,
    visible=visible,
    view=view,
    view_type=BankruptView,
    explain=explain,
    resume=resume,
)
