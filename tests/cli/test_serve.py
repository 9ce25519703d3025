"""`chiptrail serve` prints its address and leaves no process behind; it refuses a wrong service key and a used port."""

import json
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.cli.support import server_process
from service.client.client import Client
from service.entropy import Entropy
from tests.cli.commands import Instance, Served, is_silent, kill, must_fall_silent, run, start


def readiness(url: str) -> dict[str, str]:
    client = Client(url, "", Entropy(), patience_seconds=30)
    try:
        return client.get("/readyz", dict[str, str])
    finally:
        client.close()


@pytest.fixture
def killed_at_the_end() -> Iterator[ExitStack]:
    """Yield a stack that kills a test's processes at the end of the test."""
    with ExitStack() as stack:
        yield stack


def started(stack: ExitStack, instance: Instance, *arguments: str) -> tuple[subprocess.Popen[str], int]:
    """Start a server of *instance*; return its process and the port that it will listen on."""
    port = server_process.free_port()
    process = start("serve", *instance.flags, "--port", str(port), server_process.END_WITH_INPUT, *arguments)
    stack.callback(kill, process)
    return process, port


def test_the_server_prints_its_address_and_the_file_of_its_first_key(
    nowhere: Instance, killed_at_the_end: ExitStack
) -> None:
    process, port = started(killed_at_the_end, nowhere, "--migrate", "--workers", "1")
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(3)]
    assert f"http://127.0.0.1:{port}" in said[0]
    assert nowhere.database.split("?")[0].split("://")[1] in said[1]
    assert str(nowhere.data / "first-key.txt") in said[2]
    assert stat.S_IMODE((nowhere.data / "first-key.txt").stat().st_mode) == 0o600
    assert readiness(f"http://127.0.0.1:{port}") == {"status": "ok"}
    process.terminate()
    assert process.wait(60) == 0
    assert is_silent(port)


def test_the_first_key_may_do_everything(served: Served) -> None:
    client = Client(served.url, served.instance.first_key, Entropy())
    scopes = ["admin", "approve", "audit", "host", "metrics", "play"]
    assert client.get("/v1/whoami", dict[str, object])["scopes"] == scopes
    client.close()


@pytest.mark.walk
def test_two_servers_that_start_at_once_make_one_service_key_and_one_first_key(
    nowhere: Instance, killed_at_the_end: ExitStack
) -> None:
    ports = [started(killed_at_the_end, nowhere, "--migrate", "--workers", "1")[1] for _ in range(2)]
    key_of = {}
    for port in ports:
        readiness(f"http://127.0.0.1:{port}")
        client = Client(f"http://127.0.0.1:{port}", nowhere.first_key, Entropy())
        key_of[port] = client.get("/v1/whoami", dict[str, object])
        client.close()
    assert key_of[ports[0]] == key_of[ports[1]]
    assert len(json.loads(nowhere.run("keys", "list", "--json").out)) == 1
    assert {path.name for path in nowhere.data.iterdir() if path.suffix != ".db"} == {
        "service-key.json",
        "first-key.txt",
        "log-key.txt",
        "log-key.txt.head",
        "log-key.txt.head-lock",
    }


def test_another_service_key_than_the_databases_is_refused(served: Served, tmp_path: Path) -> None:
    said = run("serve", "--database", served.instance.database, "--data", str(tmp_path / "elsewhere"))
    assert said.code == 1
    assert "service key" in said.err
    assert not (tmp_path / "elsewhere").exists()  # the command makes no new key
    other = tmp_path / "other"
    assert run("migrate", "--data", str(other)).code == 0
    assert run("keys", "make", "--data", str(other)).code == 0
    said = run("serve", "--database", served.instance.database, "--data", str(other))
    assert said.code == 1
    assert "fingerprint" in said.err


def test_a_service_key_that_others_can_read_is_refused(served: Served, tmp_path: Path) -> None:
    shutil.copy(served.instance.data / "service-key.json", tmp_path)
    (tmp_path / "service-key.json").chmod(0o644)
    said = run("serve", "--database", served.instance.database, "--data", str(tmp_path))
    assert said.code == 1
    assert "chmod 600" in said.err


def test_a_port_that_somebody_listens_on_is_refused(served: Served) -> None:
    said = served.instance.run("serve", "--port", served.url.rpartition(":")[2])
    assert said.code == 1
    assert "--port" in said.err


def test_two_processes_answer_and_end_with_the_process_that_started_them(
    instance: Instance, killed_at_the_end: ExitStack
) -> None:
    process, port = started(killed_at_the_end, instance)
    readiness(f"http://127.0.0.1:{port}")
    assert len(_children(process.pid)) == 2
    os.kill(process.pid, signal.SIGKILL)  # a killed parent can't notify its workers
    process.wait()
    must_fall_silent(port)


def test_a_server_of_one_process_ends_with_the_process_that_started_it(
    instance: Instance, killed_at_the_end: ExitStack
) -> None:
    process, port = started(killed_at_the_end, instance, "--workers", "1")
    readiness(f"http://127.0.0.1:{port}")
    assert len(_children(process.pid)) == 1
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    assert is_silent(port)


def test_a_worker_that_is_killed_is_replaced(instance: Instance, killed_at_the_end: ExitStack) -> None:
    process, port = started(killed_at_the_end, instance, "--workers", "1")
    readiness(f"http://127.0.0.1:{port}")
    for worker in _children(process.pid):
        os.kill(worker, signal.SIGKILL)
    assert readiness(f"http://127.0.0.1:{port}") == {"status": "ok"}
    assert process.poll() is None
    process.terminate()
    assert process.wait(60) == 0


def _children(parent: int) -> list[int]:
    """Return the ids of the child processes of *parent*: from a file on Linux, from ps on other systems."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    if listed.exists():
        return [int(child) for child in listed.read_text().split()]
    told = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [line.split() for line in told.splitlines()]
    return [int(child) for child, its_parent in pairs if int(its_parent) == parent]
