import pytest

from service.games import CURRENT
from tests.http.service import accepted
from tests.web.world import World


@pytest.mark.parametrize("game", CURRENT)
def test_a_hand_shows_each_payout_with_its_reason(world: World, game: str) -> None:
    played = world.played[game]
    count = 0
    for hand in range(1, played.hand + 1):  # a hand of Insurance Hearts that is cancelled has no payouts
        path = f"tables/{played.table}/hands/{hand}"
        shown = world.spectator.page(f"/{path}")
        for one in accepted(world.service.spectator.get(f"/v1/{path}")).json["payouts"]:
            assert one["payout"]["rule"] in shown
            assert one["payout"]["source"] in shown
            count += 1
    assert count
