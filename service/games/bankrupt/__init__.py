"""Bankrupt, a card game by Aidan-B. Howard (2011)."""

from service.games.bankrupt import commands
from service.games.bankrupt.actions import actions
from service.games.bankrupt.decider import DECIDER, command_of
from service.games.bankrupt.events import EVENTS
from service.games.bankrupt.evolve import evolve
from service.games.bankrupt.explaining import explain
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.rulings import RULINGS
from service.games.bankrupt.state import State, due
from service.games.bankrupt.view import BankruptView, view, visible
from service.games.game import Game, Sheet, nothing_sealed
from service.games.sample_tables import SampleTables


def _new(table: str) -> State:
    return State(table=table)


BANKRUPT = Game(
    name="bankrupt",
    edition=1,
    sheet=Sheet(
        title="Bankrupt",
        author="Aidan-B. Howard",
        year=2011,
        sha256="a50de18b4a0b2a17e4260a8336f0f20933ff6e0c68f33b8acd48a1729cac6ca9",
    ),
    summary="Two cards each; the best hand takes the differences from the antes, until one player has all the chips.",
    seats=SEATS,
    options=Options,
    sample_tables=SampleTables(
        demo=({"buy_in": 12},) * 3,
        bench={"buy_in": 200},  # small enough that some players are on last legs, and some go bankrupt
    ),
    rulings=RULINGS,
    commands=(
        commands.HoldCards,
        commands.ExchangeCard,
        commands.ThrowIn,
        commands.OfferUpping,
        commands.PassUpping,
        commands.AcceptUpping,
        commands.DeclineUpping,
        commands.Resign,
    ),
    events=EVENTS,
    new=_new,
    accept=DECIDER.accept,
    decide=DECIDER.decide,
    evolve=evolve,
    command_of=command_of,
    sealed=nothing_sealed,
    sealed_types=(),
    due=due,
    actions=actions,
    visible=visible,
    view=view,
    view_type=BankruptView,
    explain=explain,
)
