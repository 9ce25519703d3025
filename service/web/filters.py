"""The Jinja filters and tests for the templates."""

from collections.abc import Callable
from typing import Any, Final

from flask import Flask

from service.web.drawing import amounts, card_faces, moments, players_words, wording
from service.wording import phrases

_FILTERS: Final[tuple[Callable[..., Any], ...]] = (
    *(card_faces.card, card_faces.card_name, card_faces.with_cards),
    *(moments.moment, moments.duration),
    *(amounts.signed, amounts.whole, amounts.units, amounts.money, amounts.short),
    *(wording.seats, wording.counted, phrases.account),
    players_words.words,
)


def init_app(app: Flask) -> None:
    """Let the templates of *app* use the filters and tests."""
    for each in _FILTERS:
        app.add_template_filter(each)
    app.add_template_test(card_faces.is_face, "face")
