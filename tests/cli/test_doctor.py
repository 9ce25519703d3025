"""The doctor names each fault, and the command that cures the fault."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from service.cli.support import server_process
from service.database import engines
from service.settings import Settings
from tests.cli.commands import Instance, Said, Served, run, run_as_user


def findings(said: Said) -> dict[str, dict[str, str]]:
    """Return the findings of `doctor --json` by the name of the check."""
    return {finding["check"]: finding for finding in json.loads(said.out)}


def states(said: Said) -> dict[str, str]:
    return {check: finding["state"] for check, finding in findings(said).items()}


@pytest.mark.walk
def test_a_served_installation_has_no_findings(served: Served) -> None:
    said = served.instance.run("doctor", "--json")
    assert said.code == 0
    found = states(said)
    found.pop("wrk")  # whether the machine has the program wrk does not matter
    is_sqlite = served.instance.database.startswith("sqlite")
    assert found.pop("role") == ("ok" if is_sqlite else "note")  # on PostgreSQL the role owns the tables
    assert found == dict.fromkeys(
        (
            "python",
            "disk",
            "owners",
            "settings",
            "settings file",
            "limits",
            "listening",
            "pages",
            "metrics",
            "service key",
            "database",
            "schema",
            "durability",
            "append-only",
            "fingerprint",
            "log",
            "log key",
            "last checkpoint",
            "indexes",
            "checkpoint",
            "witnesses",
        ),
        "ok",
    )


def test_for_people_it_prints_one_line_for_each_finding(served: Served) -> None:
    said = served.instance.run("doctor")
    assert said.code == 0
    lines = [line.partition(": ")[0].split(maxsplit=1) for line in said.out.splitlines() if not line.startswith(" ")]
    assert [check for _, check in lines] == list(findings(served.instance.run("doctor", "--json")))
    assert {mark for mark, _ in lines} <= {"ok", "note"}


def test_a_key_that_others_can_read_is_named_with_its_cure(served: Served, instance: Instance) -> None:
    instance.data.mkdir()
    copy = instance.data / "service-key.json"
    shutil.copy(served.instance.data / "service-key.json", copy)
    copy.chmod(0o640)
    said = instance.run("doctor", "--json")
    assert said.code == 1
    assert findings(said)["service key"]["cure"] == f"chmod 600 {copy}"


def test_a_key_that_is_not_the_databases_is_named(served: Served, instance: Instance) -> None:
    assert instance.run("keys", "make").code == 0
    other = Instance(served.instance.database, instance.data)
    said = other.run("doctor", "--json")
    assert said.code == 1
    found = findings(said)["fingerprint"]
    cure = f"mv {instance.data / 'service-key.json'} ELSEWHERE, then "
    assert (found["state"], cure in found["cure"], " key restore --d" in found["cure"]) == ("wrong", True, True)
    refused = other.run("log", "events")
    assert (refused.code, " key restore --d" in refused.err, "Traceback" in refused.err) == (1, True, False)


def test_a_lost_key_file_of_a_database_is_not_made_anew(served: Served, tmp_path: Path) -> None:
    elsewhere = Instance(served.instance.database, tmp_path / "elsewhere")
    said = elsewhere.run("doctor", "--json")
    found = findings(said)
    assert (said.code, found["service key"]["state"]) == (1, "wrong")
    assert found["service key"]["cure"].endswith(" BACKUP --passphrase-file FILE")


def test_a_key_file_that_others_can_read_is_a_finding_among_the_others(instance: Instance) -> None:
    assert instance.run("keys", "make").code == 0
    (instance.data / "service-key.json").chmod(0o644)
    said = instance.run("doctor", "--json")
    found = findings(said)
    assert (said.code, found["service key"]["state"]) == (1, "wrong")
    assert found["fingerprint"]["cure"] == found["service key"]["cure"] == f"chmod 600 {instance.data}/service-key.json"


def test_cures_name_the_command_and_not_its_module(nowhere: Instance) -> None:
    found = findings(run_as_user("doctor", "--json", *nowhere.flags, command=server_process.PROGRAM))
    assert found["database"]["cure"].startswith("chiptrail migrate ")
    assert found["service key"]["cure"].startswith("chiptrail serve ")


@pytest.mark.walk
def test_each_missing_trigger_that_guards_the_log_is_named(instance: Instance) -> None:
    engine = engines.make_engine(instance.database)
    is_postgresql = engine.dialect.name == "postgresql"
    listed = (
        "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"
        if is_postgresql
        else "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"
    )
    with engines.migrating(engine) as connection:
        found = {name: table for name, table in connection.execute(text(listed)) if "_only_grows" in name}
        for name, table in found.items():
            connection.execute(text(f"DROP TRIGGER {name}{f' ON {table}' if is_postgresql else ''}"))
    engine.dispose()
    said = instance.run("doctor", "--json")
    assert said.code == 1
    assert findings(said)["append-only"]["said"] == f"triggers are missing: {', '.join(sorted(found))}"
    assert {"streams_head_only_grows", "tree_head_only_grows"} <= found.keys()
    assert "fingerprint" not in findings(said)  # no further check runs


@pytest.mark.walk
def test_a_trigger_that_is_switched_off_is_named(instance: Instance) -> None:
    engine = engines.make_engine(instance.database)
    if engine.dialect.name == "postgresql":  # SQLite can't disable a trigger
        with engines.migrating(engine) as connection:
            connection.execute(text("ALTER TABLE sealed DISABLE TRIGGER sealed_only_grows"))
    engine.dispose()
    found = findings(instance.run("doctor", "--json"))["append-only"]
    assert ("sealed_only_grows" in found["said"]) == (engine.dialect.name == "postgresql")


def test_a_key_file_that_holds_no_key_is_named_with_its_cure(instance: Instance) -> None:
    instance.data.mkdir()
    (instance.data / "service-key.json").write_text("{}")
    (instance.data / "service-key.json").chmod(0o600)
    said = instance.run("doctor", "--json")
    assert said.code == 1
    assert findings(said)["service key"]["cure"].startswith(f"mv {instance.data / 'service-key.json'}")


def test_mistaken_settings_are_named_with_their_cures(tmp_path: Path) -> None:
    chosen = {
        "CHIPTRAIL_PROT": "9000",
        "CHIPTRAIL_OWNER_REQUESTS_PER_SECOND": "0",
        "CHIPTRAIL_HOST": "0.0.0.0",  # noqa: S104 -- no server starts
        "CHIPTRAIL_CORS_ORIGINS": "http://cards.example,http://localhost:5173",
    }
    found = findings(doctor(tmp_path, **chosen))
    assert "unset CHIPTRAIL_PROT" in found["settings"]["cure"]
    assert "unset CHIPTRAIL_OWNER_REQUESTS_PER_SECOND" in found["limits"]["cure"]
    assert "CHIPTRAIL_PROXIES=1" in found["listening"]["cure"]
    assert "CHIPTRAIL_CORS_ORIGINS=https://cards.example,http://localhost:5173" in found["pages"]["cure"]
    assert {found[check]["state"] for check in ("settings", "limits", "listening", "pages")} == {"note"}
    found = findings(doctor(tmp_path, CHIPTRAIL_HOST="10.0.0.1", CHIPTRAIL_PROXIES="1"))
    assert found["listening"]["state"] == "ok"


def test_an_impossible_setting_is_refused_with_its_cure(tmp_path: Path) -> None:
    said = doctor(tmp_path, CHIPTRAIL_THREADS="many")
    assert said.code == 2
    assert "CHIPTRAIL_THREADS must be a whole number" in said.err
    assert "The cure: unset CHIPTRAIL_THREADS" in said.err


def test_each_setting_is_listed_with_its_source_and_without_a_password(tmp_path: Path) -> None:
    file = tmp_path / "chiptrail.toml"
    file.write_text('database_url = "postgresql://me:s3cr3t@db/chips"\nthreads = 5\nport = 1\nproxies = 1\n')
    said = doctor(tmp_path, "--settings", "--threads", "6", CHIPTRAIL_CONFIG=str(file), CHIPTRAIL_PORT="2")
    listed = {one["setting"]: (one["value"], one["source"]) for one in json.loads(said.out)}
    assert set(listed) == set(Settings.__struct_fields__)
    assert listed["database_url"] == ("postgresql://me:***@db/chips", f"database_url in {file}")
    assert (listed["threads"], listed["port"]) == (("6", "--threads"), ("2", "CHIPTRAIL_PORT"))
    assert (listed["proxies"], listed["workers"]) == (("1", f"proxies in {file}"), ("2", "default"))
    for_people = run("doctor", "--settings", "--config", str(file))
    assert f"port                         1  [port in {file}]\n" in for_people.out
    assert "s3cr3t" not in said.out + for_people.out


@pytest.mark.parametrize(
    ("url", "mode", "cure"),
    [
        ("postgresql://me:s3cr3t@127.0.0.1:9/chips?connect_timeout=1", 0o644, "chmod o-r FILE"),
        ("postgresql://me:s3cr3t@127.0.0.1:9/chips?connect_timeout=1", 0o640, ""),
        ("postgresql://me@127.0.0.1:9/chips?connect_timeout=1", 0o644, ""),
        ("postgresql://me@127.0.0.1:9/chips?connect_timeout=1", 0o660, "chmod go-w FILE"),
        ("postgresql://me@127.0.0.1:9/chips?connect_timeout=1", 0o602, "chmod go-w FILE"),
    ],
)
def test_who_can_write_the_settings_file_or_read_a_password_in_it(
    tmp_path: Path, url: str, mode: int, cure: str
) -> None:
    file = tmp_path / "chiptrail.toml"
    file.write_text(f'database_url = "{url}"\n')
    file.chmod(mode)
    said = doctor(tmp_path, "--config", str(file))
    found = findings(said)["settings file"]
    assert (found["state"], found["cure"].replace(str(file), "FILE")) == ("wrong" if cure else "ok", cure)
    assert "s3cr3t" not in said.out


def test_a_limit_that_the_settings_file_switched_off_is_named_with_its_cure(tmp_path: Path) -> None:
    file = tmp_path / "chiptrail.toml"
    file.write_text('tables_per_owner = 0\nseats_per_owner = 0\nhost = "0.0.0.0"\n')
    found = findings(doctor(tmp_path, "--config", str(file), CHIPTRAIL_KEYS_PER_OWNER="0"))
    of_file = f"tables_per_owner in {file}, seats_per_owner in {file}"
    assert found["limits"]["cure"] == f"unset CHIPTRAIL_KEYS_PER_OWNER and remove {of_file} to get the defaults"
    assert f"remove host in {file}" in found["listening"]["cure"]
    assert f"--config {file}" in found["database"]["cure"]


def test_metrics_for_everybody_are_named_with_their_cure(tmp_path: Path) -> None:
    listening = {"CHIPTRAIL_METRICS_PORT": "9464", "CHIPTRAIL_METRICS_HOST": "10.0.0.1"}
    found = findings(doctor(tmp_path, **listening))["metrics"]
    assert found["state"] == "note"
    assert "unset CHIPTRAIL_METRICS_HOST" in found["cure"]
    assert states(doctor(tmp_path, CHIPTRAIL_METRICS_PORT="9464"))["metrics"] == "ok"


def test_a_file_that_a_command_of_another_user_made_is_named_with_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data" / "chiptrail.db-wal"
    file.parent.mkdir()
    file.touch()
    assert states(doctor(tmp_path))["owners"] == "ok"
    real = Path.stat

    def of_another_user(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = real(path, follow_symlinks=follow_symlinks)
        fields = list(found)
        fields[stat.ST_UID] += path == file
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "stat", of_another_user)
    found = findings(doctor(tmp_path))["owners"]
    assert (found["state"], "chiptrail.db-wal" in found["said"]) == ("wrong", True)
    assert found["cure"].startswith(f"chown --reference={file.parent} {file}, ")


def test_somebody_who_may_not_read_the_data_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _mode: path != tmp_path / "data")  # root may read everything
    said = run("doctor", CHIPTRAIL_DATA_FOLDER=str(tmp_path / "data"))
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"chiptrail: You may not read the folder {tmp_path / 'data'}.\nThe cure: ")


def test_a_mistake_in_the_settings_file_ends_every_command_with_the_name_of_the_key(tmp_path: Path) -> None:
    file = tmp_path / "chiptrail.toml"
    file.write_text("prot = 1\n")
    for said in (
        doctor(tmp_path, "--config", str(file)),
        run("verify", "--data", str(tmp_path), CHIPTRAIL_CONFIG=str(file)),
        run("play", CHIPTRAIL_CONFIG=str(file)),
    ):
        assert (said.code, said.out) == (2, "")
        assert said.err == f"chiptrail: 'prot' in {file} is not a setting; did you mean 'port'?\n"


def test_the_cure_for_a_database_that_does_not_answer_is_to_start_it(tmp_path: Path) -> None:
    said = doctor(tmp_path, "--database", "postgresql://nobody@127.0.0.1:9/nothing?connect_timeout=2")
    assert said.code == 4
    assert "systemctl start postgresql" in findings(said)["database"]["cure"]


def test_every_fault_and_every_note_has_its_cure(served: Served, nowhere: Instance, tmp_path: Path) -> None:
    for said in (nowhere.run("doctor", "--json"), served.instance.run("doctor", "--json"), doctor(tmp_path)):
        for finding in json.loads(said.out):
            assert (finding["cure"] == "") == (finding["state"] == "ok"), finding


def doctor(folder: Path, *arguments: str, **chosen: str) -> Said:
    """Run the doctor on the data folder in *folder*, with the environment variables *chosen*."""
    return run("doctor", "--json", "--data", str(folder / "data"), *arguments, **chosen)


def test_an_empty_installation_gets_advice_on_how_to_begin(nowhere: Instance) -> None:
    said = nowhere.run("doctor")
    assert said.code == 4
    assert f"migrate --data {nowhere.data} --database" in said.out
    assert not nowhere.data.exists()  # the doctor has made no files
