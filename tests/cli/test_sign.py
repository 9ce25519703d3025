"""`chiptrail sign` signs the log of a server that has no log key, and reports why if it does not sign."""

import json
from pathlib import Path

import pytest
import urllib3
from structlog.testing import capture_logs

from service import settings
from service.cli import serve, sign
from service.cli.support import log_files
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.client.endpoints import Api
from service.clock import Clock
from service.database.engines import make_engine
from service.entropy import Entropy
from service.transparency import checkpoint, log_signer, published, signed_note
from service.transparency.log_signer import LogSigner, TreeMustContinue
from tests.cli.commands import Instance, run, running_server
from tests.faults.servers import wait_until


def test_a_server_without_a_log_key_is_signed_from_another_machine(instance: Instance, tmp_path: Path) -> None:
    key_file = tmp_path / "elsewhere" / "log-key.txt"
    here = ["--log-key-file", str(key_file)]
    vkey = run("sign", *here, "--vkey").out.strip()
    assert run("sign", *here, "--vkey").out.strip() == vkey
    with running_server([*instance.flags, "--workers", "1", "--log-vkey", vkey], tmp_path / "log") as server:
        signing = [*here, "--url", server.url, "--key-file", str(instance.data / "first-key.txt")]
        client = Client(server.url, instance.first_key, Clock())
        table = Api(client).open_table("bankrupt", 3, {})
        client.close()
        wait_until(lambda: run("sign", *signing, "--once").out == "signed\n")
        last = f"{server.url}/v1/tables/{table}/events/2/proof"
        wait_until(lambda: run("sign", *signing, "--once").code == 0 and urllib3.request("GET", last).status == 200)
        assert run("sign", *signing, "--once").out == "no news\n"
        other = run("sign", *signing[2:], "--log-key-file", str(tmp_path / "other"), "--once")
        assert (other.code, "--log-vkey" in other.err) == (1, True)
    assert not (instance.data / "log-key.txt").exists()
    assert instance.run("log", "key", CHIPTRAIL_LOG_VKEY=vkey).out.split()[3] == vkey
    assert instance.run("log", "restart", "--yes", CHIPTRAIL_LOG_VKEY=vkey).code == 1
    doctor = json.loads(instance.run("doctor", "--json", CHIPTRAIL_LOG_VKEY=vkey).out)
    found = {one["check"]: one["state"] for one in doctor}
    assert [found[name] for name in ("log key", "last checkpoint", "checkpoint")] == ["ok", "ok", "ok"]
    head = Path(f"{key_file}.head")
    assert checkpoint.opened(head.read_bytes(), signed_note.parse_key(vkey))[0].size >= 1
    verified = instance.run("verify", "--checkpoint", str(head), CHIPTRAIL_LOG_VKEY=vkey)
    assert verified.code == 0, verified


def test_a_start_with_another_public_key_is_recorded_with_the_last_checkpoint_of_the_old_log(
    instance: Instance, tmp_path: Path
) -> None:
    assert instance.run("migrate").code == 0
    made = [log_signer.load_or_make(tmp_path / name / "key", tmp_path / name / "head", Entropy()) for name in "ab"]
    notes = [_start_and_sign(instance, made[number]) for number in (0, 0, 1, 0)]
    opened = [one["pub"] for one in instance.service_events() if one["type"] == "log_opened"]
    assert [one["log_key"] for one in opened] == [str(made[number].key.public) for number in (0, 1, 0)]
    assert [one.get("checkpoint", "") for one in opened] == ["", notes[1], notes[2]]
    of_a, of_b = (str(one.key.public) for one in made)
    assert instance.run("verify", CHIPTRAIL_LOG_VKEY=of_a).code == 0
    wrong = instance.run("verify", "--json", CHIPTRAIL_LOG_VKEY=of_b)
    assert [one["check"] for one in json.loads(wrong.out)["log"]["findings"]] == ["log_key_must_be_on_record"]


def _start_and_sign(instance: Instance, signer: LogSigner) -> str:
    """Prepare *instance* as a server does at its start, and sign the log with *signer*; return the checkpoint."""
    chosen = settings.load(
        {}, data_folder=instance.data, database_url=instance.database, log_vkey=str(signer.key.public)
    )
    serve._prepare(chosen)
    log_files.finish(chosen)
    engine = make_engine(instance.database)
    note = published.publish(engine, signer, begins=True)
    engine.dispose()
    return note or signer.head_file.read_text()


def test_the_keys_are_checked_before_anything_is_asked(instance: Instance, tmp_path: Path) -> None:
    assert run("sign", "--log-key-file", str(tmp_path / "k")).code == 2
    missing = run("sign", "--log-key-file", str(tmp_path / "k"), "--key-file", str(tmp_path / "none"))
    assert (missing.code, "can't be read" in missing.err) == (1, True)
    wrong = instance.run("serve", "--log-vkey", "nonsense")
    assert (wrong.code, "The public log key can't be used" in wrong.err) == (2, True)
    doctor = instance.run("doctor", "--json", CHIPTRAIL_LOG_VKEY="nonsense")
    assert {one["check"]: one["state"] for one in json.loads(doctor.out)}["log key"] == "wrong", doctor


def test_each_new_failure_is_reported_once_and_the_signer_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = [TreeMustContinue("cut"), TreeMustContinue("cut"), None, TreeMustContinue("cut"), ServerGone("gone")]
    waited: list[float] = []

    class Remote:
        def look(self) -> None:
            refusal = refusals.pop(0)
            if refusal:
                raise refusal

    class Waits:
        def wait(self, seconds: float) -> None:
            waited.append(seconds)
            if not refusals:
                raise KeyboardInterrupt

    monkeypatch.setattr(sign, "Event", Waits)
    with capture_logs() as lines, pytest.raises(KeyboardInterrupt):
        sign._run(Remote())  # type: ignore[arg-type]
    assert waited == [5, 5, 1, 5, 5]
    assert [line["cause"] for line in lines] == ["cut", "cut", "gone"]
