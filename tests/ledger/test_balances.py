"""Balances after transfers, and transfers that the ledger refuses."""

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from service.ledger import (
    CHIPS,
    HOUSE,
    POINTS,
    POOL,
    AccountOverdrawn,
    Balances,
    Entry,
    Transfer,
    TransferMustBeSound,
    book,
    chips,
    may_go_below_zero,
    points,
    score,
    seat_account,
    stack,
)

POT, STAKE = "pot", seat_account("stake", 1)

BUY_IN = chips(HOUSE, stack(1), 50, rule="G.7")
STAKED = chips(stack(1), STAKE, 9, rule="6")
TO_THE_POT = chips(STAKE, POT, 1, rule="11")


def test_a_transfer_takes_from_its_source_and_gives_to_its_target() -> None:
    balances, entries = book({}, [BUY_IN])
    assert balances == {HOUSE: -50, stack(1): 50}
    assert entries == (Entry(BUY_IN, source_balance=-50, target_balance=50),)


def test_transfers_are_booked_in_order_each_with_both_balances_after_it() -> None:
    transfers = [BUY_IN, STAKED, TO_THE_POT]
    balances, entries = book({}, transfers)
    assert balances == {HOUSE: -50, stack(1): 41, STAKE: 8, POT: 1}
    assert [(entry.source_balance, entry.target_balance) for entry in entries] == [
        (-50, 50),
        (41, 9),
        (8, 1),
    ]


def test_booking_does_not_change_earlier_balances() -> None:
    before = {stack(1): 50, HOUSE: -50}
    after, _ = book(before, [STAKED])
    assert before == {stack(1): 50, HOUSE: -50}
    assert after[stack(1)] == 41


def test_no_transfers_change_nothing() -> None:
    assert book({stack(1): 50}, []) == ({stack(1): 50}, ())


def test_an_account_may_be_emptied() -> None:
    balances, _ = book({stack(1): 9}, [STAKED])
    assert balances == {stack(1): 0, STAKE: 9}


def test_no_account_goes_below_its_floor() -> None:
    with pytest.raises(AccountOverdrawn) as caught:
        book({stack(1): 8}, [STAKED])
    assert (caught.value.account, caught.value.balance, caught.value.transfer) == (stack(1), -1, STAKED)


def test_an_unused_account_can_give_nothing() -> None:
    with pytest.raises(AccountOverdrawn):
        book({}, [TO_THE_POT])


def test_later_chips_do_not_cover_an_earlier_transfer() -> None:
    with pytest.raises(AccountOverdrawn):
        book({}, [STAKED, BUY_IN])


def test_house_and_pool_issue_the_holdings_of_the_others() -> None:
    balances, _ = book({}, [chips(HOUSE, stack(1), 50, rule="G.7"), points(POOL, score(1), 13, rule="H-SCORE.1")])
    assert (balances[HOUSE], balances[POOL]) == (-50, -13)


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_moves_at_least_one_unit(amount: int) -> None:
    with pytest.raises(TransferMustBeSound):
        book({stack(1): 50}, [chips(stack(1), POT, amount, rule="12")])


def test_a_transfer_has_two_different_accounts() -> None:
    with pytest.raises(TransferMustBeSound):
        book({stack(1): 50}, [chips(stack(1), stack(1), 1, rule="12")])


def test_nothing_is_booked_if_one_transfer_is_not_sound() -> None:
    before = {stack(1): 50}
    with pytest.raises(TransferMustBeSound):
        book(before, [STAKED, chips(POT, POT, 1, rule="12")])
    assert before == {stack(1): 50}


def test_a_transfer_is_an_array_of_source_target_amount_unit_and_rule() -> None:
    assert msgspec.json.encode(BUY_IN) == b'["house","stack:1",50,"chips","G.7"]'
    assert msgspec.json.decode(b'["pool","score:2",13,"points","H-SCORE.1"]', type=Transfer) == points(
        POOL, score(2), 13, rule="H-SCORE.1"
    )
    assert (BUY_IN.unit, points(POOL, score(1), 1, rule="x").unit) == (CHIPS, POINTS)


ACCOUNTS = (HOUSE, POT, stack(1), stack(2), STAKE, seat_account("stake", 2))
transfers = st.builds(
    chips, st.sampled_from(ACCOUNTS), st.sampled_from(ACCOUNTS), st.integers(-2, 30), rule=st.just("a test")
)


@settings(derandomize=True, max_examples=200)
@given(st.lists(transfers, max_size=12))
def test_no_transfer_creates_or_loses_anything(tried: list[Transfer]) -> None:
    balances: Balances = {HOUSE: -100, stack(1): 50, stack(2): 50}
    for transfer in tried:
        try:
            after, (entry,) = book(balances, [transfer])
        except (TransferMustBeSound, AccountOverdrawn):
            continue
        balances = after
        assert (entry.source_balance, entry.target_balance) == (balances[transfer.source], balances[transfer.target])
        assert sum(balances.values()) == 0
        assert all(held >= 0 for account, held in balances.items() if not may_go_below_zero(account))
