import re
from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from service.web.drawing.plots.axis_ticks import ticks
from service.web.drawing.plots.balance_line import BOTTOM, LEFT, RIGHT, TOP, balance_line
from service.web.drawing.plots.flow_bands import flow_drawing
from service.web.drawing.plots.flow_sums import matrices


def _postings(amounts: list[int], step: int = 1) -> list[dict[str, Any]]:
    balance, found = 0, []
    for number, amount in enumerate(amounts, start=1):
        balance += amount
        found.append({"position": number * step, "amount": amount, "balance": balance})
    return found


def _heights(path: str) -> list[float]:
    return [float(height) for height in re.findall(r"V([0-9.]+)", path)]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (-3, 4), (0, 10), (17, 23), (1, 9_999), (-(2**53), 2**53)])
def test_ticks_are_few_round_numbers_within_the_axis(low: int, high: int) -> None:
    found = ticks(low, high)
    assert len(found) <= 5
    assert all(low <= tick <= high for tick in found)
    steps = {after - before for before, after in pairwise(found)}
    assert len(steps) <= 1
    assert all(str(step).rstrip("0") in {"1", "2", "5"} for step in steps)


def test_a_line_steps_at_each_posting() -> None:
    line = balance_line(_postings([10, -10, 5]))
    assert line.path == f"M{LEFT} {BOTTOM} H{LEFT}V{TOP} H416V{BOTTOM} H{RIGHT}V118 H{RIGHT}"
    assert line.words.startswith("The balance is 0 before position 1, and 5 after position 3.")


def test_the_lowest_balance_is_the_lowest_after_a_posting_even_if_the_account_had_less_before() -> None:
    words = balance_line(_postings([10, -4])).words
    assert words.endswith("the lowest is 6, at position 2, and the highest 10, at position 1.")


def test_a_line_of_ten_thousand_postings_is_short_and_shows_its_extremes() -> None:
    chance = Random("figures")
    amounts = [chance.choice((-9, 9)) for _ in range(10_000)]
    amounts[4321:4323] = [5_000, -5_000]
    amounts[7654:7656] = [-5_000, 5_000]
    line = balance_line(_postings(amounts))
    assert len(line.path) < 20_000
    assert (min(_heights(line.path)), max(_heights(line.path))) == (TOP, BOTTOM)
    assert re.search(r"the highest [0-9,]+, at position 4,322\.$", line.words)
    assert re.search("the lowest is \N{MINUS SIGN}[0-9,]+, at position 7,655,", line.words)


def test_a_balance_below_zero_has_a_line_at_zero() -> None:
    line = balance_line(_postings([-20, 10]))
    assert line.zero == TOP
    assert [tick.label for tick in line.up] == ["\N{MINUS SIGN}20", "\N{MINUS SIGN}15", "\N{MINUS SIGN}10",
                                                "\N{MINUS SIGN}5", "0"]  # fmt: skip


def test_one_posting_has_a_line_too() -> None:
    line = balance_line(_postings([2**53]))
    assert min(_heights(line.path)) == TOP


def _flow(source: str, target: str, amount: int, unit: str = "chips") -> dict[str, Any]:
    return {"source": source, "target": target, "amount": amount, "unit": unit}


def test_a_matrix_leaves_out_what_a_seat_moves_between_its_own_accounts() -> None:
    flows = [
        _flow("stack:1", "ante:1", 9),
        _flow("ante:1", "stack:2", 4),
        _flow("ante:1", "offer:2", 1),
        _flow("stack:2", "centre", 2),
    ]
    (matrix,) = matrices(flows)
    assert [one.label for one in matrix.participants] == ["Seat 1", "Seat 2", "The centre"]
    assert [row.paid for row in matrix.rows] == [(0, 5, 0), (0, 0, 2), (0, 0, 0)]
    assert [row.net for row in matrix.rows] == [-5, 3, 2]
    assert not matrix.has_house


def test_each_unit_has_a_matrix_and_the_house_is_left_out_of_the_net_in_play() -> None:
    flows = [
        _flow("house", "stack:1", 10),
        _flow("stack:1", "stack:2", 3),
        _flow("stack:1", "house", 7),
        _flow("pool", "score:2", 5, "points"),
    ]
    chips, points = matrices(flows)
    assert (chips.unit, points.unit) == ("chips", "points")
    assert {row.payer.label: row.net_in_play for row in chips.rows} == {"Seat 1": -3, "Seat 2": 3, "The house": 0}
    assert matrices([]) == ()


def test_bands_are_within_the_bars_of_payer_and_receiver() -> None:
    chance, sums = Random("flows"), Counter[tuple[str, str]]()
    for _ in range(400):
        payer, receiver = chance.sample(range(1, 53), 2)
        sums[f"stack:{payer}", f"stack:{receiver}"] += chance.randrange(1, 500)
    (matrix,) = matrices([_flow(*pair, amount) for pair, amount in sums.items()])
    drawing = flow_drawing(matrix)
    assert len(drawing.bands) == len(sums)
    assert len(drawing.sentences) + drawing.left_out == len(sums)
    for side, nodes in ((0, drawing.payers), (-1, drawing.receivers)):
        assert all(before.top + before.height < after.top for before, after in pairwise(nodes))
        assert nodes[side].top + nodes[side].height <= drawing.height
    for band in drawing.bands:
        ends = [float(number) for number in re.findall(r"-?[0-9.]+", band.path)]
        assert all(0 <= end <= 760 + drawing.height for end in ends)
