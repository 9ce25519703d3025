"""The events of random games, each with the states before and after the event."""

from typing import Generic, TypeVar

from msgspec import Struct

from service.games.definition import Game
from service.games.game import Event
from service.games.table_state import TableState
from tests.games.random_play import play

S = TypeVar("S", bound=TableState)


class Moment(Struct, Generic[S], frozen=True):
    """An *event*, and the states before and after the event."""

    before: S
    event: Event
    after: S


def moments_of(game: Game, kind: type[S], seed: int) -> tuple[Moment[S], ...]:
    """Play a random *game* and return its moments whose states are of type *kind*."""
    return tuple(
        Moment(before, event, after)
        for step in play(game, seed)
        for before, event, after in zip((step.before, *step.after), step.events, step.after, strict=False)
        if isinstance(before, kind) and isinstance(after, kind)
    )
