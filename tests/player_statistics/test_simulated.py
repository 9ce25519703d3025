"""Simulated tables: a player who sees hidden cards is flagged within 500 hands, and honest players are not."""

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from service.player_statistics.player_figures import Figures
from tests.player_statistics.insurance_players import giving, sensible
from tests.player_statistics.simulated import SimulatedTable, owner
from tests.player_statistics.simulation import play
from tests.player_statistics.strategies import HONEST, OPTIONS, SEEING


def flagged(figures: Figures) -> set[str]:
    """Return the players that are flagged."""
    return {one.player for one in figures.report()[0] if one.is_flagged}


@pytest.mark.parametrize("game", ["insurance", "bankrupt"])
def test_a_player_who_sees_hidden_cards_is_flagged_within_500_hands_and_nobody_else(game: str) -> None:
    figures = Figures()
    names = play(figures, game, 0, 500, seeing=True)
    assert {names[player] for player in flagged(figures)} == {"seeing"}


@pytest.mark.parametrize(("game", "hands"), [("insurance", 300), ("bankrupt", 200), ("insurance_hearts", 50)])
def test_no_honest_player_and_no_honest_pair_is_flagged(game: str, hands: int) -> None:
    figures = Figures()
    names = play(figures, game, 1, hands, seeing=False)
    players, pairs = figures.report()
    assert len(names) == len(players) == 4
    assert {one.hands for one in (*players, *pairs)} == {hands}
    assert not any(one.is_flagged for one in players)
    assert not any(one.is_flagged for one in pairs)


def test_a_pair_is_flagged_if_one_gives_chips_to_the_other() -> None:
    figures = Figures()
    strategies = [partial(giving, to=2), *[partial(sensible, share=0.002)] * 3]
    players = [(owner(seat), strategy) for seat, strategy in enumerate(strategies, start=1)]
    table = SimulatedTable("insurance", "a table", players, Random(1), **OPTIONS["insurance"])
    for _, hand in zip(range(300), table.hands(), strict=False):
        figures.add("insurance", hand)
    _, pairs = figures.report()
    assert [(one.players, one.net > 0) for one in pairs if one.is_flagged] == [((owner(1), owner(2)), True)]


def _sums(game: str, hands: int) -> Iterator[tuple[float, float]]:
    figures = Figures()
    play(figures, game, 2, hands, seeing=False)
    players, pairs = figures.report()
    yield sum(one.won_per_hand * one.hands for one in players), 0.0
    for player in players:
        net = sum(
            one.net if one.players[1] == player.player else -one.net for one in pairs if player.player in one.players
        )
        yield player.won_per_hand * player.hands, net


def test_winnings_are_the_amounts_from_the_other_players() -> None:
    (total, nothing), *each = _sums("insurance", 200)
    assert total == pytest.approx(nothing)
    for won, net in each:
        assert won == pytest.approx(net)


def test_the_same_hands_have_the_same_figures() -> None:
    one, other = Figures(), Figures()
    play(one, "bankrupt", 3, 20, seeing=False)
    play(other, "bankrupt", 3, 20, seeing=False)
    assert one.report() == other.report()


def test_every_game_is_simulated() -> None:
    assert HONEST.keys() == SEEING.keys() == OPTIONS.keys()
