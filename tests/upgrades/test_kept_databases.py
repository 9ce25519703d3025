"""Each kept database is migrated to this release, verified and rebuilt, and its games go on."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service.database.schema_check import head_revision
from service.games import CURRENT
from tests.cli.commands import Instance, Said
from tests.http.service import Person, Service, accepted, running
from tests.play.hearts import play_on
from tests.upgrades.kept import kept, leaves_of, unpack


@pytest.mark.parametrize("name", kept())
def test_a_database_of_an_earlier_release_is_migrated_verified_rebuilt_and_played_on(name: str, tmp_path: Path) -> None:
    instance, known = unpack(name, tmp_path)
    assert known.revision == name
    done(instance.run("migrate"))
    assert leaves_of(instance) == (known.leaves, known.sha256)
    before = verified(instance)
    assert before["signed"] > 0
    assert before["disputes"]["clean"] >= 1
    assert before["tables"]["undecidable"] == 1  # a value was erased
    done(instance.run("rebuild", "--processes", "1"))
    with running(tmp_path, instance.database) as service:
        for game, table in known.unfinished.items():
            assert game in CURRENT
            before_position = position(service, table)
            for seat, player in enumerate(known.seats[game], start=1):
                sees_its_seat(Person(service, player.owner, player.token), table, seat)
            hand = accepted(service.spectator.get(f"/v1/tables/{table}")).json["hand"]
            play_on(service.parts, bytes.fromhex(table.removeprefix("tbl_")), Random(game), after_hand(hand))
            assert position(service, table) > before_position
        service.keep_log()
    after = verified(instance)
    assert after["events"] > before["events"]
    assert after["log"]["waiting"] == 0
    assert json.loads(done(instance.run("doctor", "--json")).out)


def test_the_database_of_the_first_release_is_kept() -> None:
    assert kept()[0] == "0016"
    assert kept()[-1] <= head_revision()


def verified(instance: Instance) -> dict[str, Any]:
    """Return the report of `verify`, which must have no findings, neither in the tables nor in the log as a whole."""
    report: dict[str, Any] = json.loads(done(instance.run("verify", "--json")).out)
    assert (report["findings"], report["log"]["findings"]) == ([], [])
    return report


def position(service: Service, table: str) -> int:
    return int(accepted(service.spectator.get(f"/v1/tables/{table}")).json["position"])


def sees_its_seat(person: Person, table: str, seat: int) -> None:
    """Check that the kept API key of a player still belongs to the player in *seat*."""
    assert accepted(person.get(f"/v1/tables/{table}/me")).json["seat"] == seat


def after_hand(hand: int) -> Any:  # noqa: ANN401 -- the states of the games have no common type
    """Return the condition that ends play once the hand after *hand* is over and another hand has begun."""
    return lambda state: state.hand > hand + 1


def done(said: Said) -> Said:
    assert said.code == 0, said.out + said.err
    return said
