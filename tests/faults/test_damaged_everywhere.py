"""A leaf or a sealed value of a table is damaged: requests that need this data get 409, and no request gets 500."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.audit.database_report import Report
from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.database.engines import reading
from service.event_store.codec import Codec
from service.games import EVENTS
from service.tables.sealed_store import SEED
from tests.damage import alter, damage, forget
from tests.http.hearts import Hearts
from tests.http.service import Person, Service, Table, accepted, refused, running

CODE = "table_must_be_intact"
THERE = "WHERE stream_id = :stream_id AND position = :position AND field = :field"
WAYS = {
    "removed": f"DELETE FROM sealed {THERE}",  # noqa: S608  # These are our names.
    "altered": f"UPDATE sealed SET ciphertext = :bytes {THERE}",  # noqa: S608
    "under another key": f"UPDATE sealed SET key_id = :bytes {THERE}",  # noqa: S608
    "of another place": "UPDATE sealed SET nonce = other.nonce, ciphertext = other.ciphertext FROM sealed AS other"
    " WHERE other.stream_id = :stream_id AND other.position = 2 AND other.field = 'server_seed'"
    " AND sealed.stream_id = :stream_id AND sealed.position = :position AND sealed.field = :field",
}
LEAVES = {
    "another year": None,
    "unreadable": b"{}",
    "no JSON": b"\xff\x00",
    "without members": b"",
}


DAILY_LEAVES = ((1, "unreadable"), (5, "another year"), (5, "without members"), (-1, "no JSON"))
"""Pairs of a position (below 0: from the end) and a kind of damage there; the other pairs run with `--full`."""


@pytest.fixture
def service(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service on a new database."""
    with running(tmp_path, database_url) as made:
        yield made


@pytest.fixture
def hearts(service: Service) -> Hearts:
    """Return a table of Insurance Hearts at the first trick of its second hand."""
    table = Hearts(service).begun()
    table.finish().dealt_again()
    table.slips().passes().bids()
    while table.view()["view"]["phase"] == "choosing":
        table.call_time()
    return table


def break_sealed(service: Service, table: Table, way: str, position: int, field: str) -> None:
    """Damage a sealed row as someone with the database's password could, then end the cache generation."""
    values: dict[str, Any] = {"stream_id": stream_of(table), "position": position, "field": field}
    if ":bytes" in WAYS[way]:
        values["bytes"] = bytes(16)
    alter(service.parts.engine, WAYS[way], **values)
    service.parts.log.generation.end()


def stream_of(table: Table) -> bytes:
    return bytes.fromhex(table.id.removeprefix("tbl_"))


def position_of(table: Hearts, kind: str, number: int) -> int:
    found = [item["leaf"]["position"] for item in table.events(table.host) if item["leaf"]["type"] == kind]
    return int(found[number])


def report_of(service: Service, table: Table) -> Report:
    return verify(service.parts.engine, service.parts.log, Codec(EVENTS), stream_id=stream_of(table))


def reads(table: Table, last: int) -> list[str]:
    """Return paths for all kinds of reads of *table*."""
    accounts = [f"stack:{seat}" for seat in table.players] + [f"score:{seat}" for seat in table.players]
    paths = ["", "/actions", "/events?limit=1000", "/balances", "/hands", "/me"]
    paths += [f"?at={position}" for position in (1, last // 2, last)]
    paths += [f"/events?after={position}&limit=3" for position in range(0, last, 7)]
    paths += [f"/balances?at={position}" for position in (1, last // 2, last)]
    paths += [f"/accounts/{account}/postings" for account in ("house", "centre", "pool", *accounts)]
    return paths + [f"/hands/{hand}{more}" for hand in (1, 2) for more in ("", "/adjudication")]


def answers(table: Table, last: int) -> list[TestResponse]:
    """Send all reads as the host, two players and a spectator, and return the responses.

    Each read must get 200, 404, or 409 with `CODE`; a read of `/me` may also get 401 or 403.
    """
    people: list[Person] = [table.host, table.players[1], table.players[2], table.service.spectator]
    found = [person.get(table.path + path) for person in people for path in reads(table, last)]
    found += [
        table.service.spectator.get(f"{table.path}/events", Accept="application/x-ndjson"),
        table.players[1].get(f"{table.path}/events", Accept="application/x-ndjson"),
    ]
    for answer in found:
        allowed = {200, 404, 409, 401, 403} if answer.request.path.endswith("/me") else {200, 404, 409}
        assert answer.status_code in allowed, (answer.request.path, answer.get_data(as_text=True))
        if answer.status_code == 409:
            assert answer.get_json()["code"] == CODE
    return found


def commands(table: Table) -> list[TestResponse]:
    """Send commands of several kinds; each must get 409, or 200 if it needs no damaged data."""
    found = [person.do(table.path, "deal_hand") for person in table.players.values()]
    found += [table.host.do(table.path, name) for name in ("call_time", "close_table", "start_game")]
    found += [
        table.host.post(f"{table.path}/actions?dry_run=true", {"type": "call_time"}),
        table.service.person("play").post(f"{table.path}/seats", {"chips": 12}),
    ]
    for answer in found:
        assert answer.status_code in {200, 409}, answer.get_data(as_text=True)
    return found


@pytest.mark.parametrize(
    ("way", "kind", "number", "field"),
    [
        ("removed", "deck_opened", -1, SEED),
        ("altered", "slip_written", 0, "foot"),
        pytest.param("removed", "deck_opened", -2, SEED, marks=pytest.mark.full),
        pytest.param("altered", "deck_opened", -2, SEED, marks=pytest.mark.full),
        pytest.param("removed", "slip_written", -1, "insurance", marks=pytest.mark.full),
        pytest.param("removed", "pass_chosen", -4, "cards", marks=pytest.mark.full),
        ("under another key", "pass_chosen", 0, "cards"),
        ("of another place", "bid_written", -1, "bid"),
    ],
)
def test_a_damaged_sealed_value_gives_409_and_fails_the_audit(
    service: Service, hearts: Hearts, way: str, kind: str, number: int, field: str
) -> None:
    last, position = hearts.position, position_of(hearts, kind, number)
    break_sealed(service, hearts, way, position, field)
    answers(hearts, last)
    commands(hearts)
    report = report_of(service, hearts)
    assert (report.has_failed, dict(report.tables)) == (True, {Verdict.FAILED: 1})
    assert position in {one.position for one in report.findings}


@pytest.mark.parametrize(
    "way", ["removed", "of another place", "under another key", pytest.param("altered", marks=pytest.mark.full)]
)
def test_the_next_command_at_a_table_whose_live_deck_lost_its_seed_is_answered_409(
    service: Service, hearts: Hearts, way: str
) -> None:
    position, before = position_of(hearts, "deck_opened", -2), service.events()
    break_sealed(service, hearts, way, position, SEED)
    assert refused(hearts.host.do(hearts.path, "call_time"), 409, CODE)["position"] == position
    assert service.events() == before
    for answer in commands(hearts):
        assert answer.get_json()["code"] == CODE
    assert report_of(service, hearts).has_failed
    other = Hearts(service)
    assert accepted(other.host.get(other.path)).json["status"] == "open"


def test_the_events_before_an_event_that_discloses_a_lost_value_are_served(service: Service, hearts: Hearts) -> None:
    sealed = position_of(hearts, "slip_written", 0)
    break_sealed(service, hearts, "removed", sealed, "insurance")
    counts = set()
    for _ in range(2):  # The first request finds the damage; at the later requests the table is in quarantine.
        page = accepted(hearts.host.get(f"{hearts.path}/events?limit=1000")).json
        lines = hearts.host.get(f"{hearts.path}/events", Accept="application/x-ndjson").get_data().splitlines()
        end = msgspec.json.decode(lines[-1])["end"]
        counts |= {len(page["items"]), len(lines) - 1, end["leaves"], page["next"], end["broken"][0]["position"] - 1}
        assert (page["has_more"], end["is_whole"]) == (True, False)
    (count,) = counts
    assert count >= sealed
    refused(hearts.host.get(f"{hearts.path}/events?after={count}"), 409, CODE)


def test_a_hand_whose_sealed_value_is_missing_also_fails_its_adjudication(service: Service, hearts: Hearts) -> None:
    path = f"{hearts.path}/hands/1/adjudication"
    assert accepted(hearts.host.get(path)).json["verdict"] == "clean"
    position = position_of(hearts, "bid_written", 0)
    break_sealed(service, hearts, "removed", position, "bid")
    judged = accepted(hearts.host.get(path)).json
    assert (judged["verdict"], judged["difference"]["member"]) == ("failed", "priv.bid")


@pytest.mark.parametrize(
    ("position", "change"),
    [
        *DAILY_LEAVES,
        *(pytest.param(*one, marks=pytest.mark.full) for one in product((1, 5, -1), LEAVES) if one not in DAILY_LEAVES),
    ],
)
def test_a_damaged_leaf_gives_409_wherever_it_is_needed(service: Service, change: str, position: int) -> None:
    table = Table(service).dealt()
    for _ in range(8):
        accepted(table.host.do(table.path, "call_time"))
    last = table.position
    place = position if position > 0 else last
    leaf = LEAVES[change]
    if leaf == b"":
        with reading(service.parts.engine) as connection:
            values = {"stream_id": stream_of(table), "position": place}
            found = connection.execute(text(LEAF), values).scalar_one()
        leaf = msgspec.json.encode({**msgspec.json.decode(bytes(found)), "pub": {}}, order="sorted")
    damage(service, table.id, place, leaf=leaf)
    for knows in (True, False):
        if not knows:
            forget(service)
        answers(table, last)
    for answer in commands(table):
        assert answer.get_json()["code"] == CODE


LEAF = "SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position"
