"""Invariants of Bankrupt, tested after every event of random legal games from fixed seeds."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.accounts import CENTRE, ante, offer
from service.games.bankrupt.events import HandThrownIn, PlayerBankrupt, RoundEnded, RoundWon
from service.games.bankrupt.state import Phase, State, alive, order, pieces
from service.games.common_events import CardsBottomed, CardsDealt, DeckFixed, HandDealt
from service.games.table_state import balance_of, clockwise
from service.ledger import HOUSE, stack
from tests.games.moments import Moment, moments_of

SEEDS = range(100, 160)


@cache
def game(seed: int) -> tuple[Moment[State], ...]:
    return moments_of(BANKRUPT, State, seed)


def moments() -> Iterator[Moment[State]]:
    for seed in SEEDS:
        yield from game(seed)


def test_the_heaps_add_up_to_the_antes() -> None:  # Rule 17; B11.2, B17.1
    for moment in moments():
        for seat in moment.after.players:
            assert sum(moment.after.heaps.get(seat, ())) == balance_of(moment.after, ante(seat))


def test_between_rounds_outside_a_dead_streak_only_stacks_and_the_centre_hold_chips() -> None:  # Rule 17; B6.2
    for moment in moments():
        state = moment.after
        if state.phase is Phase.BETWEEN_ROUNDS and not state.dead_rounds:
            allowed = {HOUSE, CENTRE, *map(stack, state.players)}
            assert {account for account, held in state.balances.items() if held} <= allowed


def test_offers_hold_chips_only_while_an_offer_is_being_answered() -> None:  # Rule 12; B12.3
    for moment in moments():
        state = moment.after
        laid = {seat for seat in state.players if balance_of(state, offer(seat))}
        assert laid == ({state.offer.seat, *state.offer.accepted} if state.offer else set())


def test_every_card_is_in_one_place() -> None:  # Rule 7; B7.1, B7.2, B7.3
    for moment in moments():
        state = moment.after
        if isinstance(moment.event, CardsDealt | CardsBottomed) or not state.hand_is_running:
            continue  # Right after these events, and between hands, a state may have a card in no place or in two.
        held = [card for hand in state.cards.values() for card in hand if card != -1]
        aside = [] if state.exposed == -1 else [state.exposed]
        assert Counter([*state.deck, *held, *state.discards.values(), *aside]) == Counter(range(52))


def test_with_four_players_or_fewer_no_card_comes_round_again() -> None:  # Rule 7; B7.5
    for seed in SEEDS:
        dealt: set[int] = set()
        for moment in game(seed):
            if isinstance(moment.event, DeckFixed):
                dealt = set()
            if isinstance(moment.event, CardsDealt) and len(moment.after.players) <= 4:
                positions = {position for position, _ in moment.event.cards}
                assert not dealt & positions
                dealt |= positions


def test_the_deal_passes_to_the_next_seat_still_in_the_game() -> None:  # Rule 5; B5.2
    for moment in moments():
        if isinstance(moment.event, RoundEnded) and len(alive(moment.after)) > 1:
            assert moment.event.dealer == clockwise(alive(moment.after), moment.before.dealer)[0]


def test_nobody_throws_in_more_rounds_in_a_row_than_agreed() -> None:  # Rule 11; B11.3, BO2.1
    for seed in SEEDS:
        in_a_row: Counter[int] = Counter()
        this_round: set[int] = set()
        for moment in game(seed):
            if isinstance(moment.event, HandThrownIn):
                this_round.add(moment.event.seat)
                assert in_a_row[moment.event.seat] < moment.after.options.max_throw_ins_in_a_row
            if isinstance(moment.event, RoundEnded):
                in_a_row = Counter({seat: in_a_row[seat] + 1 for seat in this_round})
                this_round = set()


def test_there_are_never_more_dead_rounds_in_a_row_than_agreed() -> None:  # Rule 17; B17.2, BO2.1
    for moment in moments():
        if isinstance(moment.event, HandDealt):
            assert moment.before.dead_rounds < moment.before.options.max_dead_rounds


def test_a_claim_is_the_amount_due_or_its_cap() -> None:  # Rules 15, 17, 18; B17.1, B18.2
    for moment in moments():
        if not isinstance(moment.event, RoundWon):
            continue
        state, winner = moment.before, moment.event.winner
        for claim in moment.event.claims:
            legs = state.antes_placed[winner] if winner in state.last_legs else claim.due
            assert claim.due == claim.difference * moment.event.multiplier
            assert claim.taken == min(claim.due, legs, balance_of(state, ante(claim.seat)))
            assert bool(claim.cap) == (claim.taken < claim.due)


def test_between_rounds_players_in_the_game_have_pieces_and_bankrupt_players_have_none() -> None:  # Rule 20; B20.1
    for moment in moments():
        if isinstance(moment.event, HandDealt):
            assert all(pieces(moment.before, seat) for seat in alive(moment.before))
        if isinstance(moment.event, PlayerBankrupt):
            assert not pieces(moment.after, moment.event.seat)


def test_the_walk_from_the_dealers_left_ends_with_the_dealer() -> None:  # G.5
    for moment in moments():
        if isinstance(moment.event, HandDealt):
            dealer, walk = moment.event.dealer, order(moment.after)
            assert walk[-1] == dealer
            assert [(seat - dealer - 1) % 52 for seat in walk] == sorted((seat - dealer - 1) % 52 for seat in walk)
