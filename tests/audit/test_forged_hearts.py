"""The audit finds what a service forges in Insurance Hearts, although all hashes and openings are valid."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from service.audit.verdicts import Verdict
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games import CURRENT
from service.games.common_events import CardsDealt, DeckRevealed
from service.games.game import Refusal
from service.games.insurance_hearts import playing, tricks
from service.games.insurance_hearts.events import CardPlayed, HandCancelled, PassChosen, SlipWritten
from service.secrets.openings import FieldOpening
from tests.audit.forgeries import FORGERIES, Facts, secret_of
from tests.audit.recording import decks_of, facts, judged, place_of, played, record, resealed
from tests.games import random_play
from tests.games.facts import facts_of
from tests.games.steps import Opening

SEED = 4
GAME = CURRENT["insurance_hearts"]


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)
    options = {"insurance": True, "bidding": True, "foot": True, "target": 100}
    found = replace(facts_of("insurance_hearts"), opening=lambda _chance: Opening(4, 0, options))
    monkeypatch.setattr("tests.games.insurance_hearts.facts.FACTS", found)


@cache
def whole() -> Facts:
    """Return a game of five hands with auctions and passes in each direction; one hand is cancelled."""
    return played(GAME, SEED)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_in_a_game_fails_at_its_place(name: str) -> None:
    forged, place, member = FORGERIES[name](whole())
    judgement = judged(SEED, record(forged))
    assert judgement.verdict is Verdict.FAILED
    difference = judgement.differences[0]
    assert (difference.position, difference.member[: len(member)]) == (place + 1, member)
    first = next(hand for hand in judgement.hands if hand.verdict is Verdict.FAILED)
    assert first.first <= place + 1 <= first.last


def test_an_opened_pass_that_differs_from_the_play_fails_at_the_first_card_that_was_in_another_hand() -> None:
    happened = whole()
    passed = place_of(happened, PassChosen)
    dealt = max(place for place, one in enumerate(happened[:passed]) if isinstance(one.event, CardsDealt))
    event = happened[dealt].event
    order, seat = decks_of(SEED).deck(event.epoch).order, happened[passed].event.seat
    value = happened[passed].secrets["cards"].value
    kept = next(card for at, to in event.cards if to == seat and (card := order[at]) not in value)
    other = secret_of(happened, passed, "cards", value=[kept, *value[1:]])
    difference = judged(SEED, record(resealed(happened, passed, cards=other))).differences[0]
    moved = {
        place
        for place, one in enumerate(happened)
        if place > passed and isinstance(one.event, CardPlayed) and one.event.card in {kept, value[0]}
    }
    assert passed < difference.position - 1 <= min(moved)
    assert difference.member == "decision"


def test_a_cancelled_hand_is_clean_although_its_numbers_never_open() -> None:
    happened = whole()
    game = record(happened)
    cancelled = place_of(happened, HandCancelled) + 1
    hand = next(one for one in judged(SEED, game).hands if one.first < cancelled < one.last)
    assert hand.verdict is Verdict.CLEAN
    numbers = [p for p in range(hand.first, cancelled) if isinstance(happened[p - 1].event, SlipWritten)]
    assert len(numbers) == 4
    lost = {place: one for place, one in game.openings.items() if place[0] in numbers and place[1] == "insurance"}
    assert len(lost) == len(numbers)
    again = judged(SEED, replace(game, openings={**game.openings, **_poisoned(lost, Random(1))}))
    assert {one.verdict for one in again.hands} == {Verdict.CLEAN}


def _violated(monkeypatch: pytest.MonkeyPatch, seed: int) -> tuple[Facts, dict[int, str]]:
    """Play a game that allows every card; return its facts, and each illegal card's refusal by its fact's index."""
    refused: list[str] = []
    refusal_of = tricks.refusal_of

    def allow(state: Any, hand: Any, card: Any) -> Refusal | None:  # noqa: ANN401 -- it replaces `refusal_of`
        if refusal := refusal_of(state, hand, card):
            refused.append(refusal.code)
        return None

    happened: Facts = []
    broken: dict[int, str] = {}
    with monkeypatch.context() as patched:
        patched.setattr(tricks, "refusal_of", lambda *_: None)
        patched.setattr(playing, "refusal_of", allow)
        for step in random_play.play(GAME, seed):
            if refused:
                broken[len(happened)] = refused.pop()
            happened += facts(step)
    return happened, broken


def test_a_hidden_hand_that_may_have_failed_to_follow_suit_is_pending_until_its_deck_is_retired_and_then_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = set()
    for seed in range(12):
        happened, broken = _violated(monkeypatch, seed)
        game, (place, code) = record(happened), min(broken.items())
        retired = next(p for p, one in enumerate(happened) if p > place and isinstance(one.event, DeckRevealed))
        before = max(p for p in range(retired) if happened[p].has_cmd)
        live = judged(seed, game.until(before))
        of_card = next(one for one in live.decisions if one.position == place + 1)
        assert (of_card.verdict, live.verdict) == (Verdict.PENDING, Verdict.PENDING)
        difference = judged(seed, game).differences[0]
        assert (difference.position, difference.member) == (place + 1, "decision")
        assert code in difference.expected
        seen.add(code)
    assert {"suit_must_be_followed", "two_of_clubs_must_lead"} <= seen


def test_the_verdict_on_a_live_game_does_not_depend_on_values_that_are_not_public() -> None:
    game, chance = record(whole()), Random(7)
    for position in chance.sample(range(1, len(game.events)), 40):
        part = game.until(position)
        hidden = {place: one for place, one in part.openings.items() if place not in _open(part.events)}
        other = replace(part, openings={**part.openings, **_poisoned(hidden, chance)})
        assert judged(SEED, other) == judged(SEED, part), position


def _poisoned(openings: dict[FieldPlace, FieldOpening], chance: Random) -> dict[FieldPlace, FieldOpening]:
    """Return *openings* with other values, which would change the verdict if the audit read them."""
    return {place: replace(one, value=chance.choice([None, -1, "Qs", ["2c"], {}])) for place, one in openings.items()}


def _open(events: Sequence[RecordedEvent]) -> set[FieldPlace]:
    """Return the places of the sealed fields of *events* that everybody may read after the last event."""
    found = set()
    for one in events:
        for field, sealed in one.priv.items():
            later = (after.type for after in events[one.position :])
            ends = (kind for kind in later if kind in {*sealed.until.open, *sealed.until.never})
            if next(ends, "") in sealed.until.open:
                found.add((one.position, field))
    return found
