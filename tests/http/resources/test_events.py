"""The stream of a table: everybody gets every leaf, but only openings that they may see; long polls wait for events."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import msgspec
import pytest

from service.cards import PACK
from service.deck import leaf_hash as card_hash
from service.event_store.leaf import leaf_hash
from service.http.operations.waiting import head_watcher
from tests.faults.servers import wait_until
from tests.http.service import Person, Service, Table, accepted, refused, running


def _items(person: Person, table: Table, query: str = "") -> list[Any]:
    return list(accepted(person.get(f"{table.path}/events{query}")).json["items"])


def test_all_readers_get_the_same_leaves_and_each_reader_the_own_openings(service: Service) -> None:
    table = Table(service).dealt()
    everybody = [service.spectator, table.host, service.person("audit"), *table.players.values()]
    streams = [_items(person, table, "?limit=1000") for person in everybody]
    assert all([item["leaf"] for item in stream] == [item["leaf"] for item in streams[0]] for stream in streams)
    assert all([item["hash"] for item in stream] == [item["hash"] for item in streams[0]] for stream in streams)
    for stream in streams[:3]:
        assert not any(item["openings"] for item in stream)
    for seat, stream in zip(table.players, streams[3:], strict=True):
        opened = {one["pos"] for item in stream for one in item["openings"] if item["leaf"]["type"] == "cards_dealt"}
        running_hand = [item for item in stream if item["leaf"]["type"] == "cards_dealt"][-1]
        own = {pos for pos, to in running_hand["leaf"]["pub"]["cards"] if to == seat}
        assert len(own) == 2
        assert own <= opened


def test_an_opening_proves_its_card_against_the_decks_root(service: Service) -> None:
    table = Table(service).dealt()
    stream = _items(table.players[1], table, "?limit=1000")
    roots = {item["leaf"]["pub"]["epoch"]: item["leaf"]["pub"]["deck_root"] for item in stream if _fixes(item)}
    openings = [one for item in stream for one in item["openings"]]
    assert openings
    for one in openings:
        assert one["face"] in PACK
        leaf = bytes.fromhex(card_hash(one["epoch"], one["pos"], one["face"], one["salt"]))
        path = [bytes.fromhex(step) for step in one["proof"]]
        assert _root(leaf, one["pos"], len(PACK), path).hex() == roots[one["epoch"]]


def _fixes(item: dict[str, Any]) -> bool:
    return bool(item["leaf"]["type"] == "deck_fixed")


def _root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """Return the root that an inclusion path (RFC 6962, 2.1.1) gives for a leaf, without the service's code."""

    def node(left: bytes, right: bytes) -> bytes:
        return sha256(b"\x01" + left + right).digest()

    if size == 1:
        assert not path
        return leaf
    split = 1 << ((size - 1).bit_length() - 1)
    *inner, last = path
    if index < split:
        return node(_root(leaf, index, split, inner), last)
    return node(last, _root(leaf, index - split, size - split, inner))


def test_a_leaf_is_sent_with_the_bytes_that_were_hashed(service: Service) -> None:
    table = Table(service).dealt()

    class Item(msgspec.Struct):
        leaf: msgspec.Raw
        hash: str

    class Page(msgspec.Struct):
        items: list[Item]

    answer = accepted(service.spectator.get(f"{table.path}/events?limit=1000"))
    for item in msgspec.json.decode(answer.data, type=Page).items:
        assert leaf_hash(bytes(item.leaf)).hex() == item.hash


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_pages_run_on_without_a_gap(service: Service, limit: int) -> None:
    table = Table(service, 2).dealt()
    after, positions, has_more = 0, [], True
    while has_more:
        page = accepted(service.spectator.get(f"{table.path}/events?after={after}&limit={limit}")).json
        positions += [item["leaf"]["position"] for item in page["items"]]
        after, has_more = page["next"], page["has_more"]
        assert page["position"] == table.position
    assert positions == list(range(1, table.position + 1))
    beyond = accepted(service.spectator.get(f"{table.path}/events?after={after + 5}")).json
    assert (beyond["items"], beyond["has_more"], beyond["next"]) == ([], False, after + 5)


def test_a_page_links_to_the_next(service: Service) -> None:
    table = Table(service, 2)
    answer = accepted(service.spectator.get(f"{table.path}/events?limit=1"))
    assert answer.headers["Link"] == f'<{table.path}/events?limit=1&after=1>; rel="next"'
    assert "Link" not in accepted(service.spectator.get(f"{table.path}/events?limit=2")).headers


def test_a_waiting_reader_is_woken_by_the_next_event(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_watcher, "_SHORTEST_PAUSE_SECONDS", 60)
    monkeypatch.setattr(head_watcher, "_LONGEST_PAUSE_SECONDS", 60)
    table = Table(service, 2).seated()
    at = table.position
    with _asking(table.players[1], f"{table.path}/events?after={at}&wait=30") as answers:
        accepted(table.host.do(table.path, "start_game"))
    assert accepted(answers[0]).json["items"][0]["leaf"]["type"] == "game_started"


@pytest.mark.walk
def test_a_waiting_reader_sees_events_of_another_process(service: Service, tmp_path: Path, database_url: str) -> None:
    table = Table(service, 2).seated()
    with running(tmp_path, database_url) as other:
        host = Person(other, table.host.owner, table.host.token)
        with _asking(table.players[1], f"{table.path}/events?after={table.position}&wait=30") as answers:
            accepted(host.do(table.path, "start_game"))
    assert accepted(answers[0]).json["items"][0]["leaf"]["type"] == "game_started"


def test_a_wait_ends_after_its_time(service: Service) -> None:
    table = Table(service, 2)
    started = monotonic()
    page = accepted(service.spectator.get(f"{table.path}/events?after=2&wait=1")).json
    assert (page["items"], page["next"]) == ([], 2)
    assert monotonic() - started >= 1


def test_a_request_does_not_wait_for_an_event_that_exists(service: Service) -> None:
    table = Table(service, 2)
    service.parts.long_polls.end()  # so that a request that would wait is refused
    assert len(_items(service.spectator, table, "?wait=30")) == 2


def test_a_request_that_waits_needs_a_free_slot(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, waiting_places=1) as service:
        table = Table(service, 2).seated()
        path = f"{table.path}/events?after={table.position}"
        with _asking(table.players[1], f"{path}&wait=30") as answers:
            busy = table.players[2].get(f"{path}&wait=30")
            refused(busy, 503, "place_must_be_free")
            assert busy.headers["Retry-After"] == "1"
            assert _items(table.players[2], table, f"?after={table.position}") == []  # a plain page needs no slot
            assert len(_items(table.players[2], table, "?wait=30")) == table.position  # events exist already
            accepted(table.host.do(table.path, "start_game"))
        assert accepted(answers[0]).json["items"]
        assert not service.parts.long_polls.readers.awaited()
        assert service.parts.long_polls.slots_taken == 0


def test_nobody_takes_more_waiting_slots_than_allowed(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, waiting_places_each=1, proxies=1) as service:
        table = Table(service, 2).seated()
        path = f"{table.path}/events?after={table.position}&wait=30"
        with _asking(table.players[1], path) as answers:
            details = refused(table.players[1].get(path), 503, "place_must_be_free")
            assert details["detail"].endswith("may take at most 1 of the waiting slots.")
            with _asking(service.person("play"), path, X_Forwarded_For="192.0.2.1") as others:
                accepted(table.host.do(table.path, "start_game"))
        assert accepted(answers[0]).json["items"]
        assert accepted(others[0]).json["items"]


@pytest.mark.parametrize("question", ["events?after=9&wait=30", "actions?wait=30"])
def test_nobody_waits_for_a_table_that_is_over(quick_service: Service, question: str) -> None:
    table = Table(quick_service, 2).seated()
    accepted(table.host.do(table.path, "close_table"))
    quick_service.parts.long_polls.end()  # so that a request that would wait is refused
    accepted(table.players[1].get(f"{table.path}/{question}"))


def test_a_wait_ends_at_once_when_the_service_is_about_to_stop(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    path = f"{table.path}/events?after={table.position}&wait=30"
    with _asking(table.players[1], path) as answers:
        quick_service.parts.long_polls.end()
    assert accepted(answers[0]).json["items"] == []
    refused(table.players[1].get(path), 503, "place_must_be_free")


def test_a_key_that_ends_meanwhile_waits_in_vain(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    player = table.players[1]
    with _asking(player, f"{table.path}/events?after={table.position}&wait=30") as answers:
        key = accepted(player.get("/v1/whoami")).json["key"]
        accepted(player.send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        accepted(table.host.do(table.path, "start_game"))
    refused(answers[0], 401, "key_must_be_valid")


@contextmanager
def _asking(person: Person, path: str, **headers: str) -> Iterator[list[Any]]:
    """Send a request in a thread; yield once the request waits, and return once it is answered."""
    answers: list[Any] = []
    places = person.service.parts.long_polls
    caller = Person(person.service, person.owner, person.token)
    thread = Thread(target=lambda: answers.append(caller.get(path, **headers)))
    taken = places.slots_taken
    thread.start()
    wait_until(lambda: places.slots_taken > taken)
    assert not answers
    started = monotonic()
    yield answers
    thread.join()
    assert monotonic() - started < 25, "it waited to its end"
