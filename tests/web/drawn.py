"""Finds the faces of cards in the drawing on the page of a table, and in the API's view of the table."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.cards import PACK
from service.web.drawing import card_faces

_DRAWING: Final = re.compile(r'<div class="drawing">(.*?)<section class="beside"', re.DOTALL)
_CARD: Final = re.compile(r'role="img" aria-label="([a-z ]+)"')
_BY_NAME: Final = {card_faces.card_name(face): face for face in PACK}


def drawn_faces(html: str) -> set[str]:
    """Return the faces of the cards in the drawing of a page, or of a part of a page."""
    found = _DRAWING.search(html)
    assert found
    return {_BY_NAME[name] for name in _CARD.findall(found[1]) if name in _BY_NAME}


def told_faces(view: object) -> set[str]:
    """Return the faces of cards in *view*, which is JSON."""
    return {text for text in _texts(view) if text in PACK}


def _texts(view: Any) -> Iterator[str]:  # noqa: ANN401 -- JSON
    if isinstance(view, str):
        yield view
    elif isinstance(view, Mapping):
        for each in view.values():
            yield from _texts(each)
    elif isinstance(view, list):
        for each in view:
            yield from _texts(each)
