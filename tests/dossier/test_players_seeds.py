"""Dossiers of tables with players' seeds prove whose seeds are in each deck, even if seeds were left out or dropped."""

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from service.dossier import archive, verify
from service.games import CURRENT
from service.games.common_commands import CommitSeed, RevealSeed
from tests import seeds
from tests.databases import Databases
from tests.dossier import made
from tests.dossier.forged import Leaves, forged
from tests.dossier.made import FOR_CHIPS, RULES, SEATS, Manners, Played, files_of, must_be_refused, must_pass
from tests.http.service import Table, running

HANDS = 3
MANNERS = {
    "all answer": made.POLITE,
    "seat 1 never commits": Manners(withheld=CommitSeed),
    "seat 1 never shows its seed": Manners(withheld=RevealSeed),
    "seat 2 leaves": Manners(leaver=2),
}
LEVELS = {
    "all answer": {"joint"},
    "seat 1 never commits": {"partial"},
    "seat 1 never shows its seed": {"operator"},
    "seat 2 leaves": {"joint"},
}

PlayedTables = dict[tuple[str, str], Played]
"""Tables by their game, and by the manners of their players."""


@pytest.fixture(scope="module")
def tables(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedTables]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("seeds"), url) as service:
        played = {}
        for game in CURRENT:
            for name, manners in MANNERS.items():
                table = Table(service, SEATS, game=game, seeds="players", **RULES.get(game, FOR_CHIPS)).started()
                made.play(service, table, HANDS, Random(f"{game} {name}"), manners)
                played[game, name] = table
        service.keep_log()
        yield {key: Played(key[0], table, made.dossiers(table)) for key, table in played.items()}


def leaves(played: Played) -> list[dict[str, Any]]:
    events = files_of(played.dossiers["the table for everybody"])[archive.EVENTS]
    return [json.loads(line) for line in events.splitlines()]


def kinds(played: Played) -> set[str]:
    return {leaf["type"] for leaf in leaves(played)}


@pytest.mark.parametrize(
    "most", [pytest.param(1, id="some"), pytest.param(sys.maxsize, id="all", marks=pytest.mark.full)]
)
def test_each_dossier_of_a_table_with_the_seeds_of_players_passes_every_check(tables: PlayedTables, most: int) -> None:
    chance = seeds.chance("dossiers with players' seeds")
    for played in tables.values():
        dossiers = list(played.dossiers.values())
        for data in chance.sample(dossiers, min(most, len(dossiers))):
            must_pass(data)


def test_every_fate_of_a_seed_is_in_the_dossiers(tables: PlayedTables) -> None:
    """Without this test, the previous test could check only decks without players' seeds."""
    for (_, name), played in tables.items():
        levels = {leaf["pub"]["level"] for leaf in leaves(played) if leaf["type"] == "deck_fixed"}
        assert levels == LEVELS[name]
    seen = {name: set.union(*(kinds(one) for key, one in tables.items() if key[1] == name)) for name in MANNERS}
    assert seen["all answer"] >= {"deck_seed_committed", "deck_commitments_closed", "deck_seed_revealed"}
    assert "deck_seed_omitted" in seen["seat 1 never commits"]
    assert "deck_seeds_dropped" in seen["seat 1 never shows its seed"]
    assert seen["seat 2 leaves"] >= {"deck_batch_ended", "deck_unused"}


def test_some_deck_with_the_seeds_of_players_is_revealed_and_made_again(tables: PlayedTables) -> None:
    for game in CURRENT:
        fixed, *_ = [one for one in leaves(tables[game, "all answer"]) if one["type"] == "deck_fixed"]
        assert fixed["pub"]["seats"] == list(range(1, SEATS + 1))
    assert any("deck_revealed" in kinds(played) for played in tables.values())


Edit = Callable[[dict[str, Any]], object]
EDITS: dict[str, tuple[str, Edit]] = {
    "another commitment": ("deck_seed_committed", lambda pub: pub.update(client_commit="ab" * 32)),
    "another seed": ("deck_seed_revealed", lambda pub: pub.update(client_seed="ab" * 32)),
    "a seed of another seat": ("deck_seed_revealed", lambda pub: pub.update(seat=pub["seat"] % SEATS + 1)),
    "a seat less that committed": ("deck_commitments_closed", lambda pub: pub["seats"].pop()),
    "a seed left out": ("deck_seeds_settled", lambda pub: pub["seats"].pop()),
    "a seat less in the deck": ("deck_fixed", lambda pub: pub["seats"].pop()),
    "another level": ("deck_fixed", lambda pub: pub.update(level="operator")),
    "another batch": ("deck_opened", lambda pub: pub.update(batch=pub["epoch"] + "9")),
}


@pytest.mark.parametrize("game", CURRENT)
@pytest.mark.parametrize("how", EDITS)
def test_a_signed_history_with_other_seeds_is_refused(tables: PlayedTables, game: str, how: str) -> None:
    kind, edit = EDITS[how]

    def change(changed: Leaves) -> None:
        edit(next(leaf for leaf in changed if leaf["type"] == kind)["pub"])

    data = forged(tables[game, "all answer"].dossiers["the table for everybody"], change)
    must_be_refused(data)
    step = "moves" if how == "a seed of another seat" else "decks"
    assert next(one.step for one in verify.findings(data) if one.verdict == "FAILED") == step


@pytest.mark.parametrize("game", CURRENT)
def test_a_seed_that_the_service_drops_without_a_name_is_refused(tables: PlayedTables, game: str) -> None:
    def unnamed(changed: Leaves) -> None:
        next(leaf for leaf in changed if leaf["type"] == "deck_seeds_dropped")["pub"]["seats"] = []

    played = tables[game, "seat 1 never shows its seed"]
    must_be_refused(forged(played.dossiers["the table for everybody"], unnamed))
