"""Invariants of Insurance, tested after every event of random legal games from fixed seeds."""

from collections.abc import Iterator
from functools import cache

from service.games.common_events import CardsDealt, DeckFixed, DeckRevealed
from service.games.insurance import INSURANCE
from service.games.insurance.accounts import bet, insurance, offer
from service.games.insurance.events import BetPlaced, DealBegun, HandBegun, HandEnded, HandSettled, PlayerKnockedOut
from service.games.insurance.state import Phase, State
from service.games.table_state import balance_of, clockwise
from service.ledger import HOUSE, stack
from tests.games.moments import Moment, moments_of

SEEDS = range(100, 160)


@cache
def game(seed: int) -> tuple[Moment[State], ...]:
    return moments_of(INSURANCE, State, seed)


def moments() -> Iterator[Moment[State]]:
    for seed in SEEDS:
        yield from game(seed)


def test_between_hands_only_stacks_hold_chips() -> None:  # BET, PAYOUT; I-BET.2
    for moment in moments():
        state = moment.after
        if not state.hand_is_running:
            allowed = {HOUSE, *map(stack, state.players)}
            assert {account for account, held in state.balances.items() if held} <= allowed


def test_offers_hold_chips_only_until_they_are_answered() -> None:  # INSURANCE OFFER, ACCEPTANCE; I-OFFER.2, I-ACC.1
    for moment in moments():
        state = moment.after
        if isinstance(moment.event, HandSettled):
            continue
        assert {seat for seat in state.players if balance_of(state, offer(seat))} == set(state.to_answer)
        assert not state.to_offer or state.phase is Phase.OFFERING


def test_the_banker_neither_bets_nor_offers() -> None:  # BET; I-BET.1
    for moment in moments():
        if banker := moment.after.banker:
            assert not any(balance_of(moment.after, zone(banker)) for zone in (bet, offer, insurance))


def test_no_deck_runs_out_within_a_hand_and_none_is_shuffled_before_it_must_be() -> None:  # END OF HAND; I-END.1
    for moment in moments():
        if isinstance(moment.event, DealBegun):
            enough = len(moment.after.deck) >= len(moment.after.playing)
        if isinstance(moment.event, DeckRevealed) and moment.after.status == "playing":
            assert not enough
        if isinstance(moment.event, DeckFixed):
            assert not enough
        if isinstance(moment.event, CardsDealt):
            assert len(moment.before.deck) >= len(moment.event.cards)


def test_no_card_is_dealt_twice_between_two_shuffles() -> None:  # END OF HAND; I-END.1
    dealt: set[tuple[int, str, int]] = set()
    for seed in SEEDS:
        for moment in game(seed):
            if isinstance(moment.event, CardsDealt):
                cards = {(seed, moment.event.epoch, position) for position, _ in moment.event.cards}
                assert not cards & dealt
                dealt |= cards


def test_the_banker_role_moves_to_the_next_player_who_is_able_to_play() -> None:  # INTRODUCTION; I-END.2, I-BET.2
    for seed in SEEDS:
        last = 0
        for moment in game(seed):
            if isinstance(moment.event, HandBegun):
                first = moment.before.options.first_banker
                walk = clockwise(moment.event.players, last or first)
                named = first in moment.event.players and not last
                assert moment.event.banker == (first if named else walk[0])
            if isinstance(moment.event, HandEnded):
                last = moment.event.banker


def test_each_player_of_the_gambling_game_has_ten_chips_or_more_when_a_hand_begins() -> None:  # BET; I-BET.1, I-BET.2
    for moment in moments():
        if isinstance(moment.event, HandBegun) and moment.after.is_gambling:
            state = moment.after
            assert all(balance_of(state, stack(seat)) + balance_of(state, bet(seat)) >= 10 for seat in state.playing)
            assert len(state.playing) >= 2
        if isinstance(moment.event, BetPlaced) and moment.after.is_gambling:
            assert moment.event.chips >= 10


def test_the_bets_of_winners_go_back_and_a_bank_is_short_only_when_empty() -> None:  # PAYOUT; I-PAY.2
    for moment in moments():
        if isinstance(moment.event, HandSettled):
            banker, results = moment.event.banker, moment.event.results
            back = {move.source for move in moment.event.transfers if move.source.startswith("bet:")}
            assert {bet(one.seat) for one in results if one.outcome == "won"} <= back
            assert not any(one.short for one in results) or not balance_of(moment.after, stack(banker))
            assert all(one.outcome == "won" for one in results if one.short)


def test_a_knocked_out_player_has_no_chips_and_any_other_player_has_some() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    for moment in moments():
        state = moment.after
        if isinstance(moment.event, PlayerKnockedOut):
            assert not balance_of(state, stack(moment.event.seat))
        if isinstance(moment.event, HandEnded) and not state.is_gambling:
            assert all(bool(balance_of(state, stack(seat))) != (seat in state.out) for seat in state.players)
