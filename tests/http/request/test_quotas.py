"""The limits of an owner's unfinished tables and seats: at a limit, the owner can still repeat its commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http.service import Service, Table, accepted, refused, running

OPENING = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 12}}


@pytest.fixture
def narrow(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service with limits of two unfinished tables and two seats at unfinished tables."""
    with running(tmp_path, database_url, tables_per_owner=2, seats_per_owner=2) as made:
        yield made


@pytest.mark.walk
def test_a_host_has_a_limited_number_of_unfinished_tables(narrow: Service) -> None:
    host, other = narrow.person("host"), narrow.person("host")
    paths = [
        accepted(host.post("/v1/tables", OPENING, key=f"open-{number}"), 201).headers["Location"] for number in (1, 2)
    ]
    refused(host.post("/v1/tables", OPENING, key="open-3"), 409, "tables_must_be_fewer")
    accepted(other.post("/v1/tables", OPENING), 201)
    again = accepted(host.post("/v1/tables", OPENING, key="open-1"), 201)
    assert (again.headers["Location"], again.headers["Idempotent-Replayed"]) == (paths[0], "true")
    accepted(host.do(paths[0], "close_table"))
    accepted(host.post("/v1/tables", OPENING, key="open-3"), 201)


@pytest.mark.walk
def test_a_player_has_a_limited_number_of_seats_at_unfinished_tables(narrow: Service) -> None:
    player = narrow.person("play")
    first, second, third = (Table(narrow, players=2) for _ in range(3))
    sitting = {"chips": 12}
    accepted(player.post(f"{first.path}/seats", sitting, key="sit-1"), 201)
    accepted(player.post(f"{second.path}/seats", sitting), 201)
    refused(player.post(f"{third.path}/seats", sitting, key="sit-3"), 409, "seats_must_be_fewer")
    narrow.person("play", owner=player.owner, made_by=third.host.owner)
    refused(third.host.post(f"{third.path}/seats", {**sitting, "player": player.owner}), 409, "seats_must_be_fewer")
    again = accepted(player.post(f"{first.path}/seats", sitting, key="sit-1"), 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    accepted(player.do(first.path, "leave_seat"))
    accepted(player.post(f"{third.path}/seats", sitting, key="sit-3"), 201)
    accepted(second.host.do(second.path, "close_table"))
    accepted(player.post(f"{Table(narrow, players=2).path}/seats", sitting), 201)


def test_zero_allows_any_number(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, tables_per_owner=0, seats_per_owner=0) as service:
        host, player = service.person("host"), service.person("play")
        for _ in range(3):
            path = accepted(host.post("/v1/tables", OPENING), 201).headers["Location"]
            accepted(player.post(f"{path}/seats", {"chips": 12}), 201)
