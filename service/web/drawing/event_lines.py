"""Describes each event of a table in one line, and lists what the event moved."""

# DECISIONS 113

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from service.cards import UNKNOWN
from service.wording import sentences
from service.wording.hand_events import HandEvent

_DEALT: Final = "cards_dealt"


class Transfer(Struct, frozen=True):
    """An *amount* of *unit* that moved from *source* to *target* by a *rule*."""

    source: str
    target: str
    amount: int
    unit: str
    rule: str


class EventLine(Struct, frozen=True):
    """An event in *words*, with its *transfers*; *is_decision* says whether the event is a decision."""

    position: int
    at: str
    words: str
    transfers: Sequence[Transfer]
    is_decision: bool


def lines(game: str, items: Sequence[Mapping[str, Any]]) -> list[EventLine]:
    """Return a line for each of *items*, the events of a table of *game* as the API lists them to the viewer."""
    return [_line(game, item) for item in items]


def last_command(told: Sequence[EventLine]) -> list[Transfer]:
    """Return the transfers of the last decision among the lines *told*, and of the lines after it.

    If no line is a decision, return all transfers.
    """
    first = max((index for index, line in enumerate(told) if line.is_decision), default=0)
    return [transfer for line in told[first:] for transfer in line.transfers]


def _line(game: str, item: Mapping[str, Any]) -> EventLine:
    leaf = item["leaf"]
    transfers = [Transfer(*each) for each in leaf["pub"].get("transfers", ())]
    words = sentences.sentence(game, _event(item))
    return EventLine(leaf["position"], leaf["at"], words, transfers, "cmd" in leaf)


def _event(item: Mapping[str, Any]) -> HandEvent:
    """Return the event of *item*, with the faces and the sealed values that the viewer may see."""
    leaf = item["leaf"]
    faces = {opening["pos"]: opening["face"] for opening in item["openings"]}
    dealt = leaf["pub"]["cards"] if leaf["type"] == _DEALT else ()
    return HandEvent(
        position=leaf["position"],
        at=leaf["at"],
        by=leaf["by"],
        type=leaf["type"],
        made=leaf["pub"],
        opened={each["field"]: each["value"] for each in item["fields"] if each["position"] == leaf["position"]},
        dealt=tuple((to, faces.get(pos, UNKNOWN)) for pos, to in dealt),
    )
