"""A signing key is registered while no hand is played, and ends at its player's request or departure: G.13."""

from typing import NamedTuple

import pytest

from service.games import CURRENT
from service.games.common_commands import CloseTable, EndSigningKey, LeaveSeat, RegisterSigningKey
from service.games.common_events import SigningKeyEnded, SigningKeyRegistered
from service.games.definition import Game
from service.games.game import HOST, Command, Event, Refusal, seat_actor
from service.games.table_state import TableState
from tests.games.asking import KEYS
from tests.games.random_play import decks_of, play
from tests.games.stacked import StackedDecks

BY = seat_actor(1)


class Moments(NamedTuple):
    """A *game*, and its table before the start (*open*), in a hand (*running*) and after the end (*over*)."""

    game: Game
    open: TableState
    running: TableState
    over: TableState


@pytest.fixture(scope="module", params=CURRENT)
def moments(request: pytest.FixtureRequest) -> Moments:
    game = CURRENT[request.param]
    steps = tuple(play(game, 0))
    between = next(step.before for step in steps if len(step.before.players) > 1)
    finished = (state for step in steps for state in step.after if state.status == "finished")
    over = next(finished, None) or game.decide(between, CloseTable(by=HOST), decks_of(0)).states[-1]
    return Moments(game, between, next(step.before for step in steps if step.before.hand_is_running), over)


def registers(key: str = KEYS[0], by: str = BY) -> Command:
    return RegisterSigningKey(by=by, public_key=key)


def decided(game: Game, state: TableState, command: Command) -> tuple[Event, ...]:
    events: tuple[Event, ...] = game.decide(state, command, StackedDecks()).events
    return events


def after(game: Game, state: TableState, command: Command) -> TableState:
    (last,) = game.decide(state, command, decks_of(0)).states
    assert isinstance(last, TableState)
    return last


def refusal(game: Game, state: TableState, command: Command) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        decided(game, state, command)
    return refused.value.code, refused.value.ruling


def test_a_player_registers_a_key_for_the_players_own_seat_and_ends_it(moments: Moments) -> None:  # G.13
    game = moments.game
    assert decided(game, moments.open, registers()) == (SigningKeyRegistered(seat=1, public_key=KEYS[0]),)
    keyed = after(game, moments.open, registers())
    assert keyed.signing_keys == {1: KEYS[0]}
    assert decided(game, keyed, EndSigningKey(by=BY)) == (SigningKeyEnded(seat=1),)
    assert after(game, keyed, EndSigningKey(by=BY)).signing_keys == {}


def test_another_key_replaces_the_first(moments: Moments) -> None:  # G.13
    game = moments.game
    assert after(game, after(game, moments.open, registers()), registers(KEYS[1])).signing_keys == {1: KEYS[1]}


def test_a_key_is_registered_only_while_no_hand_is_played_and_ends_at_any_time(moments: Moments) -> None:  # G.13
    game = moments.game
    assert refusal(game, moments.running, registers()) == ("hand_must_not_be_running", "G.13")
    keyed = game.evolve(moments.running, SigningKeyRegistered(seat=1, public_key=KEYS[0]))
    assert after(game, keyed, EndSigningKey(by=BY)).signing_keys == {}


def test_a_key_belongs_to_one_seat_of_a_table(moments: Moments) -> None:  # G.13
    game = moments.game
    keyed = after(game, moments.open, registers())
    assert refusal(game, keyed, registers()) == ("signing_key_must_be_new", "G.13")
    assert refusal(game, keyed, registers(by=seat_actor(2))) == ("signing_key_must_be_new", "G.13")


@pytest.mark.parametrize("key", ["00" * 32, "01" + "00" * 31, "ff" * 32, "", "2c", "AB" * 32])
def test_a_weak_or_malformed_key_is_refused(moments: Moments, key: str) -> None:  # G.13
    game = moments.game
    assert refusal(game, moments.open, registers(key)) == ("signing_key_must_be_sound", "G.13")


def test_only_a_registered_key_can_be_ended(moments: Moments) -> None:  # G.13
    game = moments.game
    assert refusal(game, moments.open, EndSigningKey(by=BY)) == ("signing_key_must_be_registered", "G.13")


def test_neither_the_host_nor_a_stranger_registers_or_ends_a_key(moments: Moments) -> None:  # G.13
    game = moments.game
    for by in (HOST, seat_actor(53)):
        assert refusal(game, moments.open, registers(by=by)) == ("player_must_have_a_seat", "G.4")
        assert refusal(game, moments.open, EndSigningKey(by=by)) == ("player_must_have_a_seat", "G.4")


def test_no_key_is_registered_or_ended_after_the_end_of_the_game(moments: Moments) -> None:  # G.13
    game = moments.game
    by = seat_actor(next(iter(moments.over.players)))
    assert refusal(game, moments.over, registers(by=by)) == ("game_must_not_be_over", "G.13")
    assert refusal(game, moments.over, EndSigningKey(by=by)) == ("game_must_not_be_over", "G.13")


def test_the_key_goes_with_the_player(moments: Moments) -> None:  # G.13
    game = moments.game
    keyed = after(game, moments.open, registers())
    assert after(game, keyed, LeaveSeat(by=BY)).signing_keys == {}
