"""The names of accounts."""

import pytest

from service.ledger import (
    CENTRE,
    HOUSE,
    POOL,
    account_seat,
    ante,
    bet,
    insurance,
    may_go_below_zero,
    offer,
    score,
    stack,
)

OF_A_SEAT = (stack, ante, offer, bet, insurance, score)


def test_an_account_of_a_seat_is_named_by_zone_and_number() -> None:
    assert [name(12) for name in OF_A_SEAT] == [
        "stack:12",
        "ante:12",
        "offer:12",
        "bet:12",
        "insurance:12",
        "score:12",
    ]


def test_the_seat_of_an_account_is_read_from_its_name() -> None:
    assert [account_seat(name(number)) for name in OF_A_SEAT for number in (1, 17)] == [1, 17] * len(OF_A_SEAT)
    assert [account_seat(account) for account in (CENTRE, HOUSE, POOL)] == [0, 0, 0]


@pytest.mark.parametrize("account", [HOUSE, POOL])
def test_what_issues_chips_or_points_may_go_below_zero(account: str) -> None:
    assert may_go_below_zero(account)


@pytest.mark.parametrize("account", [CENTRE, *(name(1) for name in OF_A_SEAT)])
def test_no_other_account_may(account: str) -> None:
    assert not may_go_below_zero(account)
