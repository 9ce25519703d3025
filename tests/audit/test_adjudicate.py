"""Adjudication decides each decision again, from the events alone."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from service.audit.judging.adjudicate import adjudicate, adjudicate_hand
from service.audit.judging.decision import RecordedFold
from service.audit.verdicts import Verdict
from service.canonical import canonical
from service.event_store.codec import RecordedEvent
from service.games.bankrupt.events import AntesPlaced, AntesReturned, RoundWon
from service.games.common_events import CardsShown, DeckRevealed, HandDealt, SeatTaken, TableOpened
from service.tables.replay import commands
from tests.audit.forging import CODEC, FINISHED, LIVE, played


def events_of(stream_id: bytes) -> tuple[RecordedEvent, ...]:
    """Return the recorded events of one of the two tables in `played`."""
    return tuple(CODEC.decode(row["leaf"]) for row in played()["events"] if row["stream_id"] == stream_id)


def changed(events: Sequence[RecordedEvent], position: int, **members: object) -> tuple[RecordedEvent, ...]:
    """Return *events* with some members of the event at *position* changed."""
    one = events[position - 1]
    return (*events[: position - 1], replace(one, event=replace(one.event, **members)), *events[position:])


def place(events: Sequence[RecordedEvent], kind: type[msgspec.Struct], number: int = 0) -> int:
    """Return the position of the *number*-th event of a *kind*, counted from 0."""
    return [one.position for one in events if isinstance(one.event, kind)][number]


def test_a_finished_game_is_clean_hand_by_hand() -> None:
    events = events_of(FINISHED)
    judged = adjudicate(FINISHED, events)
    assert judged.verdict is Verdict.CLEAN
    assert judged.differences == ()
    assert {hand.verdict for hand in judged.hands} == {Verdict.CLEAN}
    assert [hand.hand for hand in judged.hands] == list(range(1, 16))
    assert [one.position for one in judged.decisions] == [one.position for one in events if one.cmd]


def test_an_equal_event_is_not_folded_again_and_any_other_event_is() -> None:
    first, second = next(steps for steps in commands(FINISHED, events_of(FINISHED)) if len(steps) == 2)
    event: Any = first.recorded.event
    other: Any = second.recorded.event
    again = RecordedFold((first, second))
    between, entries = again(first.before, event)
    assert (between is second.before, entries is first.entries) == (True, True)
    assert again(between, other)[0] is second.after.state
    assert again(between, other)[0] is not second.after.state  # No recorded step is left, so the event is folded.
    swapped = RecordedFold((second, first))
    for one in (event, other):  # The first recorded step begins with another state; the second has another event.
        folded, entries = swapped(first.before, one)
        assert (folded, entries) == first.after.game.step(first.before, one)
        assert all(folded is not step.after.state for step in (first, second))


def test_the_expected_events_are_shown_event_by_event() -> None:
    for one in adjudicate(FINISHED, events_of(FINISHED)).decisions:
        assert one.expected == tuple(recorded.event for recorded in one.recorded)
        assert one.last == one.recorded[-1].position


def test_hands_of_a_live_deck_are_pending_and_earlier_hands_are_not() -> None:
    judged = adjudicate(LIVE, events_of(LIVE))
    assert judged.verdict is Verdict.PENDING
    verdicts = [hand.verdict for hand in judged.hands]
    live = verdicts.count(Verdict.PENDING)
    assert live > 1
    assert verdicts == [Verdict.CLEAN] * (len(verdicts) - live) + [Verdict.PENDING] * live
    assert [hand.last for hand in judged.hands][-1] == 0


def test_a_live_hand_is_judged_from_the_faces_that_were_shown() -> None:
    events = events_of(LIVE)
    won = place(events, RoundWon, -1)
    hand = adjudicate(LIVE, events).hands[-2]
    assert hand.first < won < hand.last
    settling = hand.decisions[-1]
    assert settling.verdict is Verdict.PENDING
    assert settling.expected == tuple(recorded.event for recorded in settling.recorded)


def test_a_hand_with_cards_that_nobody_has_shown_cannot_be_decided_yet() -> None:
    events = events_of(LIVE)
    shown = place(events, CardsShown, -1)
    hidden = changed(events, shown, cards=())
    settling = adjudicate(LIVE, hidden).hands[-2].decisions[-1]
    assert (settling.verdict, settling.expected) == (Verdict.PENDING, ())


def test_a_settled_hand_is_clean_once_its_deck_is_revealed_later_in_the_stream() -> None:
    events = events_of(FINISHED)
    revealed = place(events, DeckRevealed, 1)
    cut = max(one.position for one in events[: revealed - 1] if one.cmd) - 1
    first = adjudicate_hand(FINISHED, events[:cut], 1)
    assert first.verdict is Verdict.PENDING
    assert adjudicate_hand(FINISHED, events, 1).verdict is Verdict.CLEAN


def test_one_hand_is_judged_like_the_same_hand_in_the_whole_table() -> None:
    events = events_of(LIVE)
    for hand in adjudicate(LIVE, events).hands:
        assert adjudicate_hand(LIVE, events, hand.hand) == hand


def test_there_is_no_hand_that_was_not_dealt() -> None:
    for number in (0, 99):
        with pytest.raises(LookupError):
            adjudicate_hand(FINISHED, events_of(FINISHED), number)


def test_a_lost_seed_makes_its_hands_fail() -> None:
    events = events_of(LIVE)
    epoch = [one.event for one in events if isinstance(one.event, CardsShown)][-1].epoch
    judged = adjudicate(LIVE, events, lost_epochs={epoch})
    assert judged.verdict is Verdict.FAILED
    assert [hand.verdict for hand in judged.hands][-2:] == [Verdict.FAILED] * 2
    assert Verdict.PENDING not in {hand.verdict for hand in judged.hands}


def test_a_lost_seed_makes_no_hand_fail_once_it_was_revealed() -> None:
    events = events_of(FINISHED)
    epochs = {one.event.epoch for one in events if isinstance(one.event, DeckRevealed)}
    assert adjudicate(FINISHED, events, lost_epochs=epochs).verdict is Verdict.CLEAN


def test_the_first_difference_is_named_by_its_member() -> None:
    events = events_of(FINISHED)
    won = place(events, RoundWon, 1)
    event = events[won - 1].event
    assert isinstance(event, RoundWon)
    claims = (replace(event.claims[0], taken=event.claims[0].taken + 1), *event.claims[1:])
    hand = next(one for one in adjudicate(FINISHED, changed(events, won, claims=claims)).hands if one.difference)
    assert hand.verdict is Verdict.FAILED
    assert hand.difference is not None
    assert hand.difference.position == won
    assert hand.difference.member == "claims[0].taken"
    assert int(hand.difference.found) == int(hand.difference.expected) + 1


def test_only_the_hand_that_was_altered_fails() -> None:
    events = events_of(FINISHED)
    won = place(events, RoundWon, 1)
    judged = adjudicate(FINISHED, changed(events, won, multiplier=9))
    assert [hand.verdict for hand in judged.hands].count(Verdict.FAILED) == 1
    (failed,) = [hand for hand in judged.hands if hand.verdict is Verdict.FAILED]
    assert failed.first < won < failed.last


def test_an_impossible_event_ends_the_judging() -> None:
    events = events_of(FINISHED)
    seated, antes = place(events, SeatTaken), place(events, AntesPlaced)
    judged = adjudicate(FINISHED, (*events[: seated - 1], *events[seated:]))
    last = judged.decisions[-1]
    assert last.recorded[-1].position == antes  # The player whose seat_taken is dropped has no chips.
    assert last.difference is not None
    assert last.difference.position == antes
    assert judged.verdict is last.verdict is Verdict.FAILED
    assert judged.hands == ()


def test_the_audit_names_the_cause_of_an_impossible_event_and_not_the_event() -> None:
    events = events_of(FINISHED)
    won = place(events, RoundWon)
    event = events[won - 1].event
    assert isinstance(event, RoundWon)
    more = replace(event.transfers[0], amount=event.transfers[0].amount + 1)
    judged = adjudicate(FINISHED, changed(events, won, transfers=(more, *event.transfers[1:])))
    last = judged.decisions[-1]
    assert isinstance(last.recorded[-1].event, AntesReturned)  # The pot has one chip fewer than this event returns.
    assert last.difference is not None
    assert (last.difference.position, last.difference.member) == (won, "transfers[0].amount")


def test_a_stream_that_does_not_begin_with_its_table_fails_at_once() -> None:
    judged = adjudicate(FINISHED, events_of(FINISHED)[1:])
    (decision,) = judged.decisions
    assert decision.position == 2
    assert judged.verdict is Verdict.FAILED
    with pytest.raises(LookupError):
        adjudicate_hand(FINISHED, events_of(FINISHED)[1:], 1)


def test_a_hand_that_breaks_off_fails() -> None:
    events = events_of(FINISHED)
    dealt = place(events, HandDealt, 2)
    hand = adjudicate_hand(FINISHED, (*events[: dealt + 2], *events[dealt + 5 :]), 3)
    assert (hand.hand, hand.first, hand.verdict) == (3, dealt, Verdict.FAILED)


def test_a_hand_fails_at_the_command_that_cannot_follow_even_if_all_before_it_are_clean() -> None:
    events = events_of(FINISHED)
    won = place(events, RoundWon)
    event = events[won - 1].event
    assert isinstance(event, RoundWon)
    more = replace(event.transfers[0], amount=1_000_000)
    forged = changed(events, won, transfers=(more, *event.transfers[1:]))
    number = next(one.hand for one in adjudicate(FINISHED, events).hands if one.first < won <= one.last)
    hand = adjudicate_hand(FINISHED, forged, number)
    *before, last = hand.decisions
    assert [one.verdict for one in before] == [Verdict.CLEAN] * len(before)
    assert won in [one.position for one in last.recorded]
    assert hand.verdict is last.verdict is Verdict.FAILED


def test_an_unknown_edition_is_a_finding_and_no_crash() -> None:
    events = events_of(FINISHED)
    assert isinstance(events[0].event, TableOpened)
    judged = adjudicate(FINISHED, changed(events, 1, edition=77))
    assert judged.verdict is Verdict.FAILED
    assert judged.differences[0].position == 1


def test_forged_leaves_of_any_kind_are_findings_and_no_crash() -> None:
    chance = random.Random(7)
    events = events_of(FINISHED)
    for _ in range(300):
        position = chance.randrange(1, len(events))
        leaf = msgspec.json.decode(events[position].leaf)
        if not _scrambled(leaf["pub"], chance):
            continue
        try:
            forged = CODEC.decode(canonical(leaf))
        except ValueError:
            continue  # This is not a valid leaf: `ChainCheck` finds it.
        judged = adjudicate(FINISHED, (*events[:position], forged, *events[position + 1 :]))
        assert judged.verdict is Verdict.FAILED, (position, leaf)


def _scrambled(value: Any, chance: random.Random) -> bool:  # noqa: ANN401 -- the value may be any JSON
    """Change one number somewhere in *value*; return whether *value* has a number."""
    places = [(value, key) for key in (value if isinstance(value, dict) else range(len(value)))]
    chance.shuffle(places)
    for holder, key in places:
        inner = holder[key]
        if isinstance(inner, int) and not isinstance(inner, bool):
            holder[key] = inner + chance.choice((-2, -1, 1, 2, 1000))
            return True
        if isinstance(inner, dict | list) and _scrambled(inner, chance):
            return True
    return False
