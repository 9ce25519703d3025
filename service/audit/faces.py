"""The faces that events show, whatever the game (deck/v1, step 5)."""

from functools import cache
from typing import Any, NamedTuple

from service.cards import Face
from service.games.events import CardsShown
from service.games.game import Event


class Shown(NamedTuple):
    """A card that an event shows to everybody: its place in the deck of *epoch*, its face, and its salt in hex."""

    epoch: str
    pos: int
    face: Face
    salt: str


def shown(event: Event) -> tuple[Shown, ...]:
    """Return the cards that *event* shows: some at once, or one by its own epoch, pos, face and salt."""
    if isinstance(event, CardsShown):
        return tuple(Shown(event.epoch, card.pos, card.face, card.salt) for card in event.cards)
    if not _shows_one(type(event)):
        return ()
    one: Any = event
    return (Shown(one.epoch, one.pos, one.face, one.salt),)


@cache
def _shows_one(kind: type[Event]) -> bool:
    return {"epoch", "pos", "face", "salt"} <= set(kind.__struct_fields__)
