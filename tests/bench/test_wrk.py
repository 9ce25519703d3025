"""The load generator wrk gets its plan and sends the planned requests, and its output is parsed."""

import json
import shutil
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from service.bench import wrk
from service.bench.loads import Move
from service.bench.wrk import Load, NoWrk, Player, WrkFailed


def test_without_wrk_a_clear_message_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoWrk, match=r"wrk is not installed.*apt install wrk"):
        wrk.run("http://127.0.0.1:1", [], 1, tmp_path)


def test_a_move_is_written_as_a_request_with_a_gap_for_its_idempotency_key() -> None:
    before, after = wrk.request(Move(3, {"type": "offer_upping", "chips": 2}), "/v1/a", "there:80", "ctk_x")
    head, body = f"{before}KEY-1{after}".split("\r\n\r\n")
    first, *headers = head.split("\r\n")
    assert first == "POST /v1/a HTTP/1.1"
    assert dict(line.split(": ") for line in headers) == {
        "Host": "there:80",
        "Authorization": "Bearer ctk_x",
        "Accept": "application/json",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Idempotency-Key": "KEY-1",
    }
    assert json.loads(body) == {"type": "offer_upping", "chips": 2}


def test_a_plan_is_lua() -> None:
    player = Player((("POST a\r\n", '{"b":"\\"}'),), "key-", 7)
    assert wrk.to_lua(player) == 'return {made=7,key="key-",moves={{"POST a\\r\\n","{\\"b\\":\\"\\\\\\"}"}}}\n'


def test_the_line_with_the_figures_is_found_in_the_output_of_wrk() -> None:
    said = (
        "Running 1s test\n  {odd}\n"
        '{"microseconds":1002003,"p50_us":20000,"p99_us":30000,"broken":1,"made":[4,5],"refusals":["409 no"]}\n'
        "Requests/sec: 9\n"
    )
    assert wrk.parse(said, 0.5) == Load(1_002_003, 20_000, 30_000, 1, (4, 5), ("409 no",), 0.5)


def test_an_end_without_figures_is_an_error() -> None:
    with pytest.raises(WrkFailed, match="unable to connect"):
        wrk.parse("unable to connect to 127.0.0.1:1\n")


class Table(BaseHTTPRequestHandler):
    """A server that accepts every move except one, and keeps the requests for the test."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_POST(self) -> None:
        key = self.headers["Idempotency-Key"]
        self.asked.append((key, self.rfile.read(int(self.headers["Content-Length"])).decode()))
        body = b'{"code": "no"}' if key == "second-12" else b"{}"
        status = HTTPStatus.CONFLICT if key == "second-12" else HTTPStatus.OK
        head = f"HTTP/1.1 {status} -\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self.wfile.write(head + body)  # this is one write: a second small write would wait for an acknowledgement

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed")
def test_wrk_plays_each_table_in_order_and_stops_at_a_table_that_refuses(tmp_path: Path) -> None:
    moves = [Move(seat, {"type": f"move_{seat}"}) for seat in (1, 2, 3)]
    with ThreadingHTTPServer(("127.0.0.1", 0), Table) as server:
        Thread(target=server.serve_forever).start()
        there = f"127.0.0.1:{server.server_port}"
        requests = tuple(wrk.request(move, "/", there, "ctk_x") for move in moves)
        load = wrk.run(f"http://{there}", [Player(requests, "first-", 7), Player(requests, "second-", 10)], 1, tmp_path)
        server.shutdown()
    first, second = load.made
    assert load.refusals == ('409 {"code": "no"}',)
    assert second == 12  # this is the number of the refused move
    assert load.broken == 0
    in_order = [(f"first-{number}", f'{{"type":"move_{number % 3 + 1}"}}') for number in range(7, first)]
    asked = [one for one in Table.asked if one[0].startswith("first")]
    assert asked[: len(in_order)] == in_order
    assert len(in_order) > 10
    assert 0 < load.p50_us <= load.p99_us
    assert load.cpu_seconds > 0
