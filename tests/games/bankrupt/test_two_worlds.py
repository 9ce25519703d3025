"""If a view of the past shows the upturned card, the comparison of two worlds finds this leak (B7.4)."""

import pytest

from service.games.bankrupt import BANKRUPT
from tests.games import two_worlds
from tests.games.envelopes import SeatViewpoint


def test_a_view_of_the_past_that_shows_the_upturned_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # B7.4
    monkeypatch.setattr(two_worlds, "PastViewpoint", SeatViewpoint)
    assert two_worlds.has_a_leak(BANKRUPT, range(24))
