"""`/metrics` has the numbers of tables, commands and requests, and no names of people or tables."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError

from service.api_keys.repository import Scope
from service.database.engines import UnknownCommit
from service.games import CURRENT
from service.http.operations import metrics
from service.http.resources.metrics_page import CACHE_SECONDS
from service.play.handler import Play
from service.tables.cache import MOST_TABLES
from service.transparency.log_keeper import LogKeeper
from tests.clocks import Clock
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS, answer, frames

Samples = dict[tuple[str, ...], float]


def scraped(service: Service) -> Samples:
    """Return each sample under its name and the values of its labels, sorted by the labels' names."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(written(service))
        for sample in family.samples
    }


def written(service: Service) -> str:
    """Return the text of a scrape, after emptying the cache of scrapes."""
    cache = getattr(service.parts.scrape, "__self__")  # noqa: B009 -- the type does not show the bound method
    cache._entry = None
    return service.parts.scrape().decode()


def commands(service: Service) -> dict[str, float]:
    found = {name[1:]: value for name, value in scraped(service).items() if name[0] == "chiptrail_commands_total"}
    assert {game for game, _ in found} <= {"bankrupt", ""}
    return {outcome: value for (_, outcome), value in found.items()}


def a_hand(table: Table) -> int:
    """Play until the hand is settled; return the number of recorded commands."""
    made = 0
    while not any(hand["is_settled"] for hand in accepted(table.host.get(f"{table.path}/hands")).json["items"]):
        person = table.due
        items = accepted(person.get(f"{table.path}/actions")).json["items"]
        wanted = next(item["action"] for item in items if item["action"]["type"] != "resign")
        accepted(person.post(f"{table.path}/actions", wanted))
        made += 1
    return made


def test_a_played_hand_is_counted(service: Service) -> None:
    table = Table(service).started()
    made = 1 + len(table.players) + 1 + a_hand(table)
    repeated = accepted(table.host.do(table.path, "start_game", key="again"), 409)
    assert repeated.status_code == 409
    samples = scraped(service)
    assert samples["chiptrail_commands_total", "bankrupt", "recorded"] == made
    assert samples["chiptrail_commands_total", "bankrupt", "refused"] == 1
    actions = ("POST", "/v1/tables/{table}/actions")
    assert samples["chiptrail_answers_total", *actions, "200"] == made - 1 - len(table.players)
    assert samples["chiptrail_answers_total", *actions, "409"] == 1
    assert samples["chiptrail_request_seconds_count", *actions] == made - len(table.players)
    assert samples["chiptrail_request_seconds_sum", *actions] > 0
    assert samples["chiptrail_streams",] == 1
    assert samples["chiptrail_log_events",] == samples["chiptrail_stream_head_highest",] == service.events()
    assert samples["chiptrail_log_lag_events",] == 0
    assert samples["chiptrail_log_leaves_without_index",] == service.events()
    assert samples["chiptrail_log_checkpoint_size",] == 0
    assert samples["chiptrail_database_up",] == 1
    assert samples["chiptrail_waiting_places_taken",] == 0


def test_leaves_without_an_index_and_the_newest_checkpoint_are_counted(service: Service) -> None:
    Table(service).started()
    keeper = LogKeeper(service.parts.engine, service.parts.log_signer, service.parts.clock)
    keeper.look()
    signed = service.events()
    samples = scraped(service)
    assert samples["chiptrail_log_leaves_without_index",] == 0
    assert samples["chiptrail_log_checkpoint_size",] == signed


def test_every_outcome_has_its_count(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(quick_service).started()
    before = commands(quick_service)
    table.due.do(table.path, "deal_hand", key="deal")
    refused(table.host.do(table.path, "start_game"), 409, "game_must_not_have_started")
    stale = table.due.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match='"1"')
    refused(stale, 412, "position_must_match")
    refused(quick_service.person("play").do(table.path, "hold_cards"), 403, "asker_must_be_a_player")
    player = table.due
    accepted(player.do(table.path, "hold_cards", key="hold"))
    accepted(player.do(table.path, "hold_cards", key="hold"))
    refused(player.do(table.path, "deal_hand", key="hold"), 422, "idempotency_key_must_be_new")
    for error in (UnknownCommit("lost"), OperationalError("", {}, OSError("gone"))):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(Play, "_attempt", fail)
            assert table.due.do(table.path, "hold_cards").status_code >= 500
    after = commands(quick_service)
    assert {name: value - before.get(name, 0) for name, value in after.items()} == {
        "recorded": 2,
        "replayed": 1,
        "refused": 1,
        "stale": 1,
        "denied": 1,
        "mismatched": 1,
        "unknown": 1,
        "failed": 1,
    }


def test_no_label_names_a_person_or_a_table(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    Person(quick_service, "", "nonsense").get(table.path)
    for method in ("GET", "BREW", "PROPFIND"):
        quick_service.spectator.send(method, f"/nothing/{table.id}", headers={})
    text = written(quick_service)
    assert not re.search(r"(tbl|own|key|ctk|req)_[0-9a-f]{8}|/nothing|BREW|PROPFIND", text)
    samples = scraped(quick_service)
    assert samples["chiptrail_answers_total", "other", "", "404"] == 2
    assert samples["chiptrail_answers_total", "GET", "", "404"] == 1


def test_a_request_with_wait_does_not_count_as_slow(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    route = ("GET", "/v1/tables/{table}/actions")
    accepted(table.due.get(f"{table.path}/actions?wait=30"))
    samples = scraped(quick_service)
    assert samples["chiptrail_answers_total", *route, "200"] == 1
    assert ("chiptrail_request_seconds_count", *route) not in samples


def test_waiting_requests_are_counted_while_they_wait(quick_service: Service) -> None:
    waiting = quick_service.parts.long_polls
    with waiting.slot("somebody"), waiting.slot("somebody else"):
        assert scraped(quick_service)["chiptrail_waiting_places_taken",] == 2
    samples = scraped(quick_service)
    assert samples["chiptrail_waiting_places_taken",] == 0
    assert samples["chiptrail_waiting_places",] == quick_service.parts.settings.waiting_places


def test_streams_are_among_the_requests_that_run_until_they_close(quickly_served: tuple[Service, str]) -> None:
    service, url = quickly_served
    table = Table(service)

    def running_now() -> float:
        return scraped(service)["chiptrail_requests_running",]

    with ExitStack() as streams:
        held = [streams.enter_context(answer(url, f"{table.path}/events", Accept=EVENTS)) for _ in range(3)]
        for response in held:
            assert next(frames(response)).id == "1"
        assert running_now() == 3
        accepted(table.host.do(table.path, "close_table"))
        for response in held:
            assert [frame.event for frame in frames(response)][-1] == "end"
    for _ in range(600):
        if running_now() == 0:
            break
        Event().wait(0.05)
    assert running_now() == 0


def test_the_lag_counts_events_of_other_processes_that_this_process_has_not_folded(
    service: Service, tmp_path: Path
) -> None:
    table = Table(service).seated()
    with running(tmp_path, service.parts.settings.database_url) as other:
        before = service.events()
        accepted(Person(other, table.host.owner, table.host.token).do(table.path, "start_game"))
    assert scraped(service)["chiptrail_log_lag_events",] == service.events() - before > 0
    assert service.parts.tables.latest_positions(MOST_TABLES).values()


def test_gauges_of_ended_processes_are_dropped_and_their_counters_stay(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for kind in ("gauge_livesum", "counter"):
        for process in (ended.pid, os.getpid()):
            (tmp_path / f"{kind}_{process}.db").touch()
    metrics._remove_dead_processes(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"gauge_livesum_{os.getpid()}.db",
        f"counter_{os.getpid()}.db",
        f"counter_{ended.pid}.db",
    }


def test_the_database_is_asked_every_few_seconds_at_most(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    with running(tmp_path, database_url, entropy=clock) as service:
        assert scraped(service)["chiptrail_streams",] == 0
        Table(service)
        assert scraped(service)["chiptrail_streams",] == 0
        clock.seconds += 5
        assert scraped(service)["chiptrail_streams",] == 1

        def fail() -> None:
            raise OperationalError("", {}, OSError("gone"))

        monkeypatch.setattr(service.parts.engine, "connect", fail)
        assert scraped(service)["chiptrail_database_up",] == 1
        clock.seconds += 5
        samples = scraped(service)
        assert samples["chiptrail_database_up",] == 0
        assert ("chiptrail_streams",) not in samples


@pytest.mark.parametrize("scope", ["metrics", "admin"])
def test_a_key_with_the_scope_reads_metrics(quick_service: Service, scope: Scope) -> None:
    answer = accepted(quick_service.person(scope).get("/metrics"))
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert (answer.headers["Cache-Control"], answer.headers["Vary"]) == ("no-store", "Authorization")
    assert b"chiptrail_build_info" in answer.data


def test_only_this_scope_reads_metrics_and_it_allows_nothing_else(quick_service: Service) -> None:
    refused(quick_service.spectator.get("/metrics"), 401, "key_must_be_given")
    scopes: tuple[Scope, ...] = ("play", "host", "audit")
    for scope in scopes:
        details = refused(quick_service.person(scope).get("/metrics"), 403, "scope_must_be_granted")
        assert details["scope"] == "metrics"
    scraper = quick_service.person("metrics")
    for place in ("/v1/keys", "/v1/tables"):
        refused(scraper.post(place, {"game": "bankrupt"}), 403, "scope_must_be_granted")
    table = Table(quick_service, visibility="private")
    refused(scraper.get(table.path), 404, "table_must_exist")


def test_a_scrape_is_written_once_in_a_few_seconds(tmp_path: Path, database_url: str) -> None:
    clock = Clock()
    with running(tmp_path, database_url, entropy=clock) as service:
        scraper = service.person("metrics")

        def scrape() -> bytes:
            data: bytes = accepted(scraper.get("/metrics")).data
            return data

        first = scrape()
        Table(service)
        assert scrape() == first
        clock.seconds += CACHE_SECONDS
        assert scrape() != first


@pytest.mark.parametrize("game", CURRENT)
def test_metrics_do_not_distinguish_a_private_table_from_a_missing_one(
    tmp_path: Path, all_databases: Databases, game: str
) -> None:
    """Once, the label of a denied command named the game of the private table that the command was sent to."""
    texts = []
    for is_there in (True, False):
        with (
            all_databases.migrated("sqlite") as url,
            running(tmp_path / str(is_there), url, entropy=Clock()) as service,
        ):
            table = Table(service, CURRENT[game].seats.default, game=game, visibility="private")
            stranger, host = service.person("play"), service.person("host")
            path = table.path if is_there else f"/v1/tables/tbl_{0:032x}"
            for who in (stranger, host, service.spectator):
                for place in ("", "/actions", "/events", "/balances", "/hands", "/hands/1", "/hands/1/adjudication"):
                    who.get(path + place)
            for action in ("leave_seat", "deal_hand", "hold_cards", "take_bet"):
                stranger.do(path, action)
            for action in ("start_game", "call_time", "close_table"):
                host.do(path, action)
            stranger.post(f"{path}/seats", {"chips": 1})
            host.post(f"{path}/seats", {"chips": 1, "player": stranger.owner})
            texts.append(written(service))
    assert texts[0] == texts[1]
    assert 'chiptrail_commands_total{game="",outcome="denied"}' in texts[0]
