"""The conservation check finds transfers that the ledger would refuse, and balances without their transfers."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from service.audit.checks.conservation import ConservationCheck
from service.ledger import Transfer, chips, points

TABLE = "tbl_" + "7" * 32


def found(*booked: tuple[Transfer, Mapping[str, int]]) -> list[tuple[int, str, str, str, str]]:
    """Return the findings for events at positions 1, 2, 3 …, each with one transfer and the balances after it."""
    checked = ConservationCheck(TABLE)
    steps: list[Any] = [
        SimpleNamespace(
            recorded=SimpleNamespace(position=position, event=SimpleNamespace(transfers=(transfer,))),
            after=SimpleNamespace(state=SimpleNamespace(balances=balances)),
        )
        for position, (transfer, balances) in enumerate(booked, start=1)
    ]
    return [
        (one.position, one.check, one.expected, one.found, one.detail)
        for one in (*checked.check_command(steps), *checked.check_end())
    ]


BOUGHT = (chips("house", "stack:1", 5, rule="G.7"), {"house": -5, "stack:1": 5})


def test_balances_that_transfers_make_are_conserved() -> None:
    won = (chips("stack:1", "centre", 5, rule="6"), {"house": -5, "stack:1": 0, "centre": 5})
    score = (points("pool", "score:1", 3, rule="6"), {**won[1], "pool": -3, "score:1": 3})
    assert found(BOUGHT, won, score) == []


def test_a_balance_without_its_transfers_is_found_and_its_unit_is_named() -> None:
    more = (chips("stack:1", "centre", 1, rule="6"), {"house": -5, "stack:1": 4, "centre": 2})
    assert found(BOUGHT, more) == [
        (2, "balance_must_be_what_transfers_make", "1", "2", "centre"),
        (2, "units_must_sum_to_zero", "0", "1", "chips"),
    ]


def test_accounts_that_the_state_has_lost_are_found_even_if_they_sum_to_zero() -> None:
    assert found((BOUGHT[0], {})) == [
        (1, "balance_must_be_what_transfers_make", "-5", "0", "house"),
        (1, "balance_must_be_what_transfers_make", "5", "0", "stack:1"),
    ]


@pytest.mark.parametrize("amount", [0, -2])
def test_a_transfer_of_nothing_is_found(amount: int) -> None:
    after = {"house": -5, "stack:1": 5 - amount, "centre": amount}
    checks = [check for _, check, *_ in found(BOUGHT, (chips("stack:1", "centre", amount, rule="6"), after))]
    assert checks == ["transfer_must_move_something"]


def test_an_account_under_its_floor_is_found() -> None:
    overdrawn = (chips("stack:1", "centre", 6, rule="6"), {"house": -5, "stack:1": -1, "centre": 6})
    assert found(BOUGHT, overdrawn) == [(2, "account_must_keep_its_floor", "0 or more", "-1", "stack:1")]


def test_scores_come_from_a_pool_and_only_the_pool_may_fall_below_zero() -> None:
    scored = (points("pool", "score:1", 26, rule="standard rules"), {"pool": -26, "score:1": 26})
    insured = (points("score:1", "pool", 6, rule="Insurance"), {"pool": -20, "score:1": 20})
    assert found(scored, insured) == []
    below = (points("score:1", "pool", 27, rule="Insurance"), {"pool": 1, "score:1": -1})
    assert found(scored, below) == [(2, "account_must_keep_its_floor", "0 or more", "-1", "score:1")]


def test_a_score_that_nothing_booked_is_found() -> None:
    scored = (points("pool", "score:1", 26, rule="standard rules"), {"pool": -26, "score:1": 27})
    assert found(scored) == [
        (1, "balance_must_be_what_transfers_make", "26", "27", "score:1"),
        (1, "units_must_sum_to_zero", "0", "1", "points"),
    ]


def test_an_account_in_two_units_is_found() -> None:
    mixed = (points("pool", "stack:1", 1, rule="6"), {"house": -5, "stack:1": 6, "pool": -1})
    assert (2, "account_must_keep_its_unit", "chips", "points", "stack:1") in found(BOUGHT, mixed)
