"""The system clock jumps a day in either direction: events keep their order, and no time limit ends early."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest

from service.audit.log_audit import verify
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.games import EVENTS
from service.play.timekeeper import Timekeeper
from tests.http.service import Person, Service, Table, accepted, refused

DAY = timedelta(days=1)
LIMIT_SECONDS = 60


class Jumping(Entropy):
    """A clock whose wall time a test sets, while its monotonic time goes on by itself."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self.seconds = 1_000.0

    def now(self) -> str:
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def monotonic(self) -> float:
        self.seconds += 0.001
        return self.seconds


@pytest.fixture
def clock() -> Jumping:
    return Jumping()


@pytest.fixture
def service(tmp_path: Path, database_url: str, clock: Jumping) -> Iterator[Service]:
    """Yield a service that reads the time from *clock*."""
    made = Service(tmp_path, database_url, entropy=clock)
    yield made
    made.close()


def play(table: Table, clock: Jumping, commands: int) -> list[tuple[Person, str, Any, bytes]]:
    """Send *commands* actions; the clock jumps before four of five; return person, key, action and response of each."""
    made = []
    for number, jump in zip(range(commands), cycle((DAY, -DAY, -DAY, DAY, timedelta(0))), strict=False):
        clock.at += jump
        person = table.due
        items = accepted(person.get(f"{table.path}/actions")).json["items"]
        action = next(item["action"] for item in items if item["action"]["type"] != "resign")
        answer = accepted(person.post(f"{table.path}/actions", action, key=f"move {number}"))
        made.append((person, f"move {number}", action, answer.data))
    return made


def test_events_have_the_order_of_their_recording_at_any_time_of_the_clock(service: Service, clock: Jumping) -> None:
    table = Table(service).started()
    play(table, clock, 12)
    items = accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"]
    assert [item["leaf"]["position"] for item in items] == list(range(1, len(items) + 1))
    assert all(item["leaf"]["prev"] == before["hash"] for before, item in pairwise(items))
    times = [item["leaf"]["at"] for item in items]
    assert times != sorted(times), "the clock did go back"
    parts = service.parts
    assert not verify(parts.engine, parts.log, Codec(EVENTS)).findings


def test_nothing_is_lost_and_repeats_get_the_same_answers_after_a_jump(service: Service, clock: Jumping) -> None:
    table = Table(service).started()
    made = play(table, clock, 6)
    events = service.events()
    for jump in (DAY, -DAY, -DAY):
        clock.at += jump
        for person, key, action, answer in made:
            again = accepted(person.post(f"{table.path}/actions", action, key=key))
            assert (again.data, again.headers["Idempotent-Replayed"]) == (answer, "true")
    assert service.events() == events


def test_every_table_is_listed_once_on_whatever_day_it_was_opened(service: Service, clock: Jumping) -> None:
    tables = []
    for jump in (DAY, -DAY, -DAY, DAY, -DAY):
        clock.at += jump
        tables.append(Table(service, 2).id)
    listed: list[str] = []
    after, has_more = "", True
    while has_more:
        page = accepted(service.spectator.get(f"/v1/tables?limit=2&after={after}")).json
        listed += [item["table"] for item in page["items"]]
        after, has_more = page["next"], page["has_more"]
    assert sorted(listed) == sorted(tables)


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_time_is_called_by_elapsed_time_and_not_by_the_wall_clock(
    service: Service, clock: Jumping, jump: timedelta
) -> None:
    table = Table(service, 2)
    body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 12}, "time_limit_seconds": LIMIT_SECONDS}
    table.path = accepted(table.host.post("/v1/tables", body), 201).headers["Location"]
    table.buy_in = 12
    table.dealt()
    parts = service.parts
    keeper = Timekeeper(parts.engine, parts.play, parts.tables, clock)
    assert keeper.look() == 0
    clock.at += jump
    assert keeper.look() == 0, "a jump of the clock is no elapsed time"
    clock.seconds += LIMIT_SECONDS - 5
    assert keeper.look() == 0
    clock.at -= 2 * jump
    clock.seconds += 6
    assert keeper.look() == 1


def test_a_key_ends_by_the_wall_clock_and_is_valid_again_if_the_clock_goes_back(
    service: Service, clock: Jumping
) -> None:
    ends = (clock.at + DAY / 2).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    person = service.person("play", expires_at=ends)
    accepted(person.get("/v1/whoami"))
    clock.at += DAY
    refused(person.get("/v1/whoami"), 401, "key_must_be_valid")
    clock.at -= DAY
    accepted(person.get("/v1/whoami"))
    clock.at -= DAY
    accepted(person.get("/v1/whoami"))


def test_a_revoked_key_stays_revoked_at_any_time_of_the_clock(service: Service, clock: Jumping) -> None:
    person = service.person("play")
    admin = service.person("admin")
    accepted(person.get("/v1/whoami"))
    accepted(admin.send("DELETE", f"/v1/keys/key_{person.token.split('_')[1]}", headers={}), 204)
    for jump in (-DAY, DAY, DAY):
        clock.at += jump
        clock.seconds += 2
        refused(person.get("/v1/whoami"), 401, "key_must_be_valid")


def test_rates_are_counted_by_elapsed_time(tmp_path: Path, database_url: str, clock: Jumping) -> None:
    service = Service(tmp_path, database_url, entropy=clock, owner_requests_per_second=1)
    person = service.person("play")
    codes = [person.get("/v1/whoami").status_code for _ in range(12)]
    assert codes[-1] == 429
    for jump in (DAY, -DAY, -DAY):
        clock.at += jump
        refused(person.get("/v1/whoami"), 429, "requests_must_be_fewer")
    clock.seconds += 20
    accepted(person.get("/v1/whoami"))
    service.close()
