"""A witness as its operator runs it: its key, its logs, and a process that is killed and started again."""

import os
import signal
from pathlib import Path

import urllib3

from service.witness.witness_file import WitnessFile
from tests.cli.commands import run, running_server
from tests.witness.logs import SomeLog

LOG = SomeLog()


def submit(url: str, body: bytes) -> tuple[int, str, str]:
    answer = urllib3.request("POST", f"{url}/add-checkpoint", body=body, retries=False, timeout=20)
    return answer.status, answer.headers["content-type"], answer.data.decode()


def test_the_key_is_made_once_and_told(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    missing = run("witness", "key", "--file", str(file))
    assert (missing.code, "--name" in missing.err) == (1, True)
    made = run("witness", "key", "--file", str(file), "--name", "witness.example/w1")
    assert made.out.startswith("witness.example/w1+")
    assert run("witness", "key", "--file", str(file)).out == made.out
    assert run("witness", "key", "--file", str(file), "--name", "witness.example/w1").out == made.out
    other = run("witness", "key", "--file", str(file), "--name", "witness.example/w2")
    assert (other.code, "it was not changed" in other.err) == (1, True)
    assert run("witness", "key", "--file", str(tmp_path / "x"), "--name", "no spaces").code == 2


def test_a_witness_needs_logs_and_a_key(tmp_path: Path) -> None:
    file = str(tmp_path / "w.json")
    run("witness", "key", "--file", file, "--name", "w")
    assert run("witness", "--file", file).code == 2
    vkey = run("witness", "key", "--file", file).out.strip()
    assert run("witness", "--file", file, "--log", vkey).code == 2
    assert run("witness", "--file", file, "--log", "nonsense").code == 2
    gone = run("witness", "--file", str(tmp_path / "gone.json"), "--log", str(LOG.key))
    assert (gone.code, "can't be read" in gone.err) == (1, True)


def test_a_witness_that_is_killed_and_started_again_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    run("witness", "key", "--file", str(file), "--name", "w")
    flags = ["--file", str(file), "--log", str(LOG.key)]
    with running_server(flags, tmp_path / "log", command="witness") as server:
        assert submit(server.url, LOG.submission(0, 5))[0] == 200
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert WitnessFile(file).heads[LOG.origin].size == 5
    with running_server(flags, tmp_path / "log", command="witness") as server:
        assert submit(server.url, LOG.submission(0, 9)) == (409, "text/x.tlog.size", "5\n")
        assert submit(server.url, LOG.submission(5, 9))[0] == 200
        assert submit(server.url, b"x" * 200_000)[0] == 413
        assert submit(server.url, b"nonsense")[0] == 400
