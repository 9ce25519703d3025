"""A random bot does anything that is legal, and what it does follows from its seed."""

from collections import Counter

from service.bots.choosing import Action, Bound, Move, Table
from service.bots.random_bot import RandomBot

TABLE = Table("tbl_1", "bankrupt", 1, "playing", 1, 1, 0, {}, (), {}, {})
OFFER = Move({"type": "offer_upping", "chips": 1}, (Bound("chips", 1, 6),))
PASS = Move({"type": "pass_upping"})
DEAL = Move({"type": "deal_hand"})
RESIGN = Move({"type": "resign"})


def choices(seed: str, moves: list[Move], count: int = 600) -> list[Action]:
    bot = RandomBot(seed)
    return [bot.choose(moves, TABLE) for _ in range(count)]


def test_every_action_and_every_number_within_its_bounds_is_chosen() -> None:
    chosen = choices("1", [OFFER, PASS])
    assert {action["chips"] for action in chosen if action["type"] == "offer_upping"} == {1, 2, 3, 4, 5, 6}
    assert 200 < Counter(action["type"] for action in chosen)["pass_upping"] < 400


def test_it_seldom_gives_up_and_does_so_where_nothing_else_is_left() -> None:
    given_up = Counter(action["type"] for action in choices("1", [DEAL, RESIGN], 2000))["resign"]
    assert 0 < given_up < 60
    assert choices("1", [RESIGN], 3) == [{"type": "resign"}] * 3


def test_choices_follow_from_the_seed() -> None:
    assert choices("1", [OFFER, PASS]) == choices("1", [OFFER, PASS])
    assert choices("1", [OFFER, PASS]) != choices("2", [OFFER, PASS])
