"""Sealed fields of Insurance Hearts over HTTP: each caller gets the right fields with each event, in every format."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator, Sequence
from itertools import product
from threading import Thread
from typing import Any, NamedTuple

import msgspec
import pytest

from service.secrets.commitments import field_commitment
from tests.faults.servers import wait_until
from tests.http.hearts import SEATS, Hearts
from tests.http.service import Person, Service, accepted
from tests.http.streams import EVENTS, LINES, answer, frames, lines

OPENS = {"insurance": "hand_scored", "foot": "foot_told", "cards": "deck_revealed", "bid": "bids_opened"}
"""The type of event that makes each field public, according to the rulings (IH.2, IH.3, IH.8, H-PASS.1)."""


class Choice(NamedTuple):
    """The *value* that the player in *seat* posted, and that the event at *position* sealed under *field*."""

    position: int
    field: str
    seat: int
    value: Any


class Hand(NamedTuple):
    """A hand at *table*, all sealed choices in it, and the events of the table as the host reads them."""

    table: Hearts
    choices: Sequence[Choice]
    events: Sequence[Any]

    def told(self, seat: int) -> list[list[tuple[int, str, Any]]]:
        """Return, for each event, the fields that the player in *seat* (0: another caller) must get with the event."""
        return [
            [
                (one.position, one.field, one.value)
                for one in self.choices
                if one.position <= at and self._is(one, at, seat)
            ]
            for at in range(1, len(self.events) + 1)
        ]

    def _is(self, choice: Choice, at: int, seat: int) -> bool:
        """Return whether *choice* must come with the event at the position *at* for the player in *seat*."""
        kinds = [event["leaf"]["type"] for event in self.events]
        kind, since = kinds[at - 1], kinds[choice.position : at - 1]
        if at == choice.position:
            return seat == choice.seat
        if OPENS[choice.field] in since or (choice.field == "insurance" and "hand_cancelled" in since):
            return False
        passes = choice.field == "cards" and kind == "cards_passed" and seat == choice.seat % 4 + 1
        return kind == OPENS[choice.field] or passes


def _called_off(service: Service) -> Hand:
    """Play a hand that seat 3 cancels by calling a foot."""
    table = Hearts(service)
    table.dealt()
    return _hand(table, list(_slips(table, feet=(3,))))


def _scored(service: Service, *, until: str = "", **options: Any) -> Hand:
    """Play the first hand to its end, or, with *until*, only to the end of the bids."""
    table = Hearts(service, **options)
    table.dealt()
    choices = list(_slips(table))
    choices += [
        Choice(table.give(seat)["events"][0]["leaf"]["position"], "cards", seat, cards)
        for seat in SEATS
        for cards in [table.hand(seat)[:3]]
    ]
    bids = {seat: table.bid_of(seat) for seat in SEATS}
    for seat, bid in bids.items():
        value = {"card": bid.get("card", ""), "points": bid.get("points", 0), "shown": bid["shown"]}
        choices.append(Choice(table.bid(seat)["events"][0]["leaf"]["position"], "bid", seat, value))
    if not until:
        table.finish()
    return _hand(table, choices)


def _slips(table: Hearts, feet: Sequence[int] = ()) -> Iterator[Choice]:
    for seat in SEATS:
        position = table.slip(seat, foot=seat in feet)["events"][0]["leaf"]["position"]
        yield Choice(position, "foot", seat, seat in feet)
        yield Choice(position, "insurance", seat, seat)


def _hand(table: Hearts, choices: Sequence[Choice]) -> Hand:
    return Hand(table, choices, table.events(table.host))


def _plain(events: Sequence[Any]) -> list[list[tuple[int, str, Any]]]:
    return [[(one["position"], one["field"], one["value"]) for one in event["fields"]] for event in events]


def _seat(who: str) -> int:
    return int(who) if who.isdigit() else 0


@pytest.fixture(scope="module")
def scored(shared_service: Service) -> Hand:
    """Return a hand that was played to its end; no test records anything more at its table."""
    return _scored(shared_service, target=1)  # the game ends with this hand, so streams end


@pytest.mark.walk
@pytest.mark.parametrize("played", [_scored, _called_off])
def test_each_event_has_the_fields_that_its_reader_may_read_from_then_on(service: Service, played: Any) -> None:
    hand: Hand = played(service)
    hand.table.dealt_again()
    for who, person in hand.table.everybody().items():
        stream = hand.table.events(person)
        assert len(stream) > len(hand.events)
        told = [*hand.told(_seat(who)), *([] for _ in stream[len(hand.events) :])]
        assert _plain(stream) == told, who
        for one in (one for event in stream for one in event["fields"]):
            committed = stream[one["position"] - 1]["leaf"]["priv"][one["field"]]["c"]
            salt = bytes.fromhex(one["salt"])
            assert field_commitment(one["stream"], one["position"], one["field"], salt, one["value"]) == committed
    to_all = [one for event in hand.told(0) for one in event]
    assert len(to_all) == (16 if played is _scored else 4)


@pytest.mark.parametrize("share", [pytest.param(7, id="a share"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_a_page_gives_the_same_fields_with_any_beginning_and_end(scored: Hand, share: int) -> None:
    table = scored.table
    for seat in (0, 1, 2):
        person = table.players[seat] if seat else table.service.spectator
        whole = table.events(person)
        assert _plain(whole) == scored.told(seat)
        pages = list(product(range(len(whole)), (1, 3)))
        for after, limit in pages[seat % share :: share]:
            page = table.events(person, f"?after={after}&limit={limit}")
            assert page == whole[after : after + limit], (seat, after, limit)
        for after in range(0, len(whole), 5 * share):
            assert table.events(person, f"?after={after}&limit=1000&wait=1") == whole[after:]


@pytest.mark.parametrize("form", [EVENTS, LINES])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_streams_give_the_same_fields_from_any_beginning(scored: Hand, shared_url: str, form: str, seat: int) -> None:
    table = scored.table
    person = table.players[seat] if seat else table.service.spectator
    told = scored.told(seat)
    for after in range(seat, len(told), 23):
        path = f"{table.path}/events?after={after}"
        with answer(shared_url, path, person.token, Accept=form) as response:
            came = [frame.item for frame in frames(response) if frame.event == "message"] if form == EVENTS else []
            items = came or list(lines(response))
        assert _plain([{"fields": item.fields} for item in items]) == told[after:], (seat, after)


def test_a_waiting_reader_gets_the_fields_with_the_event_that_opens_them(served: tuple[Service, str]) -> None:
    service, url = served
    table = Hearts(service)
    table.dealt()
    table.slips((1, 2, 3))
    at = table.position
    polled: list[Any] = []
    asks = Thread(target=lambda: polled.extend(_poll(url, table, at)), daemon=True)
    with answer(url, f"{table.path}/events?after={at}", table.players[2].token, Accept=EVENTS) as response:
        taken = _places(service, 1)
        asks.start()
        _places(service, taken + 1)
        table.slip(4)
        came = frames(response)
        streamed = [{"fields": next(came).item.fields} for _ in range(3)]
    asks.join()
    told = [(position, "foot", False) for position in range(at - 2, at + 2)]
    slip: list[Any] = []
    assert _plain(streamed) == [slip, told, []]
    assert _plain(polled[:3]) == [slip, told, []]


def _poll(url: str, table: Hearts, at: int) -> list[Any]:
    with answer(url, f"{table.path}/events?after={at}&wait=30", table.players[1].token) as response:
        return list(msgspec.json.decode(response.read())["items"])


def _places(service: Service, least: int) -> int:
    """Wait until at least *least* waiting slots are taken; return the number of taken slots."""
    wait_until(lambda: service.parts.long_polls.slots_taken >= least)
    return service.parts.long_polls.slots_taken


def test_the_answer_to_a_command_and_to_its_repeat_has_the_fields_of_the_stream(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    done: list[tuple[Person, dict[str, Any], str, bytes]] = []

    def do(seat: int, body: dict[str, Any]) -> None:
        person, key = table.players[seat] if seat else table.host, f"do {len(done)}"
        done.append((person, body, key, accepted(person.post(f"{table.path}/actions", body, key)).data))

    for seat in SEATS:
        do(seat, {"type": "write_slip", "insurance": seat})
    for seat in SEATS:
        do(seat, {"type": "pass_cards", "cards": table.hand(seat)[:3]})
    for seat in SEATS:
        do(seat, table.bid_of(seat))
    while table.view()["hand_is_running"]:
        do(0, {"type": "call_time"})
    streams = {person.owner: table.events(person) for person in (table.host, *table.players.values())}
    for person, body, key, first in done:
        told = msgspec.json.decode(first)
        positions = slice(told["events"][0]["leaf"]["position"] - 1, told["position"])
        assert told["events"] == streams[person.owner][positions]
        again = accepted(person.post(f"{table.path}/actions", body, key))
        assert (again.data, again.headers["Idempotent-Replayed"]) == (first, "true")


def test_a_hand_has_all_fields_that_its_reader_got_with_events(scored: Hand) -> None:
    _hand_must_have_the_shown_fields(scored)


def test_a_running_hand_has_all_fields_that_its_reader_got_with_events(service: Service) -> None:
    _hand_must_have_the_shown_fields(_scored(service, until="choosing"))


def test_a_cancelled_hand_shows_each_player_only_their_own_number(service: Service) -> None:
    hand = _called_off(service)
    hand.table.dealt_again()
    _hand_must_have_the_shown_fields(hand)
    for who, person in hand.table.everybody().items():
        fields = accepted(person.get(f"{hand.table.path}/hands/1")).json["fields"]
        numbers = [one["value"] for one in fields if one["field"] == "insurance"]
        assert numbers == ([int(who)] if who.isdigit() else [])


def _hand_must_have_the_shown_fields(hand: Hand) -> None:
    for who, person in hand.table.everybody().items():
        page = accepted(person.get(f"{hand.table.path}/hands/1")).json
        told = {(position, field) for event in hand.told(_seat(who)) for position, field, _ in event}
        assert [(one["position"], one["field"], one["value"]) for one in page["fields"]] == [
            (one.position, one.field, one.value) for one in hand.choices if (one.position, one.field) in told
        ]


def test_a_view_of_the_past_shows_the_fields_that_were_open_then(scored: Hand) -> None:
    hand = scored
    first = next(one["leaf"]["position"] for one in hand.events if one["leaf"]["type"] == "hand_dealt")
    for who, person in hand.table.everybody().items():
        known: dict[str, dict[str, Any]] = {"insurance": {}, "foot": {}, "cards": {}, "bid": {}}
        seats = {(one.position, one.field): str(one.seat) for one in hand.choices}
        for at, told in enumerate(hand.told(_seat(who)), start=1):
            for position, field, value in told:
                known[field][seats[position, field]] = value
            if at >= first and (told or at % 9 == 0):
                view = hand.table.view(person, f"?at={at}")["view"]
                shown = [view[name] for name in ("insurance", "foot", "passed", "bids")]
                assert shown == list(known.values()), (who, at)
