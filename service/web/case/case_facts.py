"""All that the API answered about a hand: the facts from which a case is made."""

# DECISIONS 118

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from service.client.dispute_answers import Dispute
from service.client.hand_answers import Adjudication, Event, HandHistory
from service.client.table_answers import GameInfo, Table


class Answers(Struct, frozen=True):
    """All that the API answered about a hand.

    If the API gave no *adjudication* or no *proof*, that member is the API's reason in words. *deck_events* has the
    events that opened, fixed and revealed the hand's decks, as far as these events were found. *disputes* maps
    numbers to disputes: it has the newest disputes, as far as the API showed them.
    """

    hand: HandHistory
    table: Table
    game: GameInfo
    events: tuple[Event, ...]
    deck_events: tuple[Event, ...]
    adjudication: Adjudication | str
    proof: bytes | str
    disputes: Mapping[int, Dispute]


def events_of(page: Any) -> tuple[Event, ...]:  # noqa: ANN401 -- JSON
    """Return the events of a page of the API."""
    return msgspec.convert(page["items"], tuple[Event, ...])
