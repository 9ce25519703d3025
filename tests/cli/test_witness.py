"""A witness as its operator runs it: its key, its logs, and a process that is killed and started again."""

import json
import os
import re
import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import urllib3

from service.cli.support import server_process
from service.client.client import Client
from service.client.endpoints import Api
from service.clock import Clock
from service.transparency import signed_note
from service.witness.witness_file import WitnessFile
from tests.cli.commands import Instance, Served, run, running_server
from tests.cli.ops_queries import must_name_existing_metrics
from tests.databases import Databases
from tests.faults.servers import wait_until
from tests.witness.logs import SomeLog

LOG = SomeLog()


def submit(url: str, body: bytes) -> tuple[int, str, str]:
    answer = urllib3.request("POST", f"{url}/add-checkpoint", body=body, retries=False, timeout=20)
    return answer.status, answer.headers["content-type"], answer.data.decode()


def test_the_key_is_made_once_and_printed(tmp_path: Path) -> None:
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


def test_a_server_with_two_witnesses_serves_a_checkpoint_that_both_cosigned(
    all_databases: Databases, tmp_path: Path
) -> None:
    with all_databases.migrated("sqlite") as url, ExitStack() as stack:
        instance = Instance(url, tmp_path / "data")
        with running_server([*instance.flags, "--workers", "1"], tmp_path / "log"):
            log_key = json.loads(instance.run("log", "key", "--json").out)["vkey"]
        pairs = []
        for name in ("w1", "w2"):
            file = str(tmp_path / f"{name}.json")
            key = run("witness", "key", "--file", file, "--name", name).out.strip()
            flags = ["--file", file, "--log", log_key]
            running = stack.enter_context(running_server(flags, tmp_path / f"{name}.log", command="witness"))
            pairs.append(f"{key}={running.url}")
        silent = run("witness", "key", "--file", str(tmp_path / "w3.json"), "--name", "w3").out.strip()
        pairs.append(f"{silent}=http://127.0.0.1:{server_process.free_port()}")
        flags = [*instance.flags, "--workers", "1", "--witnesses", ",".join(pairs)]
        server = stack.enter_context(running_server(flags, tmp_path / "log"))
        client = Client(server.url, instance.first_key, Clock())
        Api(client).open_table("bankrupt", 3, {})
        wait_until(lambda: cosigners(server.url, 2) == ["w1", "w2"])
        assert cosigners(server.url, 3) == []
        doctor = partial(instance.run, "doctor", "--json", CHIPTRAIL_WITNESSES=",".join(pairs))
        wait_until(lambda: "1 of 3 do not cosign. w3, since" in doctor().out)
        said = doctor()
        assert (said.code, "It does not answer (" in said.out) == (0, True)
        must_name_existing_metrics(client.download("/metrics").decode())
        client.close()


def cosigners(url: str, least: int) -> list[str]:
    """Return the witnesses' names in the newest checkpoint with at least *least* cosignatures; [] if none exists."""
    answer = urllib3.request("GET", f"{url}/v1/log/checkpoint?cosignatures={least}", retries=False, timeout=20)
    if answer.status == 404:
        return []
    return [line.name for line in signed_note.parse(answer.data).signatures[1:]]


def test_an_auditing_witness_reads_and_judges_the_log_of_a_server(served: Served, tmp_path: Path) -> None:
    key_file = served.instance.data / "first-key.txt"
    flags = ["--url", served.url, "--key-file", str(key_file)]
    said = run("play", *flags, "--game", "insurance_hearts", "--option", "target=1", "--json")
    assert said.code == 0
    wait_until(partial(is_signed_to_its_end, served))
    log_key = json.loads(served.instance.run("log", "key", "--json").out)["vkey"]
    file = str(tmp_path / "w.json")
    run("witness", "key", "--file", file, "--name", "w")
    audit = ["--file", file, "--log", log_key, "--audit", *flags]
    with running_server(audit, tmp_path / "log", command="witness") as server:
        body = b"old 0\n\n" + urllib3.request("GET", f"{served.url}/v1/log/checkpoint", retries=False).data
        wait_until(lambda: submit(server.url, body)[0] == 200)
        wait_until(lambda: "waiting" not in findings(server.url)["streams"])
        found = findings(server.url)
        assert (found["fork"], found["findings"]) == ("", [])
        assert found["streams"]["clean"] >= 1
    assert (tmp_path / "w.json.copy").stat().st_mode & 0o077 == 0


def is_signed_to_its_end(served: Served) -> bool:
    said = {one["check"]: one["said"] for one in json.loads(served.instance.run("doctor", "--json").out)}
    signed = re.search("covers ([0-9,]+) of ([0-9,]+) leaves", said["checkpoint"])
    return " 0 wait for one" in said["indexes"] and signed is not None and signed[1] == signed[2]


def findings(url: str) -> Any:  # noqa: ANN401  # JSON
    return urllib3.request("GET", f"{url}/findings", retries=False, timeout=20).json()


def test_an_audit_needs_one_log_and_a_service_and_a_key(tmp_path: Path) -> None:
    file = str(tmp_path / "w.json")
    run("witness", "key", "--file", file, "--name", "w")
    (tmp_path / "key").write_text("ctk_x")
    known = ["witness", "--file", file, "--log", str(LOG.key), "--audit"]
    for flags in ([], ["--url", "http://127.0.0.1:1"], ["--key-file", str(tmp_path / "key")]):
        assert run(*known, *flags).code == 2
    other = SomeLog("log.example/other")
    both = run(*known, "--log", str(other.key), "--url", "http://127.0.0.1:1", "--key-file", str(tmp_path / "key"))
    assert (both.code, "name one log" in both.err) == (2, True)


def test_a_server_refuses_a_witness_without_a_valid_key(instance: Instance) -> None:
    wrong = instance.run("serve", "--witnesses", f"{LOG.key}=https://w.example")
    assert (wrong.code, "A witness can't be used" in wrong.err) == (2, True)
    assert instance.run("serve", "--witnesses", "https://w.example").code == 2


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
