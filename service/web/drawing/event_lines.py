"""Tells each event of a table in one line, and lists what the event moved."""

# DECISIONS 113

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from service.web.drawing.card_faces import with_cards
from service.wording.hand_events import HandEvent
from service.wording.sentences import sentence


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


def lines(game: str, items: Sequence[Mapping[str, Any]]) -> list[EventLine]:
    """Return a line for each of *items*, the events of a table of *game* as the API lists them."""
    return [_line(game, item["leaf"]) for item in items]


def last_command(told: Sequence[EventLine]) -> list[Transfer]:
    """Return what the last decision of *told* and its consequences moved."""
    first = max((index for index, line in enumerate(told) if line.is_decision), default=0)
    return [transfer for line in told[first:] for transfer in line.transfers]


def _line(game: str, leaf: Mapping[str, Any]) -> EventLine:
    transfers = [Transfer(*each) for each in leaf["pub"].get("transfers", ())]
    event = HandEvent(
        position=leaf["position"], at=leaf["at"], by=leaf.get("by", ""), type=leaf["type"], made=leaf["pub"]
    )
    return EventLine(event.position, event.at, with_cards(sentence(game, event)), transfers, "cmd" in leaf)
