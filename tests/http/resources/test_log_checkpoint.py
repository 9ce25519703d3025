"""The header Log-Checkpoint of views and of responses to commands has the size of the newest checkpoint, if known."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import TimeoutError as NoConnection
from werkzeug.test import TestResponse

from tests.clocks import Clock
from tests.http.service import Service, Table, accepted, running


@pytest.fixture
def timed(tmp_path: Path, database_url: str, clock: Clock) -> Iterator[Service]:
    with running(tmp_path, database_url, entropy=clock) as made:
        yield made


def size(answer: TestResponse) -> int:
    return int(answer.headers["Log-Checkpoint"])


def test_commands_and_views_have_the_size_of_the_newest_checkpoint(timed: Service, clock: Clock) -> None:
    host, player = timed.person("host"), timed.person("play")
    opened = accepted(host.post("/v1/tables", {"game": "bankrupt"}, key="a table"), 201)
    path = opened.headers["Location"]
    assert size(opened) == 0, "no checkpoint was signed yet"
    timed.keep_log()
    expected = timed.events()
    clock.seconds += 1
    chips = accepted(host.get(path)).json["options"]["buy_in"]
    answers = [
        accepted(player.post(f"{path}/seats", {"chips": chips}), 201),
        accepted(player.do(path, "leave_seat")),
        accepted(host.post("/v1/tables", {"game": "bankrupt"}, key="a table"), 201),
        accepted(host.get(path)),
        accepted(host.get(f"{path}?at=1")),
        accepted(timed.spectator.get(path)),
        accepted(timed.spectator.get(path, If_None_Match="*"), 304),
    ]
    assert [size(answer) for answer in answers] == [expected] * len(answers)


def test_the_size_is_read_once_a_second_at_most(timed: Service, clock: Clock) -> None:
    read = []

    def count(*arguments: object) -> None:
        statement = str(arguments[2])
        if "checkpoints" in statement:
            read.append(statement)

    table = Table(timed)
    event.listen(timed.parts.engine, "before_cursor_execute", count)
    clock.seconds += 1
    for _ in range(5):
        accepted(timed.spectator.get(table.path))
    table.seated()
    assert len(read) == 1
    timed.keep_log()
    read.clear()
    assert size(accepted(timed.spectator.get(table.path))) == 0, "this is the size that the process has read"
    assert read == []
    clock.seconds += 1
    assert size(accepted(timed.spectator.get(table.path))) == timed.events()
    assert len(read) == 1


def test_a_command_is_answered_without_the_header_if_the_size_can_not_be_read(timed: Service, clock: Clock) -> None:
    def fail(*arguments: object) -> None:
        if "checkpoints" in str(arguments[2]):
            raise NoConnection

    table = Table(timed)
    event.listen(timed.parts.engine, "before_cursor_execute", fail)
    clock.seconds += 1
    answers = [
        accepted(table.players[1].post(f"{table.path}/seats", {"chips": 12}), 201),
        accepted(timed.spectator.get(table.path)),
    ]
    event.remove(timed.parts.engine, "before_cursor_execute", fail)
    assert not any("Log-Checkpoint" in answer.headers for answer in answers)


def test_no_other_response_has_the_header(timed: Service) -> None:
    table = Table(timed).dealt()
    for path in ("/v1/games", "/v1/tables", f"{table.path}/events", f"{table.path}/actions", "/v1/log/key"):
        assert "Log-Checkpoint" not in accepted(timed.spectator.get(path)).headers
    assert "Log-Checkpoint" not in timed.spectator.get("/v1/tables/tbl_0").headers
