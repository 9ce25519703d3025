"""The loads are legal with any cards: the rules play them without a database, with decks from many seeds."""

from collections import Counter

import pytest
from msgspec.structs import replace

from service.bench import headless, streams
from service.bench.games import bankrupt
from service.games.game import seat_actor


@pytest.mark.parametrize("load", bankrupt.LOADS.names)
@pytest.mark.parametrize("first_seed", range(0, 5_000, 500))
def test_every_move_of_a_cycle_is_legal_whatever_the_cards(load: str, first_seed: int) -> None:
    playing = started(first_seed)
    for _ in range(12):
        dealer = playing.table_at.state.dealer
        for move in bankrupt.cycle(load, dealer):
            playing.do(replace(headless.command(move.body), by=seat_actor(move.seat)))
        assert playing.table_at.state.dealer == dealer
        assert not playing.table_at.state.hand_is_running


def test_the_decks_of_the_test_bring_every_kind_of_round() -> None:
    playing = started(500)
    for _ in range(60):
        for move in bankrupt.cycle("mixed", playing.table_at.state.dealer):
            playing.do(replace(headless.command(move.body), by=seat_actor(move.seat)))
    kinds = Counter(recorded.type for recorded in playing.stream().recorded)
    assert {"round_won", "round_won_uncontested", "round_dead", "upturned_exposed", "centre_collected"} <= kinds.keys()


def test_the_mixed_load_makes_every_decision_of_a_round_but_resigning() -> None:
    kinds = {move.body["type"] for move in bankrupt.cycle("mixed", 1)}
    assert kinds == {
        "accept_upping", "deal_hand", "decline_upping", "exchange_card", "hold_cards", "offer_upping", "pass_upping",
        "throw_in",
    }  # fmt: skip


def test_the_steady_load_deals_holds_and_passes() -> None:
    moves = [(move.seat, move.body["type"]) for move in bankrupt.cycle("steady", 2)[:8]]
    holds = [(seat, "hold_cards") for seat in (3, 4, 1, 2)]
    assert moves == [(2, "deal_hand"), *holds, *((seat, "pass_upping") for seat in (3, 4, 1))]


def test_streams_are_the_same_in_every_run() -> None:
    first, again = (streams.played(7, moves=60) for _ in range(2))
    assert [one.leaf for one in first.recorded] == [one.leaf for one in again.recorded]
    assert first.hands > 0


def started(first_seed: int) -> streams.Playing:
    """Start a game of four players; *first_seed* is the number of the first deck's seed."""
    playing = streams.Playing(1, headless.Repeatable(first_seed))
    playing.start(bankrupt.BUY_IN)
    return playing
