"""Dossiers of tables at which every seat signs and adds a seed: both checkers accept them, and refuse forged moves."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from service.dossier import archive, offline_check
from service.games import CURRENT
from tests.databases import Databases
from tests.dossier import made
from tests.dossier.forged import Leaves, forged
from tests.dossier.made import FOR_CHIPS, RULES, SEATS, Manners, Played, files_of, must_be_refused, must_pass
from tests.http.service import Service, Table, accepted, running
from tests.http.signer import Signer, key_of

HANDS = 2
every_game = pytest.mark.parametrize("game", CURRENT)


@pytest.fixture(scope="module")
def service(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("signed"), url) as service:
        yield service


@pytest.fixture(scope="module")
def tables(service: Service) -> dict[str, Played]:
    """Return a played table of each game: its first hand is settled, and its second hand is dealt."""
    played = {}
    for game in CURRENT:
        table = Table(service, SEATS, game=game, seeds="players", **RULES.get(game, FOR_CHIPS)).seated()
        for seat, player in table.players.items():
            accepted(Signer(player, table.path, key_of(f"{seat}")).register())
        accepted(table.host.do(table.path, "start_game"))
        made.play(service, table, HANDS, Random(game), Manners(signs=True))
        played[game] = table
    service.keep_log()
    return {game: Played(game, table, made.dossiers(table)) for game, table in played.items()}


def leaves(played: Played) -> Leaves:
    return [
        json.loads(line) for line in files_of(played.dossiers["the table for everybody"])[archive.EVENTS].splitlines()
    ]


@every_game
def test_each_dossier_of_a_signed_table_passes_and_no_seat_is_unsigned(tables: dict[str, Played], game: str) -> None:
    for about in ("hand 1 for seat 1", "the table for everybody"):
        data = tables[game].dossiers[about]
        must_pass(data)
        assert all(hand.unsigned_seats == () for hand in offline_check.check(data).hands)


@every_game
def test_no_seat_signs_two_moves_with_one_value_of_sign_from(tables: dict[str, Played], game: str) -> None:
    """An answer of the banker counts as a decision of the banker, although it is about the offer of another seat."""
    commands: list[Leaves] = []
    for leaf in leaves(tables[game]):
        commands += [[leaf]] if "cmd" in leaf else []
        commands[-1].append(leaf)
    last: dict[str, int] = {}
    signed = 0
    for decision, *_, end in commands:
        if "sig" in decision:
            assert decision["sig"]["position"] >= last.get(decision["by"], 1)
            signed += 1
        last[decision["by"]] = end["position"]
    assert signed > SEATS * HANDS


Edit = Callable[[dict[str, Any]], object]


def by_the_service(leaf: dict[str, Any]) -> None:
    leaf["by"] = "service"


def a_consequence(leaf: dict[str, Any]) -> None:
    leaf["by"] = "service"
    del leaf["cmd"]


def of_another_seat(leaf: dict[str, Any]) -> None:
    leaf["by"] = f"seat:{int(leaf['by'][5:]) % SEATS + 1}"


@every_game
@pytest.mark.parametrize("edit", [by_the_service, a_consequence, of_another_seat])
def test_an_operator_who_signs_the_log_cannot_make_a_move_in_the_name_of_a_player(
    tables: dict[str, Played], game: str, edit: Edit
) -> None:
    """The last signed move is changed, so no later signature shows the change."""

    def change(changed: Leaves) -> None:
        leaf = next(one for one in reversed(changed) if "sig" in one)
        del leaf["sig"]
        for sealed in leaf.get("priv", {}).values():
            del sealed["choice"]
        edit(leaf)

    must_be_refused(forged(tables[game].dossiers["the table for everybody"], change))


@every_game
def test_a_dossier_that_names_the_events_of_another_hand_is_refused(tables: dict[str, Played], game: str) -> None:
    files = files_of(tables[game].dossiers["hand 1 for everybody"])
    first, *rest = files[archive.OPENINGS].splitlines(keepends=True)
    begin = json.loads(first)["begin"]
    for change in ({"hand": 2}, {"first": begin["first"] + 1}, {"last": begin["last"] - 1}, {"hand": 0}):
        line = json.dumps({"begin": begin | change}, sort_keys=True, separators=(",", ":")).encode() + b"\n"
        must_be_refused(archive.packed({**files, archive.OPENINGS: b"".join([line, *rest])}))
