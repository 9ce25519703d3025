"""`chiptrail erase` by place, owner or age; afterwards `verify` calls the hands undecidable and raises no alarm."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from sqlalchemy import select

from service.database import engines
from service.database.engines import reading
from service.event_store.log_tables import sealed
from service.tables.fold import table_id
from service.tables.sealed_store import SEED
from tests.cli.commands import Instance, Said, run
from tests.cli.played import Originals
from tests.http.service import Service
from tests.play.hearts import begun, over, play_on
from tests.play.tables import House, owner

OVER, LIVE = (number.to_bytes(16, "big") for number in (1, 2))


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with two games of Insurance Hearts: the first is over, the second is in its second hand."""
    with originals.copied(kind, _played, tmp_path / "data") as original:
        yield original.instance


def _played(service: Service) -> None:
    parts = service.parts
    house = cast("House", parts)
    play_on(parts, begun(house, 1, target=1).stream_id, Random(1), over)
    play_on(parts, begun(house, 2).stream_id, Random(2), lambda state: state.hand == 2 and len(state.slips_in) == 2)


def left(instance: Instance) -> set[tuple[str, int, str]]:
    """Return table, position and field of each sealed value that is not erased, without seeds."""
    engine = engines.make_engine(instance.database)
    with reading(engine) as connection:
        rows = connection.execute(select(sealed).where(sealed.c.field != SEED)).all()
    engine.dispose()
    return {(table_id(bytes(row.stream_id)), row.position, row.field) for row in rows}


def told(said: Said) -> list[dict[str, Any]]:
    assert said.code == 0, said.err
    return list(json.loads(said.out))


def places(listed: list[dict[str, Any]], outcome: str) -> set[tuple[str, int, str]]:
    return {(one["table"], one["position"], one["field"]) for one in listed if one["outcome"] == outcome}


@pytest.mark.walk
def test_all_choices_of_an_owners_seats_are_erased_except_in_the_running_hand(played: Instance) -> None:
    before = left(played)
    listed = told(played.run("erase", "--owner", owner(1), "--dry-run", "--json"))
    would, not_yet = places(listed, "would_be_erased"), places(listed, "left")
    assert would | not_yet < before
    assert {table for table, _, _ in would} == {table_id(OVER), table_id(LIVE)}
    assert {table for table, _, _ in not_yet} <= {table_id(LIVE)}
    assert all("belongs to the current hand" in one["why_not"] for one in listed if one["outcome"] == "left")
    assert left(played) == before
    done = told(played.run("erase", "--owner", owner(1), "--json"))
    assert (places(done, "erased"), places(done, "left")) == (would, not_yet)
    assert left(played) == before - would
    verified = played.run("verify", "--json")
    assert verified.code == 0, verified.out
    assert json.loads(verified.out)["tables"]["undecidable"] == 2
    again = told(played.run("erase", "--owner", owner(1), "--json"))
    assert (places(again, "erased"), places(again, "left")) == (set(), not_yet)


def test_values_are_erased_by_age(played: Instance) -> None:
    assert told(played.run("erase", "--older-than", "1", "--json")) == []
    words = played.run("erase", "--older-than", "0")
    assert (words.code, words.err) == (0, "")
    assert words.out.splitlines()[-1].endswith(" not")
    assert {table for table, _, _ in left(played)} == {table_id(LIVE)}
    assert played.run("verify").code == 0


def test_one_value_is_erased_once(played: Instance) -> None:
    table, position, field = min(left(played))
    done = played.run("erase", table, str(position), field, "--ground", "order")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [f"{table} {position} {field}: erased", "1 erased, 0 not"]
    again = played.run("erase", table, str(position), field, "--ground", "order")
    assert (again.code, "The value was erased before." in again.out) == (1, True)
    other = played.run("erase", table, str(position), field)
    assert (other.code, "The value was erased before." in other.out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        pytest.param((table_id(LIVE), "2", SEED), "A later event may still open", id="a live deck's seed"),
        pytest.param((table_id(LIVE), "1", "bid"), "No event sealed bid of position 1.", id="nothing there"),
        pytest.param(("tbl_" + "9" * 32, "1", "bid"), "There is no such table.", id="no table"),
    ],
)
def test_the_erasure_of_a_needed_value_is_refused_and_nothing_changes(
    played: Instance, arguments: tuple[str, ...], why: str
) -> None:
    before = left(played)
    if arguments[2] == SEED:
        arguments = (arguments[0], str(_last_deck(played)), SEED)
    said = played.run("erase", *arguments)
    assert (said.code, why in said.out) == (1, True), said
    assert left(played) == before


def test_a_value_of_an_imported_table_is_erased_once_and_the_services_own_stream_records_it(
    played: Instance, tmp_path: Path
) -> None:
    file = tmp_path / "tables.ndjson"
    file.write_text(played.run("export", "--openings", "--table", table_id(OVER)).out)
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    there.run("migrate")
    assert there.run("import", str(file)).code == 0
    table, position, field = min(left(there))
    place = (table, str(position), field)
    for dry_run in (("--dry-run",), ()):
        said = there.run("erase", *place, "--ground", "order", *dry_run)
        assert (said.code, "1 would be erased" in said.out or "1 erased" in said.out) == (0, True), said
    erased = there.service_events()[-1]
    assert (erased["type"], erased["by"]) == ("value_erased_at", "service")
    pub = erased["pub"]
    assert (pub["table"], str(pub["position"]), pub["field"], pub["ground"]) == (*place, "order")
    before = left(there)
    again = there.run("erase", *place)
    assert (again.code, "was erased before" in again.out) == (1, True), again
    assert there.run("import", str(file)).code == 0
    assert left(there) == before, "an import does not restore an erased value"
    verified = there.run("verify")
    assert verified.code == 0, verified


def test_an_export_after_an_erasure_is_imported_elsewhere_and_is_undecidable_there(
    played: Instance, tmp_path: Path
) -> None:
    told(played.run("erase", "--owner", owner(1), "--json"))
    file = tmp_path / "tables.ndjson"
    file.write_text(played.run("export", "--table", table_id(OVER)).out)
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    there.run("migrate")
    said = there.run("import", str(file))
    assert (said.code, "undecidable" in said.out) == (0, True), said
    assert there.run("verify").code == 0


@pytest.mark.parametrize(
    "arguments", [(), ("tbl_" + "0" * 32,), ("tbl_" + "0" * 32, "1", "bid", "--owner", "own_1"), ("me", "1", "bid")]
)
def test_a_wrong_choice_of_values_is_wrong_use(instance: Instance, arguments: tuple[str, ...]) -> None:
    assert instance.run("erase", *arguments).code == 2


def test_the_help_of_erase_lists_the_data_that_stay() -> None:
    assert "The leaf and its commitment stay" in run("erase", "--help").out


def _last_deck(instance: Instance) -> int:
    engine = engines.make_engine(instance.database)
    with reading(engine) as connection:
        where = (sealed.c.stream_id == LIVE, sealed.c.field == SEED)
        found = connection.scalars(select(sealed.c.position).where(*where)).all()
    engine.dispose()
    return int(max(found))
