"""Rate limits: all keys of an owner count together, and requests without a key count against their address."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event
from werkzeug.test import TestResponse

from service import app, settings
from service.database.schema_check import migrate
from service.http.operations import rate_limits, request_cost
from service.http.operations.bulkhead import Bulkhead
from service.http.operations.rate_limits import WINDOW_SECONDS
from service.http.operations.request_cost import (
    BYTES_PER_UNIT,
    EVENTS_PER_UNIT,
    JUDGED_EVENTS_PER_UNIT,
    LINES_PER_UNIT,
    PAST_STATE_UNITS,
)
from service.http.resources import events
from tests.clocks import Clock
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import LINES as NDJSON


@pytest.fixture
def limited(tmp_path: Path, all_databases: Databases, clock: Clock) -> Iterator[Service]:
    """Yield a service that accepts ten requests in ten seconds from each owner and from each address."""
    with (
        all_databases.migrated("sqlite") as url,
        running(
            tmp_path, url, entropy=clock, owner_requests_per_second=1, address_requests_per_second=1, proxies=1
        ) as made,
    ):
        yield made


def ask(person: Person, times: int, path: str = "/v1/games", **headers: str) -> list[int]:
    return [person.get(path, **headers).status_code for _ in range(times)]


def test_an_answer_says_how_many_requests_are_left(limited: Service) -> None:
    person = limited.person("play")
    person.get("/v1/games")
    answer = accepted(person.get("/v1/games"))
    assert answer.headers["RateLimit-Policy"] == '"owner";q=10;w=10'
    assert answer.headers["RateLimit"] == '"owner";r=8;t=10'
    answer = limited.spectator.get("/v1/games")
    assert answer.headers["RateLimit-Policy"] == '"address";q=10;w=10'
    assert answer.headers["RateLimit"] == '"address";r=9;t=10'


def test_a_caller_above_the_limit_learns_when_to_try_again(limited: Service, clock: Clock) -> None:
    person = limited.person("play")
    assert ask(person, 10) == [200] * 10
    clock.seconds += 3.5
    answer = person.get("/v1/games")
    refused(answer, 429, "requests_must_be_fewer")
    assert answer.headers["Retry-After"] == "7"
    assert answer.headers["RateLimit"] == '"owner";r=0;t=7'
    clock.seconds += float(answer.headers["Retry-After"])
    assert ask(person, 11) == [200] * 10 + [429]


def test_all_keys_of_an_owner_are_counted_together_but_no_keys_of_others(limited: Service) -> None:
    admin = limited.person("admin", "host")
    made = accepted(admin.post("/v1/keys", {"owner": admin.owner, "scopes": ["play"]}), 201).json
    second = Person(limited, admin.owner, made["token"])
    assert ask(second, 5) == [200] * 5
    assert ask(admin, 5) == [200] * 4 + [429]
    assert ask(second, 1) == [429]
    assert ask(limited.person("play"), 1) == [200]
    assert ask(limited.spectator, 1) == [200]


def test_a_command_that_comes_too_often_is_not_done(limited: Service) -> None:
    host = limited.person("host")
    ask(host, 10)
    before = limited.events()
    refused(host.post("/v1/tables", {"game": "bankrupt"}), 429, "requests_must_be_fewer")
    assert limited.events() == before


def test_keys_that_are_not_valid_count_for_their_address(limited: Service) -> None:
    guesses = [Person(limited, "", f"ctk_{number:032x}_{0:064x}") for number in range(6)]
    assert [guess.get("/v1/whoami").status_code for guess in guesses] == [401] * 6
    assert ask(Person(limited, "", "nonsense"), 5, "/v1/whoami") == [401] * 4 + [429]
    assert ask(limited.spectator, 1) == [429]
    assert ask(limited.person("play"), 1) == [200]


def test_a_key_that_has_ended_counts_for_its_address_and_not_for_its_owner(limited: Service) -> None:
    owner = limited.person("play", "host")
    ended = accepted(owner.post("/v1/keys", {"owner": owner.owner}), 201).json
    revoked = owner.send("DELETE", f"/v1/keys/{ended['key']['id']}", headers={})
    assert revoked.status_code == 204
    lost = Person(limited, owner.owner, ended["token"])
    assert ask(lost, 11, "/v1/whoami") == [401] * 10 + [429]
    assert ask(owner, 1) == [200]
    assert ask(limited.spectator, 1) == [429]


def test_a_key_that_is_not_valid_is_looked_for_once(limited: Service) -> None:
    limited.spectator.get("/v1/whoami")
    statements = []
    event.listen(limited.parts.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    refused(Person(limited, "", f"ctk_{1:032x}_{0:064x}").get("/v1/whoami"), 401, "key_must_be_valid")
    assert len([one for one in statements if "FROM keys" in one]) == 1


def test_an_address_is_the_client_of_our_last_proxy(limited: Service) -> None:
    spectator = limited.spectator
    assert ask(spectator, 10, X_Forwarded_For="10.0.0.9, 192.0.2.1") == [200] * 10
    assert ask(spectator, 1, X_Forwarded_For="10.0.0.8, 192.0.2.1") == [429]
    assert ask(spectator, 1, X_Forwarded_For="10.0.0.9, 192.0.2.2") == [200]
    assert ask(spectator, 9, X_Forwarded_For="2001:db8::1") == [200] * 9
    assert ask(spectator, 2, X_Forwarded_For="2001:db8::2") == [200, 429]  # both addresses belong to one subscriber
    assert ask(spectator, 1, X_Forwarded_For="2001:db8:0:1::1") == [200]
    assert ask(spectator, 1, X_Forwarded_For="::ffff:192.0.2.1") == [429]
    assert ask(spectator, 1, X_Forwarded_For="192.0.2.1:4711") == [429]
    assert ask(spectator, 1, X_Forwarded_For="[2001:db8::3]:4711") == [429]
    assert ask(spectator, 1, X_Forwarded_For="[2001:db8::3]") == [429]
    assert ask(spectator, 11) == [200] * 10 + [429]  # these requests did not come through the proxy
    assert ask(spectator, 11, X_Forwarded_For="unknown") == [200] * 10 + [429]


def left(answer: TestResponse) -> int:
    """Return the number of requests left, according to the header of the response."""
    return int(answer.headers["RateLimit"].split("r=")[1].partition(";")[0])


def test_expensive_requests_count_as_several(tmp_path: Path, all_databases: Databases, clock: Clock) -> None:
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path, url, entropy=clock, owner_requests_per_second=1000, address_requests_per_second=1000) as made,
    ):
        table = Table(made, 3, buy_in=200).started()
        moves = ("deal_hand", "hold_cards", "pass_upping")
        while table.position < 350:
            assert any(table.due.do(table.path, move).status_code == 200 for move in moves)
        spectator, path = made.spectator, table.path
        clock.seconds += WINDOW_SECONDS

        def weight(question: str, who: Person = spectator, **headers: str) -> int:
            before = left(who.get("/v1/games"))
            after = left(accepted(who.get(question, **headers), 304 if headers else 200))
            return before - after

        assert weight(path) == weight(f"{path}/actions") == 1
        assert weight(f"{path}/events?limit=99") == 1
        assert weight(f"{path}/events?limit=250") == 1 + 250 // EVENTS_PER_UNIT
        assert weight(f"{path}/events?limit=250", If_None_Match=f'"{table.position}"') == 1 + 250 // EVENTS_PER_UNIT
        assert weight(f"{path}?at=100") == 1 + PAST_STATE_UNITS
        lines = accepted(spectator.get(f"{path}/accounts/stack:1/postings?limit=1000")).json["items"]
        assert len(lines) >= LINES_PER_UNIT
        assert weight(f"{path}/accounts/stack:1/postings?limit=1000") == 1 + len(lines) // LINES_PER_UNIT
        hand = accepted(spectator.get(f"{path}/hands/1")).json
        assert (
            weight(f"{path}/hands/1/adjudication") == 1 + (hand["last"] - hand["first"] + 1) // JUDGED_EVENTS_PER_UNIT
        )
        made.keep_log()
        auditor = made.person("audit")
        assert weight("/v1/log/tile/entries/000", auditor) == 1 + 256 // EVENTS_PER_UNIT
        assert weight("/v1/feed?limit=250", auditor) == 1 + 250 // EVENTS_PER_UNIT
        assert weight("/v1/feed?limit=99", auditor) == 1
        assert weight("/v1/log/tile/entries/000.p/9", auditor) == weight("/v1/log/tile/0/000") == 1


def test_a_large_document_counts_by_its_size_until_it_is_known(
    tmp_path: Path, all_databases: Databases, clock: Clock
) -> None:
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path, url, entropy=clock, address_requests_per_second=1000) as made,
    ):
        for path in ("/openapi.json", "/docs/openapi.json", "/docs/swagger-ui-bundle.js"):
            before = left(made.spectator.get("/v1/games"))
            found = accepted(made.spectator.get(path))
            after = left(made.spectator.get("/v1/games"))
            assert before - after - 1 == 1 + len(found.data) // BYTES_PER_UNIT > 1
        known = accepted(made.spectator.get(path, If_None_Match=found.headers["ETag"]), 304)
        assert after - left(known) == 1


def test_a_request_that_weighs_more_than_is_left_is_answered_but_the_next_is_refused(limited: Service) -> None:
    person = limited.person("play")
    table = Table(limited, 2)
    assert ask(person, 2, f"{table.path}?at=1") == [200] * 2  # together they cost 12 units; the limit is 10
    assert ask(person, 1) == [429]


def test_a_stream_pauses_before_it_has_used_up_the_last_half(limited: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    person = limited.person("play")
    pauses: list[float] = []
    monkeypatch.setattr(request_cost, "EVENTS_PER_UNIT", 1)  # so that the two events of a new table cost more units
    monkeypatch.setattr(limited.parts.long_polls, "pause", pauses.append)
    table = Table(limited, 2)
    for _ in range(2):
        accepted(person.get(f"{table.path}/events", Accept=NDJSON))
    assert pauses == [0.0, 0.0]
    monkeypatch.setattr(events, "_STREAM_PAGE", 1)
    accepted(person.get(f"{table.path}/events", Accept=NDJSON))
    assert pauses == [0.0, 0.0, 0.0, 10.0]
    assert ask(person, 1) == [200]


def test_a_flood_is_delayed_and_then_refused(limited: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    person = limited.person("play")
    pauses: list[float] = []
    monkeypatch.setattr(limited.parts.long_polls, "pause", pauses.append)
    ask(person, 20)
    assert not pauses
    answer = person.get("/v1/games")
    refused(answer, 429, "requests_must_be_fewer")
    assert (pauses, "Connection" in answer.headers) == ([1.0], False)
    monkeypatch.setattr(Bulkhead, "full_for", lambda *_: "")
    answer = person.get("/v1/games")
    refused(answer, 429, "requests_must_be_fewer")
    assert (pauses, answer.headers["Connection"]) == ([1.0], "close")


def test_health_and_a_browsers_question_are_free(limited: Service) -> None:
    for path in ("/healthz", "/readyz"):
        assert ask(limited.spectator, 11, path) == [200] * 11
        assert "RateLimit" not in limited.spectator.get(path).headers
    for _ in range(11):
        limited.spectator.send("OPTIONS", "/v1/tables", headers={})
    assert ask(limited.spectator, 11) == [200] * 10 + [429]
    assert ask(limited.spectator, 1, "/nothing") == [429]


def test_zero_means_no_limit(tmp_path: Path, all_databases: Databases) -> None:
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path, url, owner_requests_per_second=0, address_requests_per_second=1) as service,
    ):
        person = service.person("play")
        assert ask(person, 30) == [200] * 30
        assert "RateLimit" not in person.get("/v1/games").headers
        assert ask(service.spectator, 11) == [200] * 10 + [429]


def test_counting_needs_no_database(tmp_path: Path) -> None:
    parts = app.build(settings.load({}, data_folder=tmp_path, log_level="error", address_requests_per_second=1))
    migrate(parts.engine)
    client = app.create_app(parts).test_client()
    parts.engine.dispose()
    (tmp_path / "chiptrail.db").rename(tmp_path / "gone.db")
    (tmp_path / "chiptrail.db").mkdir()
    key = {"Authorization": f"Bearer ctk_{1:032x}_{0:064x}"}
    assert [client.get("/problems", headers=key).status_code for _ in range(11)] == [200] * 10 + [429]


def test_the_end_of_a_window_forgets_all_counts(clock: Clock) -> None:
    counts = rate_limits.WindowCounts(clock)
    for number in range(1_000):
        counts.add(str(number), 1)
    assert counts.add("7", 1) == counts.get("7") == 2
    clock.seconds += WINDOW_SECONDS
    assert (counts.get("7"), counts.seconds_left()) == (0, 0)  # although nothing has begun the next window yet
    assert counts.add("8", 3) == 3
    assert (counts.get("7"), counts.seconds_left()) == (0, WINDOW_SECONDS)
