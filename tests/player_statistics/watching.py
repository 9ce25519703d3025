"""Measures the choices at a table of the rules' tests."""

from random import Random
from typing import TypeVar

from service.games.full_viewpoint import FullViewpoint
from service.games.game import Event
from service.games.table_state import TableState
from service.player_statistics.hindsight import Choice
from service.player_statistics.measures import MEASURES
from tests.games.table import AnyTable

S = TypeVar("S", bound=TableState)


def watched(table: AnyTable[S]) -> list[Choice]:
    """Measure the choices at *table* from now on; return the list to which they will be added."""
    found: list[Choice] = []
    measure, follow = MEASURES[table.state.game](), table._follow

    def measured(event: Event) -> None:
        before = table.state
        found.extend(measure.choices(before, event, FullViewpoint(before, table.decks), Random(1)))
        follow(event)
        measure.follow(table.state, event, FullViewpoint(table.state, table.decks))

    table._follow = measured  # type: ignore[method-assign]  # the table calls this for every event
    return found
