"""Tables at which every seat signs and adds a seed."""

import json
from collections.abc import Iterator
from random import Random

import pytest

from service.dossier import archive
from service.games import CURRENT
from tests.databases import Databases
from tests.dossier import made
from tests.dossier.forged import Leaves
from tests.dossier.made import FOR_CHIPS, RULES, SEATS, Manners, Played, files_of
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
    """Return a table of each game; its first hand is settled, and the second one is dealt."""
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
def test_no_seat_signs_two_moves_on_one_sign_from(tables: dict[str, Played], game: str) -> None:
    """A banker who answers several offers decides about other seats; each answer is a decision of the banker."""
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
