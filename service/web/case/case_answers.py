"""Asks the API for all that a case shows."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from service.client.dispute_answers import Dispute
from service.client.hand_answers import Adjudication, Deck, Event, HandHistory
from service.client.table_answers import GameInfo, Table
from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import ask, parts, viewer
from service.web.case.case_facts import Answers, events_of

_MOST_EVENTS: Final = 1_000
_MOST_PAGES: Final = 5
"""The maximum number of pages of events that are read to find the events that opened, fixed and revealed the decks."""
_MOST_DISPUTES: Final = 5
"""The maximum number of disputes that are shown with their steps: for each dispute the API decides the hand again."""
_DECK_EVENTS: Final = ("deck_opened", "deck_fixed", "deck_revealed")


def answers(table: str, number: int) -> Answers:
    """Return what the API answers about hand *number* of *table*.

    The verdict and the disputes are asked for last: for the verdict and for each dispute the API decides the hand
    again, which uses much of the viewer's rate limit if the hand is long.

    Raises:
        ApiFailed: the viewer may not see the hand, or the API can't show it now.
    """
    path = f"/v1/tables/{table}"
    hand = msgspec.convert(ask(f"{path}/hands/{number}"), HandHistory)
    shown = msgspec.convert(ask(path), Table)
    game = msgspec.convert(ask(f"/v1/games/{hand.game}"), GameInfo)
    events = tuple(_events(path, hand))
    return Answers(
        hand=hand,
        table=shown,
        game=game,
        events=events,
        deck_events=_deck_events(path, hand.decks),
        proof=_proof(f"{path}/events/{hand.last}/proof"),
        adjudication=_adjudication(f"{path}/hands/{number}/adjudication"),
        disputes=_disputes(path, [one.dispute for one in hand.disputes]),
    )


def _events(path: str, hand: HandHistory) -> Iterator[Event]:
    after = hand.first - 1
    while after < hand.last:
        page = ask(f"{path}/events", {"after": after, "limit": min(_MOST_EVENTS, hand.last - after)})
        found = events_of(page)
        if not found:
            return
        yield from found
        after = page["next"]


def _deck_events(path: str, decks: Iterable[Deck]) -> tuple[Event, ...]:
    wanted = {deck.epoch for deck in decks}
    missing = {(deck.epoch, kind) for deck in decks for kind in _DECK_EVENTS[: 3 if deck.is_retired else 2]}
    after = min((deck.opened for deck in decks), default=1) - 1
    found: list[Event] = []
    for _ in range(_MOST_PAGES):
        if not missing:
            break
        page = ask(f"{path}/events", {"after": after, "limit": _MOST_EVENTS, "type": _DECK_EVENTS})
        new = [event for event in events_of(page) if event.leaf.pub["epoch"] in wanted]
        found += new
        missing -= {(event.leaf.pub["epoch"], event.leaf.type) for event in new}
        if not page["has_more"]:
            break
        after = page["next"]
    return tuple(found)


def _proof(path: str) -> bytes | str:
    try:
        return parts().api.call("GET", path, key_id=viewer().key_id).get_data()
    except ApiFailed as failed:
        return _why(failed)


def _adjudication(path: str) -> Adjudication | str:
    try:
        return msgspec.convert(ask(path), Adjudication)
    except ApiFailed as failed:
        return _why(failed)


def _disputes(path: str, numbers: Iterable[int]) -> dict[int, Dispute]:
    found: dict[int, Dispute] = {}
    for number in sorted(numbers)[-_MOST_DISPUTES:]:
        try:
            found[number] = msgspec.convert(ask(f"{path}/disputes/{number}"), Dispute)
        except ApiFailed:
            break  # The case then shows the outcomes of the other disputes without their steps.
    return found


def _why(failed: ApiFailed) -> str:
    problem = msgspec.json.decode(failed.response.get_data())
    return str(problem.get("detail") or problem.get("title", ""))
