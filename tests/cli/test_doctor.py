"""The doctor names each fault, and the command that cures the fault."""

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from service.cli.support import server_process
from service.database import engines
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
            "settings",
            "limits",
            "listening",
            "pages",
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
    assert [line.split()[0] for line in said.out.splitlines() if not line.startswith(" ")].count("ok") >= 8


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
    assert states(said)["fingerprint"] == "wrong"


def test_a_lost_key_file_of_a_database_is_not_made_anew(served: Served, tmp_path: Path) -> None:
    elsewhere = Instance(served.instance.database, tmp_path / "elsewhere")
    said = elsewhere.run("doctor", "--json")
    found = findings(said)
    assert (said.code, found["service key"]["state"]) == (1, "wrong")
    assert found["service key"]["cure"].startswith(f"cp BACKUP {elsewhere.data / 'service-key.json'}")


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
def test_a_missing_trigger_is_named(instance: Instance) -> None:
    engine = engines.make_engine(instance.database)
    name = "events_only_grows" if engine.dialect.name == "postgresql" else "events_only_grows_update"
    on = " ON events" if engine.dialect.name == "postgresql" else ""
    with engines.migrating(engine) as connection:
        connection.execute(text(f"DROP TRIGGER {name}{on}"))
    engine.dispose()
    said = instance.run("doctor", "--json")
    assert said.code == 1
    assert name in findings(said)["append-only"]["said"]
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
    assert findings(said)["service key"]["cure"].startswith(f"cp BACKUP {instance.data / 'service-key.json'}")


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
