"""A stop is graceful: running requests are answered, long polls end, and no acknowledged command is lost."""

import json
import multiprocessing
import re
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import count
from threading import Event

import pytest
import urllib3
from sqlalchemy import Engine, func, select

from service import app, settings
from service.cli.support import server_process, worker
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.client.endpoints import Api
from service.database.engines import make_engine, reading
from service.entropy import Entropy
from service.event_store import log_tables
from service.transparency import log_signer
from tests.cli.commands import UNHURRIED, Instance, kill, must_fall_silent, start

_CLERKS = 6


@pytest.fixture
def serving(instance: Instance) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a new server and its URL."""
    with ExitStack() as stack:
        yield _started(stack, instance)


@pytest.fixture
def serving_alone(instance: Instance) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a new server with one worker, and its URL."""
    with ExitStack() as stack:
        yield _started(stack, instance, "--workers", "1")


@pytest.fixture
def engine(instance: Instance) -> Iterator[Engine]:
    made = make_engine(instance.database)
    yield made
    made.dispose()


def _started(stack: ExitStack, instance: Instance, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    port = server_process.free_port()
    process = start(
        "serve", *instance.flags, "--port", str(port), *UNHURRIED, server_process.END_WITH_INPUT, *arguments
    )
    stack.callback(kill, process)
    url = f"http://127.0.0.1:{port}"
    with closing(Client(url, "", Entropy(), patience_seconds=60)) as client:
        client.get("/readyz", dict[str, str])
    return process, url


def _metric(instance: Instance, url: str, name: str) -> float:
    headers = {"Connection": "close", "Authorization": f"Bearer {instance.first_key}"}
    text = urllib3.request("GET", f"{url}/metrics", headers=headers).data.decode()
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def _until(instance: Instance, url: str, name: str, least: float) -> None:
    """Return once the metric *name* is at least *least*; fail after half a minute."""
    for _ in range(600):
        if _metric(instance, url, name) >= least:
            return
        Event().wait(0.05)
    raise AssertionError(name)


def test_every_command_that_was_acknowledged_is_in_the_log_and_the_server_ends_well(
    serving: tuple[subprocess.Popen[str], str], instance: Instance, engine: Engine
) -> None:
    process, url = serving
    opened: list[str] = []
    enough = Event()

    def open_tables(clerk: int) -> None:
        with closing(Client(url, instance.first_key, Entropy(), patience_seconds=0)) as client:
            for number in count():
                try:
                    made = client.post(
                        "/v1/tables",
                        dict[str, object],
                        {"game": "bankrupt"},
                        idempotency_key=f"{clerk}-{number}",
                    )
                except ServerGone:
                    return
                opened.append(str(made["table"]))
                if len(opened) > 5 * _CLERKS:
                    enough.set()

    with ThreadPoolExecutor(_CLERKS) as pool:
        clerks = [pool.submit(open_tables, clerk) for clerk in range(_CLERKS)]
        assert enough.wait(60)
        process.terminate()
        assert process.wait(60) == 0
        for clerk in clerks:
            clerk.result(60)
    with reading(engine) as connection:
        recorded = {
            f"tbl_{stream_id.hex()}" for stream_id in connection.scalars(select(log_tables.streams.c.stream_id))
        }
        leaves = connection.scalar(select(func.sum(log_tables.streams.c.head)))
    assert set(opened) <= recorded
    assert len(recorded) <= len(opened) + _CLERKS
    signer = log_signer.load(instance.data / "log-key.txt", instance.data / "log-key.txt.head")
    assert signer.last().size == leaves, "the last checkpoint covers whatever was acknowledged"


def test_a_command_that_is_running_is_finished_and_answered(instance: Instance, engine: Engine) -> None:
    """The command runs until this test sends the body of the request."""
    body = json.dumps({"type": "close_table"}).encode()
    with ExitStack() as stack:
        process, url = _started(stack, instance, "--workers", "1", "--body-seconds", "600", "--grace-seconds", "300")
        table = Api(stack.enter_context(closing(Client(url, instance.first_key, Entropy())))).open_table(
            "bankrupt", 2, {}
        )
        connection = stack.enter_context(closing(HTTPConnection(url.removeprefix("http://"), timeout=60)))
        connection.putrequest("POST", f"/v1/tables/{table}/actions")
        for name, value in {
            "Authorization": f"Bearer {instance.first_key}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Idempotency-Key": "close",
            "Expect": "100-continue",
        }.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.sock.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"  # sent when the server reads the body
        process.terminate()
        must_fall_silent(int(url.rpartition(":")[2]))
        assert process.poll() is None
        connection.send(body)
        assert connection.getresponse().status == 200
        assert process.wait(60) == 0
    with reading(engine) as connection_to_database:
        stream_id = bytes.fromhex(table.removeprefix("tbl_"))
        statement = select(log_tables.streams.c.head).where(log_tables.streams.c.stream_id == stream_id)
        assert (connection_to_database.scalar(statement) or 0) > 2  # the head is 2 after the table was opened


def test_a_long_poll_ends_with_the_events_so_far(
    serving_alone: tuple[subprocess.Popen[str], str], instance: Instance
) -> None:
    process, url = serving_alone
    with closing(Client(url, instance.first_key, Entropy())) as client, ThreadPoolExecutor(1) as pool:
        table = Api(client).open_table("bankrupt", 2, {})
        polling = pool.submit(client.get, f"/v1/tables/{table}/events", dict[str, object], after=2, wait=30)
        _until(instance, url, "chiptrail_waiting_places_taken", 1)
        process.terminate()
        assert polling.result(60)["items"] == []
        assert process.wait(60) == 0


def test_while_proxies_are_given_time_the_server_answers_and_is_not_ready(instance: Instance) -> None:
    with ExitStack() as stack:
        process, url = _started(stack, instance, "--drain-seconds", "300")
        process.terminate()
        for _ in range(600):
            answer = urllib3.request("GET", f"{url}/readyz", headers={"Connection": "close"}, retries=False)
            if answer.status == 503:
                break
            Event().wait(0.05)
        assert json.loads(answer.data)["detail"] == "Stopping"
        assert urllib3.request("GET", f"{url}/v1/games", headers={"Connection": "close"}).status == 200
        assert process.poll() is None


def test_a_worker_that_is_still_loading_ends_at_once_though_its_parent_handles_the_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A forked worker inherits the signal handlers of its parent, and restores SIGTERM's default before it loads."""

    def look(_: settings.Settings) -> None:
        raise _Looked(signal.getsignal(signal.SIGTERM))

    monkeypatch.setattr(app, "build", look)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    ours, theirs = multiprocessing.Pipe(duplex=False)
    try:
        with pytest.raises(_Looked) as looked:
            worker.loader(settings.load({}), ours, None, None)()
    finally:
        signal.signal(signal.SIGTERM, before)
        ours.close()
        theirs.close()
    assert looked.value.args == (signal.SIG_DFL,)


class _Looked(Exception):
    """The argument is the handler of SIGTERM while the worker loads."""
