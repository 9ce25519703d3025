import pytest

from service.games import CURRENT
from tests.http.service import accepted
from tests.web.world import World


@pytest.mark.parametrize("game", CURRENT)
def test_a_hand_shows_each_payout_with_its_reason(world: World, game: str) -> None:
    path = f"tables/{world.played[game].table}/hands/1"
    shown = world.spectator.page(f"/{path}")
    payouts = accepted(world.service.spectator.get(f"/v1/{path}")).json["payouts"]
    assert payouts
    for one in payouts:
        assert one["payout"]["rule"] in shown
        assert one["payout"]["source"] in shown
