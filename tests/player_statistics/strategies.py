"""The strategies of simulated players, by game, and the options of their tables."""

from collections.abc import Mapping
from functools import partial

from tests.player_statistics import bankrupt_players, hearts_players, insurance_players
from tests.player_statistics.simulated import Strategy

HONEST: Mapping[str, tuple[Strategy, ...]] = {
    "bankrupt": (
        bankrupt_players.sensible,
        bankrupt_players.random,
        bankrupt_players.reader,
        bankrupt_players.cautious,
    ),
    "insurance": (
        insurance_players.sensible,
        insurance_players.random,
        insurance_players.counting,
        partial(insurance_players.sensible, share=0.3),
    ),
    "insurance_hearts": (hearts_players.sensible, hearts_players.random, hearts_players.low, hearts_players.sensible),
}
SEEING: Mapping[str, Strategy] = {
    "bankrupt": bankrupt_players.seeing,
    "insurance": insurance_players.seeing,
    "insurance_hearts": hearts_players.seeing,
}
OPTIONS: Mapping[str, Mapping[str, int]] = {
    "bankrupt": {"buy_in": 2000},
    "insurance": {"buy_in": 1_000_000},
    "insurance_hearts": {"target": 10_000, "foot": False},
}
