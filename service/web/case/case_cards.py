"""The cards of a hand: the cards dealt to each seat and each place, and what the viewer may see of them."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from service.cards import UNKNOWN
from service.client.hand_answers import DealtCard
from service.web.case import case_story
from service.web.case.case_facts import Answers
from service.wording.games import NOTES
from service.wording.hand_notes import Handed, Notes
from service.wording.phrases import first_seat

_PLACES: Final = {"aside": "Set aside"}


class Later(Struct, frozen=True):
    """A card that the event at *position* dealt to a holder, after the holder's first cards."""

    face: str
    position: int


class Holder(Struct, frozen=True):
    """The cards dealt to a holder (a seat or a place): the *first* cards, dealt by one event, and the *later* cards.

    *handed* are the cards that the holder gave away or got after the deal.
    """

    seat: int
    name: str
    first: tuple[str, ...]
    position: int
    later: tuple[Later, ...]
    handed: tuple[Handed, ...]


class Cards(Struct, frozen=True):
    """The cards of each holder, in the order of the deal.

    *said* are sentences about what the viewer may see. *when* is a phrase for the time at which the holders had these
    cards, such as "as dealt, before passing"; "": no cards were passed on after the deal.
    """

    holders: tuple[Holder, ...]
    said: tuple[str, ...]
    when: str


def cards(answers: Answers) -> Cards:
    """Return the cards dealt in the hand."""
    notes = NOTES.get(answers.hand.game, Notes())
    handed = notes.handed([*case_story.hand_events(answers)])
    when = f"as dealt, {notes.dealt}" if handed and notes.dealt else ""
    return Cards(tuple(_holders(answers.hand.cards, handed)), tuple(_said(answers)), when)


def _holders(dealt: tuple[DealtCard, ...], handed: Sequence[Handed]) -> Iterator[Holder]:
    for to in dict.fromkeys(card.to for card in dealt):
        own = [card for card in dealt if card.to == to]
        begin = own[0].position
        yield Holder(
            seat=to if isinstance(to, int) else 0,
            name=first_seat(to) if isinstance(to, int) else _PLACES.get(to, to.replace("_", " ").capitalize()),
            first=tuple(card.face for card in own if card.position == begin),
            position=begin,
            later=tuple(Later(card.face, card.position) for card in own if card.position != begin),
            handed=tuple(one for one in handed if one.seat == to),
        )


def _said(answers: Answers) -> Iterator[str]:
    hand = answers.hand
    retired = [deck for deck in hand.decks if deck.is_retired]
    if len(retired) < len(hand.decks):
        yield (
            "The deck is still in play. You see a card here if it was dealt to you, or if the rules have shown it to "
            "everybody. When the deck is used up, everybody may see all its cards."
        )
    elif any(card.face == UNKNOWN for card in hand.cards):
        yield "The deck is used up, but its seed was erased or is not here, so not all cards can be shown."
    elif hand.cards:
        yield (
            "The deck is used up, so everybody may see all these cards now. During the hand a card that lay face down "
            "was seen by its own seat alone."
        )
