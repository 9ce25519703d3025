"""The doctor names what is wrong, and the command that cures it."""

import json
import shutil

from sqlalchemy import text

from service.log import database
from tests.cli.commands import Place, Said, Served


def findings(said: Said) -> dict[str, dict[str, str]]:
    """Return what `doctor --json` found, by the name of the check."""
    return {finding["check"]: finding for finding in json.loads(said.out)}


def states(said: Said) -> dict[str, str]:
    return {check: finding["state"] for check, finding in findings(said).items()}


def test_a_served_place_is_well(served: Served) -> None:
    said = served.place.run("doctor", "--json")
    assert said.code == 0
    found = states(said)
    found.pop("wrk")  # which a machine may have or not
    assert found.pop("role") == ("ok" if served.place.database.startswith("sqlite") else "note")  # tests own theirs
    assert found == dict.fromkeys(
        ("python", "disk", "service key", "database", "schema", "durability", "append-only", "fingerprint"), "ok"
    )


def test_for_people_it_says_a_line_a_finding(served: Served) -> None:
    said = served.place.run("doctor")
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines() if not line.startswith(" ")].count("ok") >= 8


def test_a_key_that_others_can_read_is_named_with_its_cure(served: Served, place: Place) -> None:
    place.data.mkdir()
    copy = place.data / "service-key.json"
    shutil.copy(served.place.data / "service-key.json", copy)
    copy.chmod(0o640)
    said = place.run("doctor", "--json")
    assert said.code == 1
    assert findings(said)["service key"]["cure"] == f"chmod 600 {copy}"


def test_a_key_that_is_not_the_databases_is_named(served: Served, place: Place) -> None:
    assert place.run("keys", "make").code == 0
    other = Place(served.place.database, place.data)
    said = other.run("doctor", "--json")
    assert said.code == 1
    assert states(said)["fingerprint"] == "wrong"


def test_a_missing_trigger_is_named(place: Place) -> None:
    engine = database.make_engine(place.database)
    name = "events_only_grows" if engine.dialect.name == "postgresql" else "events_only_grows_update"
    on = " ON events" if engine.dialect.name == "postgresql" else ""
    with database.migrating(engine) as connection:
        connection.execute(text(f"DROP TRIGGER {name}{on}"))
    engine.dispose()
    said = place.run("doctor", "--json")
    assert said.code == 1
    assert name in findings(said)["append-only"]["said"]
    assert "fingerprint" not in findings(said)  # nothing further is looked at


def test_a_trigger_that_is_switched_off_is_named(place: Place) -> None:
    engine = database.make_engine(place.database)
    if engine.dialect.name == "postgresql":  # SQLite has no switch
        with database.migrating(engine) as connection:
            connection.execute(text("ALTER TABLE sealed DISABLE TRIGGER sealed_only_grows"))
    engine.dispose()
    found = findings(place.run("doctor", "--json"))["append-only"]
    assert ("sealed_only_grows" in found["said"]) == (engine.dialect.name == "postgresql")


def test_a_place_where_nothing_is_yet_is_told_how_to_begin(nowhere: Place) -> None:
    said = nowhere.run("doctor")
    assert said.code == 4
    assert f"migrate --data {nowhere.data} --database" in said.out
    assert not nowhere.data.exists()  # it looks, and makes nothing
