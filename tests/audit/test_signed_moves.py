"""The audit checks the signature of every decision, and each verdict on a hand names the seats that did not sign."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from service.audit.judging.adjudicate import TableJudgement
from service.audit.verdicts import Verdict
from service.event_store import leaf
from service.event_store.codec import RecordedEvent
from service.games import GAMES
from service.games.common_events import SigningKeyEnded, SigningKeyRegistered
from service.games.definition import Game
from service.games.game import acting_seat
from tests.audit.forging import CODEC
from tests.audit.recording import Fact, Record, decks_of, judged, played, record, signed
from tests.games import random_play

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
SEEDS = range(4)


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)


def rechained(events: Sequence[RecordedEvent], position: int, **members: Any) -> tuple[RecordedEvent, ...]:  # noqa: ANN401 -- members of a leaf
    """Return *events* with other members in the leaf at *position*, and with a hash chain that is valid again.

    Only the owners of the keys could sign the later moves again, so their signatures stay.
    """
    changed: list[RecordedEvent] = list(events[: position - 1])
    for one in events[position - 1 :]:
        found = leaf.decode(one.leaf)
        if one.position == position:
            found = replace(found, **members)
        found = replace(found, prev=changed[-1].hash.hex())
        changed.append(CODEC.decode(leaf.encode(found)))
    return tuple(changed)


def first_signed(game: Record, kind: type | None = None) -> RecordedEvent:
    """Return the first signed decision of the type *kind*; by default, of any type except a key's registration."""
    kinds = (kind,) if kind else tuple({type(one.event) for one in game.events} - {SigningKeyRegistered})
    return next(one for one in game.events if one.sig and isinstance(one.event, kinds))


def failed_at(judgement: TableJudgement) -> set[tuple[int, str]]:
    return {(one.position, one.member) for one in judgement.differences}


@every_game
@pytest.mark.parametrize("seed", SEEDS)
def test_a_signed_game_is_clean_and_no_seat_is_unsigned(game: Game, seed: int) -> None:
    judgement = judged(seed, record(signed(played(game, seed))))
    assert judgement.differences == ()
    assert judgement.hands
    seats_later = {seat for hand in judgement.hands for seat in hand.unsigned_seats}
    assert seats_later <= late_seats(played(game, seed))


def late_seats(happened: Sequence[Fact]) -> set[int]:
    """Return the seats that were taken after the start; `signed` gives their new players no keys."""
    start = next(place for place, fact in enumerate(happened) if type(fact.event).__name__ == "GameStarted")
    return {fact.event.seat for fact in happened[start:] if type(fact.event).__name__ == "SeatTaken"}


@every_game
def test_a_game_without_keys_names_every_seat_that_decided(game: Game) -> None:
    judgement = judged(0, record(played(game, 0)))
    for hand in judgement.hands:
        decided = {acting_seat(one.recorded[0].by) for one in hand.decisions} - {0}
        assert set(hand.unsigned_seats) == decided
    assert any(hand.unsigned_seats for hand in judgement.hands)


def _no_signature(_one: RecordedEvent) -> dict[str, Any]:
    return {"sig": None}


def _other_signature(one: RecordedEvent) -> dict[str, Any]:
    assert one.sig
    return {"sig": replace(one.sig, signature=sha256(b"other").hexdigest() * 2)}


def _other_head(one: RecordedEvent) -> dict[str, Any]:
    assert one.sig
    return {"sig": replace(one.sig, head_hash=sha256(b"other").hexdigest())}


def _older_head(one: RecordedEvent) -> dict[str, Any]:
    assert one.sig
    return {"sig": replace(one.sig, position=1)}


def _later_head(one: RecordedEvent) -> dict[str, Any]:
    assert one.sig
    return {"sig": replace(one.sig, position=one.position)}


def _previous_key(one: RecordedEvent) -> dict[str, Any]:
    assert one.sig
    return {"sig": replace(one.sig, previous=one.sig.signature)}


@every_game
@pytest.mark.parametrize(
    "change", [_no_signature, _other_signature, _other_head, _older_head, _later_head, _previous_key]
)
def test_a_changed_signature_is_found(game: Game, change: Callable[[RecordedEvent], dict[str, Any]]) -> None:
    original = record(signed(played(game, 0)))
    one = first_signed(original)
    changed = rechained(original.events, one.position, **change(one))
    found = judged(0, Record(changed, original.openings))
    assert (one.position, "sig") in failed_at(found)
    assert found.verdict is Verdict.FAILED


@every_game
def test_a_rewritten_history_fails_at_the_first_signed_move_after_the_change(game: Game) -> None:
    original = record(signed(played(game, 0)))
    before = next(one for one in original.events if isinstance(one.event, SigningKeyRegistered)).position - 1
    changed = rechained(original.events, before, at="2026-01-01T00:00:00.001Z")
    found = failed_at(judged(0, Record(changed, original.openings)))
    first = next(one for one in original.events if one.sig)
    assert min(found) == (first.position, "sig")


@every_game
def test_another_cmd_is_found(game: Game) -> None:
    original = record(signed(played(game, 0)))
    one = first_signed(original)
    changed = rechained(original.events, one.position, cmd="ab" * 32)
    assert (one.position, "sig") in failed_at(judged(0, Record(changed, original.openings)))


@every_game
def test_a_signature_of_a_seat_without_a_registered_key_is_found(game: Game) -> None:
    original = record(played(game, 0))
    one = next(one for one in original.events if one.cmd and acting_seat(one.by))
    sig = leaf.MoveSignature("ab" * 32, 1, "cd" * 64)
    changed = rechained(original.events, one.position, sig=sig)
    assert (one.position, "sig") in failed_at(judged(0, Record(changed, original.openings)))


@every_game
def test_a_signature_of_a_consequence_is_found(game: Game) -> None:
    original = record(signed(played(game, 0)))
    one = next(one for one in original.events if not one.cmd)
    changed = rechained(original.events, one.position, sig=first_signed(original).sig)
    assert (one.position, "sig") in failed_at(judged(0, Record(changed, original.openings)))


@every_game
def test_a_key_that_somebody_else_signed_is_found(game: Game) -> None:
    original = record(signed(played(game, 0)))
    one = first_signed(original, SigningKeyRegistered)
    members = msgspec.json.decode(leaf.decode(one.leaf).pub)
    other = {**members, "public_key": first_signed(record(signed(played(game, 1))), SigningKeyRegistered).hash.hex()}
    pub = msgspec.Raw(msgspec.json.encode(other, order="sorted"))
    found = failed_at(judged(0, Record(rechained(original.events, one.position, pub=pub), original.openings)))
    assert one.position in {position for position, _ in found}


def test_the_moves_after_the_end_of_a_key_are_unsigned_and_the_verdict_names_the_seat() -> None:
    game = next(iter(GAMES.values()))
    happened = signed(played(game, 0))
    place = next(place for place, fact in enumerate(happened) if fact.signed_by and fact.by == "seat:2" and place > 20)
    ended = Fact("seat:2", SigningKeyEnded(seat=2), True)
    rest = [replace(fact, signed_by=()) if fact.by == "seat:2" else fact for fact in happened[place:]]
    judgement = judged(0, record([*happened[:place], ended, *rest]))
    assert judgement.differences == ()
    assert 2 in {seat for hand in judgement.hands for seat in hand.unsigned_seats}
