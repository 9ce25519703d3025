"""Whole games of Insurance Hearts over real HTTP, with every set of its optional rules, played by random bots."""

from collections.abc import Mapping
from contextlib import closing
from itertools import product
from random import Random

import pytest

from service.api_keys.repository import SCOPES
from service.audit import log_audit
from service.audit.verdicts import Verdict
from service.bots.host import Game, Host
from service.bots.parallel_games import play_in_parallel
from service.client.table_answers import Table
from service.entropy import Entropy
from tests.audit.forging import CODEC
from tests.http.service import Service

Rules = Mapping[str, bool]

RULES: list[Rules] = [
    dict(zip(("insurance", "bidding", "foot"), chosen, strict=True)) for chosen in product((False, True), repeat=3)
]
"""Every set of the three optional rules; without any of them the game is Hearts."""
SEEDS = 200


def name(rules: Rules) -> str:
    return "-".join(rule for rule, is_on in rules.items() if is_on) or "hearts"


@pytest.mark.walk
def test_a_game_with_all_three_rules_is_played_to_its_end_and_is_clean(served: tuple[Service, str]) -> None:
    service, url = served
    with closing(_host(service, url)) as host:
        _must_be_won(host.play(_game(1, RULES[-1])))
    must_be_clean(service, tables=1)


@pytest.mark.full
@pytest.mark.parametrize("rules", RULES, ids=name)
def test_a_game_with_any_set_of_rules_is_played_to_its_end_and_is_clean(
    served: tuple[Service, str], rules: Rules
) -> None:
    service, url = served
    with closing(_host(service, url)) as host:
        _must_be_won(host.play(_game(1, rules)))
    must_be_clean(service, tables=1)


@pytest.mark.full
def test_two_hundred_games_are_played_to_their_end_and_are_clean(served: tuple[Service, str]) -> None:
    service, url = served
    games = [_game(number, RULES[number % len(RULES)]) for number in range(SEEDS)]
    for _, table in play_in_parallel(lambda: _host(service, url), games, 4):
        _must_be_won(table)
    must_be_clean(service, tables=SEEDS)


def _host(service: Service, url: str) -> Host:
    return Host(url, service.person(*SCOPES).token, Entropy(), patience_seconds=60)


def _game(number: int, rules: Rules) -> Game:
    """Return a game of one hand or a few hands."""
    dice = Random(f"{number} {name(rules)}")
    options = {**rules, "queen_breaks_hearts": dice.choice([False, True]), "target": dice.choice([1, 1, 10, 30])}
    return Game(game="insurance_hearts", kinds=("random",) * 4, seed=f"{number}", options=options)


def _must_be_won(table: Table) -> None:
    """Check that a score reached the target, that the lowest score won, and that the balances add up to 0."""
    scores = {int(seat): points for seat, points in table.view["scores"].items()}
    assert table.status == "finished"
    assert max(scores.values()) >= table.options["target"]
    assert table.winners == tuple(seat for seat, points in scores.items() if points == min(scores.values()))
    assert {seat: table.balances.get(f"score:{seat}", 0) for seat in scores} == scores
    assert sum(table.balances.values()) == 0


def must_be_clean(service: Service, *, tables: int) -> None:
    """Check that the audit finds no error, and that all tables and all hands are `clean`.

    *tables* is the number of tables that there must be.
    """
    report = log_audit.verify(service.parts.engine, service.parts.log, CODEC)
    assert report.findings == ()
    assert dict(report.tables) == {Verdict.CLEAN: tables}
    assert set(report.hands) == {Verdict.CLEAN}
