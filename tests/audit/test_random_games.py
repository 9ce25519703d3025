"""Random legal games are clean when the audit decides them again; with one more chip in a transfer they fail."""

from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from service.audit.differences import Difference
from service.audit.verdicts import Verdict
from service.games import GAMES
from service.games.definition import Game
from service.games.game import Event
from service.games.insurance_hearts.events import BidWritten, HandCancelled, PassChosen, SlipWritten
from tests.audit.recording import Fact, decks_of, judged, played, record, with_members
from tests.games import random_play
from tests.games.facts import facts_of
from tests.games.steps import Opening

SHARE, ALL = 12, 10_000
RULES = ("insurance", "bidding", "foot")

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)


@every_game
def test_random_games_are_clean(game: Game) -> None:
    for seed in range(SHARE):
        assert judged(seed, record(played(game, seed))).verdict is Verdict.CLEAN, seed


@every_game
def test_random_games_with_one_chip_more_fail_at_that_event(game: Game) -> None:
    chance = Random(1)
    for seed in range(SHARE):
        facts = played(game, seed)
        places = [place for place, fact in enumerate(facts) if fact.event.transfers]
        if places:  # A game with points may be closed before any points are scored.
            place = chance.choice(places)
            altered = record(with_members(facts, place, transfers=_one_chip_more(facts[place], chance).transfers))
            judgement = judged(seed, altered)
            assert judgement.verdict is Verdict.FAILED, (seed, place)
            assert judgement.differences[0].position == place + 1


@every_game
def test_the_time_limit_calls_time_only_at_a_table_with_a_limit(game: Game) -> None:  # G.3
    found = 0
    for seed in range(SHARE):
        facts = played(game, seed)
        for place in [place for place, fact in enumerate(facts) if getattr(fact.event, "called", "")][:1]:
            found += 1
            by_limit = with_members(facts, place, called="limit")
            wrong = Difference(position=place + 1, member="called", expected='"host"', found='"limit"')
            judgement = judged(seed, record(by_limit))
            assert (judgement.verdict, judgement.differences[:1]) == (Verdict.FAILED, (wrong,))
            assert judged(seed, record(with_members(by_limit, 0, time_limit_seconds=60))).verdict is Verdict.CLEAN
    assert found


@pytest.mark.full
@every_game
def test_ten_thousand_games_are_clean(game: Game) -> None:
    for seed in range(ALL):
        assert judged(seed, record(played(game, seed))).verdict is Verdict.CLEAN, seed


@pytest.mark.parametrize("chosen", [*product((False, True), repeat=3)], ids=str)
def test_insurance_hearts_is_clean_with_any_of_its_rules(
    chosen: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {**dict(zip(RULES, chosen, strict=True)), "target": 50}
    found = replace(facts_of("insurance_hearts"), opening=lambda _chance: Opening(4, 0, options))
    monkeypatch.setattr("tests.games.insurance_hearts.facts.FACTS", found)
    kinds: set[type[Event]] = set()
    for seed in range(5):
        facts = played(GAMES["insurance_hearts", 1], seed)
        kinds |= {type(fact.event) for fact in facts}
        judgement = judged(seed, record(facts))
        assert {hand.verdict for hand in judgement.hands} == {Verdict.CLEAN}, seed
        expected = [event for decision in judgement.decisions for event in decision.expected]
        assert expected == [fact.event for fact in facts]
    insurance, bidding, foot = chosen
    sealed = {PassChosen: True, SlipWritten: insurance or foot, BidWritten: bidding, HandCancelled: foot}
    assert {kind: kind in kinds for kind in sealed} == sealed


def _one_chip_more(fact: Fact, chance: Random) -> Event:
    event: Event = fact.event
    transfers = list(event.transfers)
    chosen = chance.randrange(len(transfers))
    transfers[chosen] = replace(transfers[chosen], amount=transfers[chosen].amount + 1)
    return replace(event, transfers=tuple(transfers))
