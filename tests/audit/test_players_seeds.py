"""The audit of tables with players' seeds: a whole game is clean, and each forged seed is found where it was forged."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from service.audit import import_audit
from service.audit.checks.seed_checks import SeedCheck
from service.audit.judging.adjudicate import TableJudgement, adjudicate
from service.audit.verdicts import Verdict
from service.games import GAMES
from service.games.common_events import DeckFixed
from service.games.definition import Game
from service.games.game import Event
from service.games.seeds.seed_events import (
    DeckSeedCommitted,
    DeckSeedOmitted,
    DeckSeedRevealed,
    DeckSeedsDropped,
    DeckSeedsSettled,
)
from service.tables.replay import CannotReplay, commands
from tests.audit.recording import STREAM, Fact, Record, place_of, played, record, with_members
from tests.games import random_play
from tests.games.random_play import TABLE
from tests.games.real_decks import RealDecks

SHARE, ALL = 4, 400
OTHER = "a" * 64

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@pytest.fixture(autouse=True)
def players_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", RealDecks)
    monkeypatch.setattr(random_play, "has_players_seeds", lambda _seed: True)


def judged(game: Record) -> TableJudgement:
    return adjudicate(STREAM, game.events, fields=game.fields)


def found(game: Record) -> Iterator[tuple[int, str]]:
    """Yield the position and the name of each check of seeds that *game* fails."""
    check = SeedCheck(TABLE)
    try:
        for steps in commands(STREAM, game.events):
            yield from ((one.position, one.check) for one in check.check_command(steps))
    except CannotReplay:
        pass  # Another check finds an event that cannot be folded.


@every_game
@pytest.mark.parametrize(
    "games", [pytest.param(SHARE, id="some"), pytest.param(ALL, id="more", marks=pytest.mark.full)]
)
def test_random_games_with_players_seeds_are_clean(game: Game, games: int) -> None:
    kinds: set[type[Event]] = set()
    for seed in range(games):
        facts = played(game, seed)
        recorded = record(facts)
        assert judged(recorded).verdict is Verdict.CLEAN, seed
        assert list(found(recorded)) == [], seed
        kinds |= {type(fact.event) for fact in facts}
    assert {DeckSeedCommitted, DeckSeedRevealed, DeckSeedsSettled} <= kinds


def omitted_or_dropped(game: Game) -> set[type[Event]]:
    return {type(fact.event) for seed in range(40) for fact in played(game, seed)} & {DeckSeedOmitted, DeckSeedsDropped}


def test_random_games_have_seeds_that_are_omitted_or_dropped() -> None:
    assert set().union(*map(omitted_or_dropped, GAMES.values())) == {DeckSeedOmitted, DeckSeedsDropped}


def forged(facts: Sequence[Fact], kind: type[Event], **members: Any) -> tuple[int, Record]:  # noqa: ANN401 -- any member
    """Return the position of the first event of *kind*, and the record in which its *members* are forged."""
    place = place_of(facts, kind)
    return place + 1, record(with_members(facts, place, **members))


@every_game
@pytest.mark.parametrize(
    ("kind", "members", "check"),
    [
        (DeckSeedRevealed, {"client_seed": OTHER}, "seed_must_match_its_commitment"),
        (DeckSeedsSettled, {"seats": (1,)}, "seeds_must_be_all_or_none"),
        (DeckFixed, {"seats": (1,)}, "deck_must_have_the_seeds_of_its_batch"),
        (DeckFixed, {"seats": ()}, "deck_must_have_the_seeds_of_its_batch"),
    ],
    ids=["another seed", "one seat of several", "a deck with one seat", "a deck with no seat"],
)
def test_a_forged_seed_is_found_at_its_event(
    game: Game, kind: type[Event], members: dict[str, Any], check: str
) -> None:
    facts = joint_game(game)
    position, altered = forged(facts, kind, **members)
    judgement = judged(altered)
    assert judgement.verdict is Verdict.FAILED
    assert judgement.differences[0].position <= position
    assert (position, check) in list(found(altered))
    of_copy = import_audit.audit(STREAM, altered.events, altered.fields)
    assert (position, check) in {(one.position, one.check) for one in of_copy.findings}


@every_game
def test_a_commitment_in_the_name_of_another_seat_is_found(game: Game) -> None:
    facts = joint_game(game)
    place = place_of(facts, DeckSeedCommitted)
    altered = record([*facts[:place], replace(facts[place], by="seat:52"), *facts[place + 1 :]])
    assert judged(altered).verdict is Verdict.FAILED
    assert (place + 1, "seed_must_be_committed_in_time") in list(found(altered))


@pytest.mark.parametrize(
    "game", [game for game in GAMES.values() if game.state_type.DECKS_OF_START], ids=lambda game: game.name
)
def test_a_seat_can_not_leave_itself_out(game: Game) -> None:
    facts = next(facts for facts in (played(game, seed) for seed in range(200)) if _has(facts, DeckSeedOmitted))
    place = place_of(facts, DeckSeedOmitted)
    seat = facts[place].event.seat
    fact = Fact(f"seat:{seat}", replace(facts[place].event, called=""), has_cmd=True)
    assert judged(record([*facts[:place], fact, *facts[place + 1 :]])).verdict is Verdict.FAILED


def joint_game(game: Game) -> list[Fact]:
    """Return the first random game whose first deck has seeds of two or more seats."""
    games = (played(game, seed) for seed in range(200))
    return next(
        facts for facts in games if _has(facts, DeckFixed) and len(facts[place_of(facts, DeckFixed)].event.seats) > 1
    )


def _has(facts: Sequence[Fact], kind: type[Event]) -> bool:
    return any(isinstance(fact.event, kind) for fact in facts)
