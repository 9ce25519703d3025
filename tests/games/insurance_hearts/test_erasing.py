"""Only the service erases a sealed value: G.12."""

import pytest

from service.games import CURRENT
from service.games.common_commands import EraseValue
from service.games.common_events import ValueErased
from service.games.game import HOST, SERVICE, Refusal, seat_actor
from tests.games.stacked import StackedDecks

GAME = CURRENT["insurance_hearts"]
TABLE = "tbl_" + 32 * "1"


@pytest.mark.parametrize("by", [HOST, seat_actor(1)])
def test_nobody_but_the_service_erases_a_sealed_value(by: str) -> None:  # G.12
    with pytest.raises(Refusal) as refused:
        GAME.decide(GAME.new(TABLE), EraseValue(by=by, position=1, field="seed", ground="order"), StackedDecks())
    assert (refused.value.code, refused.value.ruling) == ("service_must_ask", "G.12")


def test_the_service_erases_a_sealed_value_and_nothing_follows() -> None:  # G.12
    command = EraseValue(by=SERVICE, position=1, field="seed", ground="order")
    assert GAME.decide(GAME.new(TABLE), command, StackedDecks()).events == (
        ValueErased(position=1, field="seed", ground="order"),
    )
