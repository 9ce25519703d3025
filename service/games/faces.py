"""The cards that a public event shows to everybody, in any game (deck/v1, step 5)."""

from typing import NamedTuple

from service.cards import Face
from service.games.common_events import CardsShown, FaceShown
from service.games.game import Event

SHOWING_EVENTS = (CardsShown, FaceShown)
"""The types of event that show cards; games derive their own types from `FaceShown`."""


class ShownFace(NamedTuple):
    """A card that an event shows to everybody: its position in the deck of *epoch*, its face, and its salt in hex."""

    epoch: str
    pos: int
    face: Face
    salt: str


def shown_faces(event: Event) -> tuple[ShownFace, ...]:
    """Return the cards that *event* shows."""
    match event:
        case CardsShown(epoch=epoch, cards=cards):
            return tuple(ShownFace(epoch, card.pos, card.face, card.salt) for card in cards)
        case FaceShown(epoch=epoch, pos=pos, face=face, salt=salt):
            return (ShownFace(epoch, pos, face, salt),)
        case _:
            return ()
