"""How many deals of a game with players' seeds waited for seeds."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from service.games.common_commands import DealHand
from service.games.common_events import DeckFixed
from service.games.game import Event
from service.games.seeds import seed_rules


class Waits(NamedTuple):
    """The number of *deals*, and how many of them *waited* for seeds.

    The wait for the first seeds, before any deck is fixed, does not count.
    """

    deals: int = 0
    waited: int = 0

    def __add__(self, other: Any) -> "Waits":  # noqa: ANN401 -- the type of `tuple`'s method
        return Waits(self.deals + other.deals, self.waited + other.waited)


def waits_of(game: Any, happened: Iterable[tuple[Any, Event]]) -> Waits:  # noqa: ANN401 -- a game of any states
    """Count the deals in *happened*: pairs of the state before an event and the event, in order."""
    deals, waited, is_waiting, has_deck = 0, 0, False, False
    deal = game.moves.of(DealHand(by="")).decision
    for before, event in happened:
        has_deck = has_deck or isinstance(event, DeckFixed)
        is_waiting = is_waiting or (has_deck and seed_rules.waits(before))
        if isinstance(event, deal):
            deals, waited, is_waiting = deals + 1, waited + is_waiting, False
    return Waits(deals, waited)
