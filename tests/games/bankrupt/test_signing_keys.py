"""Signing keys: registered between hands, ended at any time, and gone with the player: G.13."""

import pytest

from service.games import CURRENT
from service.games.common_commands import CloseTable, EndSigningKey, LeaveSeat, RegisterSigningKey
from service.games.common_events import SigningKeyEnded, SigningKeyRegistered
from service.games.game import HOST, Command, Event, Refusal, seat_actor
from service.games.table_state import TableState
from tests.games.asking import KEYS
from tests.games.random_play import decks_of, play
from tests.games.stacked import StackedDecks

GAME = CURRENT["bankrupt"]
STEPS = tuple(play(GAME, 0))
OPEN = next(step.before for step in STEPS if len(step.before.players) > 1)
RUNNING = next(step.before for step in STEPS if step.before.hand_is_running)
BY = seat_actor(1)


def registers(key: str = KEYS[0], by: str = BY) -> Command:
    return RegisterSigningKey(by=by, public_key=key)


def decided(state: TableState, command: Command) -> tuple[Event, ...]:
    events: tuple[Event, ...] = GAME.decide(state, command, StackedDecks()).events
    return events


def after(state: TableState, command: Command) -> TableState:
    (last,) = GAME.decide(state, command, decks_of(0)).states
    assert isinstance(last, TableState)
    return last


def refusal(state: TableState, command: Command) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        decided(state, command)
    return refused.value.code, refused.value.ruling


def test_a_player_registers_a_key_for_the_players_own_seat_and_ends_it() -> None:  # G.13
    assert decided(OPEN, registers()) == (SigningKeyRegistered(seat=1, public_key=KEYS[0]),)
    keyed = after(OPEN, registers())
    assert keyed.signing_keys == {1: KEYS[0]}
    assert decided(keyed, EndSigningKey(by=BY)) == (SigningKeyEnded(seat=1),)
    assert after(keyed, EndSigningKey(by=BY)).signing_keys == {}


def test_another_key_replaces_the_first() -> None:  # G.13
    assert after(after(OPEN, registers()), registers(KEYS[1])).signing_keys == {1: KEYS[1]}


def test_a_key_is_registered_only_while_no_hand_is_played_and_ends_at_any_time() -> None:  # G.13
    assert refusal(RUNNING, registers()) == ("hand_must_not_be_running", "G.13")
    keyed = GAME.evolve(RUNNING, SigningKeyRegistered(seat=1, public_key=KEYS[0]))
    assert after(keyed, EndSigningKey(by=BY)).signing_keys == {}


def test_a_key_belongs_to_one_seat_of_a_table() -> None:  # G.13
    keyed = after(OPEN, registers())
    assert refusal(keyed, registers()) == ("signing_key_must_be_new", "G.13")
    assert refusal(keyed, registers(by=seat_actor(2))) == ("signing_key_must_be_new", "G.13")


@pytest.mark.parametrize("key", ["00" * 32, "01" + "00" * 31, "ff" * 32, "", "2c", "AB" * 32])
def test_a_weak_or_malformed_key_is_refused(key: str) -> None:  # G.13
    assert refusal(OPEN, registers(key)) == ("signing_key_must_be_sound", "G.13")


def test_only_a_registered_key_can_be_ended() -> None:  # G.13
    assert refusal(OPEN, EndSigningKey(by=BY)) == ("signing_key_must_be_registered", "G.13")


def test_neither_the_host_nor_a_stranger_registers_or_ends_a_key() -> None:  # G.13
    for by in (HOST, seat_actor(53)):
        assert refusal(OPEN, registers(by=by)) == ("player_must_have_a_seat", "G.4")
        assert refusal(OPEN, EndSigningKey(by=by)) == ("player_must_have_a_seat", "G.4")


def test_no_key_is_registered_or_ended_after_the_end_of_the_game() -> None:  # G.13
    over = next((state for step in STEPS for state in step.after if state.status == "finished"), None)
    over = over or GAME.decide(OPEN, CloseTable(by=HOST), decks_of(0)).states[-1]
    by = seat_actor(next(iter(over.players)))
    assert refusal(over, registers(by=by)) == ("game_must_not_be_over", "G.13")
    assert refusal(over, EndSigningKey(by=by)) == ("game_must_not_be_over", "G.13")


def test_the_key_goes_with_the_player() -> None:  # G.13
    keyed = after(OPEN, registers())
    assert after(keyed, LeaveSeat(by=BY)).signing_keys == {}
