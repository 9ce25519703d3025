"""The access log: one line of JSON for each request, with the id that is also in the response, and without secrets."""

import json
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import structlog
from sqlalchemy.exc import OperationalError

from service import app, settings
from service.http.operations import access_log
from service.notices import LineBatch, StandardError
from service.play.timekeeper import Timekeeper
from service.settings import LogLevel
from tests.clocks import Clock
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, running


@pytest.fixture
def chatty(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield a service that logs at the level `info`: every request except those for health and for metrics."""
    with all_databases.migrated("sqlite") as url, running(tmp_path, url, log_level="info") as made:
        yield made


def _lines(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_request_is_one_line_with_the_id_of_its_answer(chatty: Service, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(chatty)
    capsys.readouterr()
    person = table.players[1]
    answer = person.post(f"{table.path}/seats", {"chips": 12})
    (line,) = _lines(capsys)
    assert line.pop("at").endswith("Z")
    assert line.pop("ms") >= 0
    assert line == {
        "event": "request",
        "level": "info",
        "request_id": answer.headers["X-Request-Id"],
        "method": "POST",
        "route": "/v1/tables/<table>/seats",
        "status": 201,
        "owner": person.owner,
        "key": accepted(person.get("/v1/whoami")).json["key"],
        "table": table.id,
        "first": 3,
        "position": 3,
    }


def test_the_line_names_the_owner_of_a_valid_key_and_nobody_else(
    chatty: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    person, ended = chatty.person("play"), chatty.person("play")
    keys = [accepted(one.get("/v1/whoami")).json["key"] for one in (person, ended)]
    accepted(ended.send("DELETE", f"/v1/keys/{keys[1]}", headers={}), 204)
    capsys.readouterr()
    for one in (person, ended, chatty.spectator, Person(chatty, "", f"{person.token[:-4]}0000")):
        one.get("/v1/tables")
    lines = _lines(capsys)
    assert [(line.get("owner"), line.get("key")) for line in lines] == [
        (person.owner, keys[0]),
        (ended.owner, keys[1]),
        (None, None),
        (None, None),
    ]


def test_the_line_of_a_command_leads_to_its_events(chatty: Service, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(chatty).started()
    person = table.due
    capsys.readouterr()
    answers = [accepted(person.do(table.path, "deal_hand", key="deal")) for _ in range(2)]
    lines = _lines(capsys)
    assert [line["request_id"] for line in lines] == [answer.headers["X-Request-Id"] for answer in answers]
    for line in lines:
        query = f"?after={line['first'] - 1}&limit={1 + line['position'] - line['first']}"
        found = accepted(table.host.get(f"/v1/tables/{line['table']}/events{query}")).json["items"]
        assert [item["hash"] for item in found] == [item["hash"] for item in answers[0].json["events"]]
    capsys.readouterr()
    accepted(table.host.get(table.path))
    (read,) = _lines(capsys)
    assert "first" not in read


def test_other_lines_of_a_process_have_the_same_form(chatty: Service, capsys: pytest.CaptureFixture[str]) -> None:
    structlog.get_logger("service.play.timekeeper").warning("time_not_kept", error="OperationalError")
    structlog.get_logger("service.play.timekeeper").debug("nothing")
    said = capsys.readouterr()
    line = json.loads(said.err)
    assert line.pop("at").endswith("Z")
    assert line == {"event": "time_not_kept", "level": "warning", "error": "OperationalError"}
    assert said.out == ""


def test_the_cause_of_a_failure_is_the_first_line_of_the_drivers_message() -> None:
    """The further lines of the message may have values of rows."""
    said = RuntimeError("no such table: streams\nDETAIL: Key (stream_id)=(secret)")
    assert access_log._cause(OperationalError("SELECT 1", {}, said)) == "no such table: streams"


def test_a_command_of_the_timekeepers_has_a_line_that_leads_to_its_events(
    tmp_path: Path, all_databases: Databases, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    chosen: dict[str, Any] = {"entropy": clock, "log_level": "info"}
    with all_databases.migrated("sqlite") as url, running(tmp_path, url, **chosen) as service:
        host = service.person("host")
        opening = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 12}, "time_limit_seconds": 30}
        path = accepted(host.post("/v1/tables", opening), 201).headers["Location"]
        for _ in range(2):
            accepted(service.person("play").post(f"{path}/seats", {"chips": 12}), 201)
        accepted(host.do(path, "start_game"))
        parts = service.parts
        keeper = Timekeeper(parts.engine, parts.play, parts.tables, parts.clock)
        assert keeper.look() == 0
        before = service.events()
        capsys.readouterr()
        clock.seconds += 30
        assert keeper.look() == 1
        (line,) = _lines(capsys)
        assert line.pop("at").endswith("Z")
        assert line == {
            "event": "time_called",
            "level": "info",
            "table": path.rpartition("/")[2],
            "first": before + 1,
            "position": service.events(),
        }


def test_keys_bodies_and_cards_are_in_no_line(chatty: Service, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(chatty).dealt()
    accepted(table.due.do(table.path, "exchange_card", card=1))
    admin = chatty.person("admin")
    made = accepted(admin.post("/v1/keys", {"label": "Ann"}), 201).json
    for person in (*table.players.values(), Person(chatty, "", made["token"])):
        person.get(table.path)
        person.get(f"{table.path}/events")
        person.get(f"{table.path}/nothing?token={person.token}")
    written = capsys.readouterr().err
    assert written.count("\n") > 20
    for secret in (
        admin.token,
        made["token"],
        "Ann",
        '"face',
        "salt",
        '"card',
        "exchange_card",
        "ctk_",
        "Bearer",
        "token=",
    ):
        assert secret not in written


@pytest.mark.parametrize(("level", "lines"), [("warning", 0), ("info", 1), ("debug", 2)])
def test_requests_for_health_are_logged_at_debug_only(
    tmp_path: Path,
    all_databases: Databases,
    capsys: pytest.CaptureFixture[str],
    level: LogLevel,
    lines: int,
) -> None:
    with all_databases.migrated("sqlite") as url, running(tmp_path, url, log_level=level) as service:
        accepted(service.spectator.get("/healthz"))
        accepted(service.spectator.get("/v1/games"))
    assert len(_lines(capsys)) == lines


def test_an_id_that_the_client_sends_is_not_taken_for_ours(chatty: Service) -> None:
    answer = chatty.spectator.get("/healthz", X_Request_Id="mine")
    assert answer.headers["X-Request-Id"] != "mine"


def test_an_id_that_the_client_sends_is_in_no_line(chatty: Service, capsys: pytest.CaptureFixture[str]) -> None:
    chatty.spectator.get("/v1/games", X_Request_Id="mine-ctk_secret")
    assert "mine" not in capsys.readouterr().err


def test_the_app_is_made_from_the_environment(
    tmp_path: Path, all_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    with all_databases.migrated("sqlite") as url:
        monkeypatch.setenv("CHIPTRAIL_DATA_FOLDER", str(tmp_path))
        monkeypatch.setenv("CHIPTRAIL_DATABASE_URL", url)
        made = app.application()
        assert made.test_client().get("/v1/games").status_code == 200
        assert (tmp_path / "service-key.json").exists()
        assert app.make(settings.load({}, data_folder=tmp_path, database_url=url)).test_client().get("/healthz")


def test_a_server_writes_whole_lines_and_no_write_is_longer_than_what_a_pipe_keeps_together() -> None:
    written: list[str] = []
    batch = LineBatch(Kept(written))
    lines = [
        json.dumps({"number": number, "text": "é" * (37 * number % 900)}, ensure_ascii=False) for number in range(60)
    ]
    for line in lines:
        batch.msg(line)
    assert written == []
    batch.end()
    assert [line for text in written for line in text.split("\n")] == lines
    assert 1 < len(written) < len(lines)
    assert all(len(f"{text}\n".encode()) <= select.PIPE_BUF for text in written)
    batch.msg("the last line")
    assert written[-1] == "the last line"


def test_a_line_longer_than_what_a_pipe_keeps_together_is_written_alone() -> None:
    written: list[str] = []
    batch = LineBatch(Kept(written))
    for line in ("a", "b" * 5_000, "c"):
        batch.msg(line)
    batch.end()
    assert written == ["a", "b" * 5_000, "c"]


def test_collected_lines_are_written_without_another_line() -> None:
    written: list[str] = []
    kept = Kept(written)
    batch = LineBatch(kept, pause_seconds=0)
    batch.start()
    for line in ("a", "b"):
        batch.msg(line)
        assert kept.came.wait(30)
        kept.came.clear()
    assert written == ["a", "b"]


def test_lines_that_nobody_reads_are_kept_up_to_a_limit() -> None:
    written: list[str] = []
    batch = LineBatch(Kept(written))
    for number in range(10_002):
        batch.msg(str(number))
    assert written == ["10000", "10001"]


def test_a_process_without_standard_error_writes_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    batch = LineBatch(StandardError())
    batch.msg("a")
    batch.end()
    batch.msg("b")


class Kept(StandardError):
    """Records each text that is written to standard error."""

    def __init__(self, written: list[str]) -> None:
        self._written = written
        self.came = Event()

    def msg(self, line: str) -> None:
        self._written.append(line)
        self.came.set()
