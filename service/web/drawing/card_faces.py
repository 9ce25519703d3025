"""Cards as HTML: a rank and a suit, with the name that a screen reader says."""

import re
from typing import Final

from markupsafe import Markup, escape

from service.cards import PACK, RANKS, SUITS, UNKNOWN

_RANKS: Final = dict(
    zip(
        RANKS,
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
        strict=True,
    )
)
_SUITS: Final = dict(zip(SUITS, (("♣", "clubs"), ("♦", "diamonds"), ("♥", "hearts"), ("♠", "spades")), strict=True))
_FACES: Final = frozenset(PACK)
_IN_TEXT: Final = re.compile(r"(?<![^\s(])(?:[2-9TJQKA][cdhs]|\?\?)(?![^\s.,:;)])")


def card(face: str) -> Markup:
    """Return the HTML of a card: with its *face*, or face down if the viewer may not see the face."""
    if face not in _FACES:
        return Markup('<span class="card down" role="img" aria-label="a hidden card"></span>')
    symbol, _ = _SUITS[face[1]]
    rank = "10" if face[0] == "T" else face[0]
    return Markup('<span class="card suit-{}" role="img" aria-label="{}"><b>{}</b>{}</span>').format(
        face[1], card_name(face), rank, symbol
    )


def card_name(face: str) -> str:
    """Return the name of the card with *face*, such as "queen of spades"."""
    return f"{_RANKS[face[0]]} of {_SUITS[face[1]][1]}" if face in _FACES else "a hidden card"


def is_face(value: object) -> bool:
    """Return whether *value* is the face of a card, or the mark of a card whose face is hidden."""
    return isinstance(value, str) and (value in _FACES or value == UNKNOWN)


def with_cards(text: str) -> Markup:
    """Return *text* as HTML, with each face in it, such as `Ts`, as a card."""
    parts = Markup()
    end = 0
    for found in _IN_TEXT.finditer(text):
        parts += escape(text[end : found.start()]) + card(found[0])
        end = found.end()
    return parts + escape(text[end:])
