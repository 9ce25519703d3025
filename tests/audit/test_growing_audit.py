"""The audit of a growing stream finds, at each length, the same as an audit that reads the stream at once."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from service import deck
from service.audit import import_audit
from service.audit.growing_audit import GrowingAudit
from service.audit.judging.disclosures import disclosures_of
from service.audit.table_audit import MOST_FINDINGS
from service.audit.verdicts import Verdict
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.games import GAMES
from service.games.common_events import DeckFixed
from service.games.definition import Game
from service.games.game import Decision
from tests.audit.recording import STREAM, Fact, Record, decks_of, place_of, played, record, with_members
from tests.games import random_play
from tests.games.real_decks import RealDecks

SEEDS = (1, 2)

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
Change = Callable[[Sequence[Fact]], list[Fact]]


def public(whole: Record, length: int) -> Callable[[RecordedEvent], dict[str, Any]]:
    """Return a function from an event to those of its sealed values that the first *length* events have made public."""
    ends = disclosures_of(whole.events[:length]).ends

    def fields(one: RecordedEvent) -> dict[str, Any]:
        return {
            field: whole.openings[one.position, field].value
            for field in one.priv
            if ends.get((one.position, field)) == "open"
        }

    return fields


def must_agree(whole: Record, shuffle: Shuffle, lengths: Sequence[int]) -> GrowingAudit:
    """Compare both audits at each of these *lengths* of the stream; return the audit of the growing stream."""
    growing = GrowingAudit(STREAM, shuffle)
    for length in lengths:
        new = whole.events[growing.position : length]
        growing.read(new)
        judged = growing.audit(new, public(whole, length))
        at_once = import_audit.audit(STREAM, whole.events[:length], public(whole, length), shuffle)
        assert judged.verdict is at_once.verdict, length
        assert set(judged.findings[:MOST_FINDINGS]) == set(at_once.findings), length
        assert growing.position <= length
    return growing


def some(whole: Record, chance: Random, number: int = 25) -> list[int]:
    """Return at most *number* random lengths, some perhaps in the middle of a command, and then the whole length."""
    each = range(1, len(whole.events))
    return [*sorted(chance.sample(each, min(number, len(each)))), len(whole.events)]


@every_game
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_game_is_judged_the_same_at_each_length(
    game: Game, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)
    decks, whole = decks_of(seed), record(played(game, seed))
    growing = must_agree(whole, lambda epoch, *_: decks.deck(epoch), some(whole, Random(seed)))
    last = max(place for place, one in enumerate(whole.events) if isinstance(one.event, Decision))
    assert growing.position == last, "only the last command of a finished game could still get consequences"


@every_game
def test_a_game_with_players_seeds_is_judged_the_same_at_each_length(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "decks_of", RealDecks)
    monkeypatch.setattr(random_play, "has_players_seeds", lambda _seed: True)
    facts = played(game, 3)
    for happened in (facts, with_members(facts, place_of(facts, DeckFixed), seats=(1,))):
        whole = record(happened)
        must_agree(whole, deck.shuffle, some(whole, Random(3), 10))


def _one_chip_more(facts: Sequence[Fact]) -> list[Fact]:
    places = [place for place, fact in enumerate(facts) if fact.event.transfers]
    place = places[len(places) // 2]
    first, *rest = facts[place].event.transfers
    more = type(first)(first.source, first.target, first.amount + 1, first.unit, first.rule)
    return with_members(facts, place, transfers=(more, *rest))


def _other_order(facts: Sequence[Fact]) -> list[Fact]:
    return with_members(facts, place_of(facts, DeckFixed), deck_root="0" * 64)


def _dropped(facts: Sequence[Fact]) -> list[Fact]:
    return [*facts[: len(facts) // 2], *facts[len(facts) // 2 + 1 :]]


@every_game
@pytest.mark.parametrize("change", [_one_chip_more, _other_order, _dropped])
def test_a_forged_game_fails_the_same_at_each_length(
    game: Game, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)
    decks, whole = decks_of(2), record(change(played(game, 2)))
    shuffle: Shuffle = lambda epoch, *_: decks.deck(epoch)  # noqa: E731 -- a function of one expression
    must_agree(whole, shuffle, some(whole, Random(2), 10))
    assert import_audit.audit(STREAM, whole.events, whole.fields, shuffle).verdict is Verdict.FAILED
