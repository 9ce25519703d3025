"""Tells each event of a table in one line, and lists what the event moved."""

# DECISIONS 113

from collections.abc import Mapping, Sequence
from typing import Any, Final

from jinja2 import Environment, TemplateNotFound
from markupsafe import Markup
from msgspec import Struct

_SHARED: Final = "games/events/shared.html"
_ANY: Final = "any_event"


class Transfer(Struct, frozen=True):
    """An *amount* of *unit* that moved from *source* to *target* by a *rule*."""

    source: str
    target: str
    amount: int
    unit: str
    rule: str


class EventLine(Struct, frozen=True):
    """An event in *words*, with its *transfers*. *is_decision*: somebody chose it."""

    position: int
    at: str
    words: Markup
    transfers: Sequence[Transfer]
    is_decision: bool


def lines(jinja: Environment, game: str, items: Sequence[Mapping[str, Any]]) -> list[EventLine]:
    """Return a line for each of *items*, the events of a table of *game* as the API lists them."""
    return [_line(jinja, game, item["leaf"]) for item in items]


def last_command(told: Sequence[EventLine]) -> list[Transfer]:
    """Return what the last decision of *told* and its consequences moved."""
    first = max((index for index, line in enumerate(told) if line.is_decision), default=0)
    return [transfer for line in told[first:] for transfer in line.transfers]


def _line(jinja: Environment, game: str, leaf: Mapping[str, Any]) -> EventLine:
    transfers = [Transfer(*each) for each in leaf["pub"].get("transfers", ())]
    return EventLine(leaf["position"], leaf["at"], _words(jinja, game, leaf, transfers), transfers, "cmd" in leaf)


def _words(jinja: Environment, game: str, leaf: Mapping[str, Any], transfers: Sequence[Transfer]) -> Markup:
    """Return the sentence of *game*, or else of all games, for the type of *leaf*; of any event if there is none.

    A game's sentences are macros in a template of its own, each with the name of its type of event.
    """
    for template in (f"games/events/{game}.html", _SHARED):
        try:
            tell = getattr(jinja.get_template(template).module, leaf["type"], None)
        except TemplateNotFound:  # a game without sentences of its own
            continue
        if tell is not None:
            return Markup(str(tell(leaf["pub"])).strip())  # noqa: S704 -- a macro escapes what it shows
    tell = getattr(jinja.get_template(_SHARED).module, _ANY)
    return Markup(str(tell(leaf["type"], transfers)).strip())  # noqa: S704 -- a macro escapes what it shows
