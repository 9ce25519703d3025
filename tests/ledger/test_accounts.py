"""The names of accounts, and what follows from a name: the seat, the kind, the unit, and whether it may be negative."""

import pytest

from service.ledger import (
    CHIPS,
    HOUSE,
    POINTS,
    POOL,
    account_kind,
    account_seat,
    may_go_below_zero,
    score,
    seat_account,
    stack,
    unit_of,
)

OF_A_GAME = ("pot", seat_account("side_pot", 1), seat_account("side_pot", 17))
"""Accounts that a game may add, of the table and of a seat."""


def test_an_account_of_a_seat_is_named_by_kind_and_number() -> None:
    assert [stack(12), score(12), seat_account("side_pot", 12)] == ["stack:12", "score:12", "side_pot:12"]


def test_the_seat_and_the_kind_of_an_account_are_read_from_its_name() -> None:
    accounts = (HOUSE, POOL, stack(3), score(17), *OF_A_GAME)
    assert [account_seat(account) for account in accounts] == [0, 0, 3, 17, 0, 1, 17]
    assert [account_kind(account) for account in accounts] == [
        "house", "pool", "stack", "score", "pot", "side_pot", "side_pot",
    ]  # fmt: skip


@pytest.mark.parametrize("account", [HOUSE, POOL])
def test_an_account_that_issues_chips_or_points_may_go_below_zero(account: str) -> None:
    assert may_go_below_zero(account)


@pytest.mark.parametrize("account", [stack(1), score(1), *OF_A_GAME])
def test_no_other_account_may_go_below_zero(account: str) -> None:
    assert not may_go_below_zero(account)


def test_scores_and_the_pool_have_points_and_all_other_accounts_have_chips() -> None:
    assert {unit_of(account) for account in (POOL, score(1), score(17))} == {POINTS}
    assert {unit_of(account) for account in (HOUSE, stack(1), *OF_A_GAME)} == {CHIPS}
