"""`chiptrail hand` explains any hand from the database, in the same form as the demo."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service.database.engines import migrating
from tests.cli.commands import Instance
from tests.cli.played import Originals, play_to
from tests.http.service import Service, Table, accepted, running
from tests.play.hearts import ALL_RULES, over

UNSEEN = "??"


@pytest.fixture
def tables(originals: Originals, kind: str, tmp_path: Path) -> Iterator[tuple[Instance, str, str, Any]]:
    """Yield an instance, the ids of a finished private table and a live table, and hand 1 of the first from the API."""
    with originals.copied(kind, _played, tmp_path / "data") as played:
        yield played.instance, *played.known


def _played(service: Service) -> tuple[str, str, Any]:
    finished, live = (_hearts(service, visibility) for visibility in ("private", "public"))
    play_to(service, finished, over, 5)
    play_to(service, live, lambda state: len(state.passes_in) == 2, 5)
    return finished.id, live.id, accepted(finished.host.get(f"{finished.path}/hands/1")).json


def _hearts(service: Service, visibility: str) -> Table:
    table = Table(service, 4, game="insurance_hearts", visibility=visibility, **ALL_RULES, target=1)
    for seat, player in table.players.items():
        accepted(table.host.post(f"{table.path}/seats", {"seat": seat, "player": player.owner}), 201)
    accepted(table.host.do(table.path, "start_game"))
    return table


@pytest.mark.walk
def test_a_hand_is_printed_as_the_demo_prints_it(tables: tuple[Instance, str, str, Any]) -> None:
    instance, finished, _, view = tables
    said = instance.run("hand", finished, "1")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Insurance Hearts, a variation of Hearts contributed by Daniel Calizaya\n")
    assert f"Hand 1 of {finished}" in said.out
    for one in view["payouts"]:
        assert one["payout"]["formula"] in said.out
    for one in view["accounts"]:
        net = f"{one['net']:+}" if one["net"] else "0"
        row = [one["account"], str(one["opening"]), net, str(one["closing"])]
        assert row in [line.split() for line in said.out.splitlines()]
    assert "The sum of all nets: 0.\n" in said.out
    assert "every event compared: clean\n" in said.out
    assert said.out.endswith("Seats that decided without a signature: 1, 2, 3, 4.\n")


def test_as_json_a_hand_is_the_same_as_in_the_api(tables: tuple[Instance, str, str, Any]) -> None:
    instance, finished, _, view = tables
    said = instance.run("hand", finished, "1", "--json")
    told = json.loads(said.out)
    assert (said.code, told["hand"]) == (0, view)
    assert (told["adjudication"]["verdict"], told["adjudication"]["hand"]) == ("clean", 1)


def test_no_cards_of_a_running_hand_are_printed(tables: tuple[Instance, str, str, Any]) -> None:
    instance, _, live, _ = tables
    told = json.loads(instance.run("hand", live, "1", "--json").out)
    assert {card["face"] for card in told["hand"]["cards"]} == {UNSEEN}
    assert told["adjudication"]["verdict"] == "pending"
    assert instance.run("hand", live, "1").code == 0


def test_a_missing_table_or_hand_is_named(tables: tuple[Instance, str, str, Any]) -> None:
    instance, finished, _, _ = tables
    nowhere = "tbl_" + "0" * 32
    for table, number, why in (
        (nowhere, "1", f"There is no table {nowhere}."),
        (finished, "999", f"Table {finished} has no hand 999."),
    ):
        said = instance.run("hand", table, number)
        assert said.code == 1
        assert why in said.err
    assert instance.run("hand", "Ann", "1").code == 2
    assert instance.run("hand", finished, "0").code == 2


def test_a_damaged_log_is_reported_with_the_command_that_shows_more(
    tables: tuple[Instance, str, str, Any],
) -> None:
    instance, finished, _, view = tables
    with running(instance.data, instance.database) as service, migrating(service.parts.engine) as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(text("DROP TRIGGER events_only_grows_update"))
        else:
            connection.execute(text("ALTER TABLE events DISABLE TRIGGER USER"))
        where = {"stream_id": bytes.fromhex(finished.removeprefix("tbl_")), "position": view["first"] + 1}
        connection.execute(
            text("UPDATE events SET leaf = :leaf WHERE stream_id = :stream_id AND position = :position"),
            {**where, "leaf": b"{}"},
        )
    said = instance.run("hand", finished, "1")
    assert said.code == 1
    assert f"The log of {finished} is damaged at position {view['first'] + 1}" in said.err
    assert f"--table {finished}" in said.err


def test_without_a_database_no_service_key_is_made(nowhere: Instance) -> None:
    said = nowhere.run("hand", "tbl_" + "1" * 32, "1")
    assert said.code == 4
    assert not Path(nowhere.data / "service-key.json").exists()
