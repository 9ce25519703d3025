"""Hands: the cards, decisions and payouts that the caller may see, and the verdict of the adjudication."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from service.database.engines import administering
from tests.http.service import Person, Service, Table, accepted, refused

UNSEEN = "??"


def _hand(person: Person, table: Table, number: int = 1) -> Any:
    return accepted(person.get(f"{table.path}/hands/{number}")).json


def _play_out(table: Table, *first: str) -> None:
    """Make the decisions *first*, then hold and pass until the hand is settled."""
    for type_ in first:
        action = {"type": type_, "card": 1} if type_ == "exchange_card" else {"type": type_}
        accepted(table.due.post(f"{table.path}/actions", action))
    while (view := table.view())["hand_is_running"]:
        accepted(table.due.do(table.path, "hold_cards" if view["view"]["phase"] == "deciding" else "pass_upping"))


@pytest.fixture
def table(service: Service) -> Table:
    """Return a table with a running hand."""
    return Table(service, 3, buy_in=40).dealt()


def test_hands_are_listed_with_their_events_the_running_one_last(table: Table) -> None:
    first = table.view()["hand"]
    running = accepted(table.host.get(f"{table.path}/hands")).json
    assert running["items"][0]["last"] == table.position
    assert running["items"][0]["is_settled"] is False
    _play_out(table)
    settled = table.position
    accepted(table.due.do(table.path, "deal_hand"))
    listed = accepted(table.host.get(f"{table.path}/hands")).json
    assert [(one["hand"], one["last"], one["is_settled"]) for one in listed["items"]] == [
        (first, settled, True),
        (first + 1, table.position, False),
    ]
    assert listed["items"][1]["first"] == settled + 1
    page = accepted(table.host.get(f"{table.path}/hands?limit=1"))
    assert (page.json["has_more"], page.json["next"]) == (True, 1)
    rest = accepted(table.host.get(f"{table.path}/hands?after=1&limit=1")).json
    assert [one["hand"] for one in rest["items"]] == [2]
    assert rest["has_more"] is False
    assert accepted(table.host.get(f"{table.path}/hands?after=2")).json["items"] == []


def test_while_a_deck_is_in_play_a_player_sees_own_and_shown_cards(table: Table) -> None:
    seat = table.due_seat
    thrown, exchanging = table.players[seat], table.players[seat % 3 + 1]
    _play_out(table, "throw_in", "exchange_card")
    view = table.view()
    assert not view["view"]["exposed"]
    everybody = _hand(table.service.spectator, table)["cards"]
    assert {card["face"] for card in everybody if card["to"] == seat} == {UNSEEN}
    own = [card["face"] for card in _hand(thrown, table)["cards"] if card["to"] == seat]
    assert len(own) == 2
    assert UNSEEN not in own
    dealt = [card["face"] for card in everybody if card["to"] == seat % 3 + 1]
    assert (dealt.count(UNSEEN), len(dealt)) == (1, 3), "the discarded card alone stays hidden"
    theirs = _hand(exchanging, table)["cards"]
    assert UNSEEN not in [card["face"] for card in theirs if card["to"] == seat % 3 + 1]
    assert {card["face"] for card in theirs if card["to"] == seat} == {UNSEEN}


def test_once_the_deck_is_retired_all_its_cards_are_open(service: Service) -> None:
    table = Table(service, 3, buy_in=1).dealt()
    accepted(table.due.do(table.path, "throw_in"))
    assert UNSEEN in [card["face"] for card in _hand(service.spectator, table)["cards"]]
    _end(table)
    for hand in accepted(service.spectator.get(f"{table.path}/hands")).json["items"]:
        view = _hand(service.spectator, table, hand["hand"])
        assert all(card["face"] != UNSEEN for card in view["cards"])
        assert all(deck["is_retired"] for deck in view["decks"])


def test_a_hand_names_its_decks_and_where_the_service_committed_to_them(table: Table) -> None:
    (deck,) = _hand(table.host, table)["decks"]
    assert deck["is_retired"] is False
    assert {card["epoch"] for card in _hand(table.host, table)["cards"]} == {deck["epoch"]}
    leaf = accepted(table.host.get(f"{table.path}/events/{deck['opened']}")).json["leaf"]
    assert (leaf["type"], leaf["pub"]["epoch"]) == ("deck_opened", deck["epoch"])


def test_decisions_are_in_order_with_their_authors(table: Table) -> None:
    seat = table.due_seat
    accepted(table.due.do(table.path, "throw_in"))
    accepted(table.host.do(table.path, "call_time"))
    hand = _hand(table.host, table)
    assert [(one["type"], one["by"]) for one in hand["decisions"]][1:] == [
        ("hand_thrown_in", f"seat:{seat}"),
        ("cards_held", "service"),
    ]
    assert hand["decisions"][0]["made"] == {"dealer": (seat - 2) % 3 + 1, "hand": 1}
    assert hand["decisions"][2]["made"] == {"called": "host", "seat": seat % 3 + 1}
    assert hand["credit"]["author"] == "Aidan-B. Howard"


def test_every_payout_is_explained(table: Table) -> None:
    _play_out(table)
    hand = _hand(table.service.spectator, table)
    events = accepted(table.host.get(f"{table.path}/events?after={hand['first'] - 1}&limit=1000")).json["items"]
    moved = [
        (item["leaf"]["position"], transfer[0], transfer[1], transfer[2])
        for item in events
        for transfer in item["leaf"]["pub"].get("transfers", ())
    ]
    told = [(one["position"], *(one["payout"][name] for name in ("source", "target", "amount"))) for one in _paid(hand)]
    assert told == moved
    for one in hand["payouts"]:
        assert one["payout"]["rule"]
        assert one["payout"]["formula"]
    won = [one["payout"] for one in hand["payouts"] if one["type"] == "round_won"]
    for payout in won:
        winning, losing = payout["cards"]
        assert payout["formula"].startswith(f"{winning} against {losing}")


def _paid(hand: Any) -> list[Any]:
    return [one for one in hand["payouts"] if one["payout"]["amount"]]


def test_a_hand_is_pending_while_its_deck_is_in_play_and_clean_once_the_deck_is_revealed(service: Service) -> None:
    table = Table(service, 2, buy_in=1).dealt()
    path = f"{table.path}/hands/1/adjudication"
    pending = accepted(service.spectator.get(path)).json
    assert (pending["verdict"], pending["last"], pending["hand"]) == ("pending", 0, 1)
    _end(table)
    clean = accepted(service.spectator.get(path)).json
    assert (clean["verdict"], clean["difference"]) == ("clean", None)
    assert {one["verdict"] for one in clean["decisions"]} == {"clean"}
    listed = accepted(service.spectator.get(f"{table.path}/hands/1")).json
    assert (clean["first"], clean["last"]) == (listed["first"], listed["last"])


def test_a_hand_with_an_altered_chip_fails_at_the_altered_event(
    quick_service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(quick_service, 2, buy_in=30).dealt()
    dealer = table.view()["view"]["dealer"]
    position = next(_positions(table, "antes_placed"))
    with administering(quick_service.parts.engine) as connection:
        for name in connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
            connection.execute(text(f"DROP TRIGGER {name}"))
        connection.execute(
            text("UPDATE events SET leaf = CAST(replace(leaf, :good, :bad) AS BLOB) WHERE position = :position"),
            {"good": f'"ante:{dealer}",9', "bad": f'"ante:{dealer}",8', "position": position},
        )
    capsys.readouterr()
    answer = accepted(quick_service.spectator.get(f"{table.path}/hands/1/adjudication"))
    found = answer.json
    assert found["verdict"] == "failed"
    alarm = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert alarm.pop("at").endswith("Z")
    assert alarm == {
        "event": "audit_failed",
        "level": "error",
        "request_id": answer.headers["X-Request-Id"],
        "table": table.id,
        "hand": 1,
        "position": position,
    }
    assert found["difference"] == {
        "position": position,
        "member": "transfers[1].amount",
        "expected": "9",
        "found": "8",
    }
    assert found["decisions"][0]["verdict"] == "failed"


def _positions(table: Table, type_: str) -> Iterator[int]:
    for item in accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"]:
        if item["leaf"]["type"] == type_:
            yield item["leaf"]["position"]


def _end(table: Table) -> None:
    while table.view()["status"] == "playing":
        items = accepted(table.due.get(f"{table.path}/actions")).json["items"]
        accepted(table.due.post(f"{table.path}/actions", items[0]["action"]))


def test_a_missing_hand_is_not_found(table: Table) -> None:
    for sub in ("hands/2", "hands/2/adjudication", "hands/0/adjudication"):
        refused(table.host.get(f"{table.path}/{sub}"), 404, "hand_must_exist")
