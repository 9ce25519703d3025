"""A random bot chooses a legal action at random; the choice follows from its seed."""

from collections import Counter

from msgspec.structs import replace

from service.bots.random_bot import RandomBot
from service.bots.sensible_bot import SensibleBot
from service.client.table_answers import Action, Bound, Choice, Move, Table

TABLE = Table("tbl_1", "bankrupt", 1, "playing", 1, 1, {}, (), {}, {})
OFFER = Move({"type": "offer_upping", "chips": 1}, (Bound("chips", 1, 6),))
PASS = Move({"type": "pass_upping"})
DEAL = Move({"type": "deal_hand"})
RESIGN = Move({"type": "resign"})
PACK = ("2c", "Kd", "Ah", "Qs")
PASS_CARDS = Move({"type": "pass_cards", "cards": ["Qs", "Ah", "Kd"]}, (), (Choice("cards", PACK, 3),))
BID = Move(
    {"type": "place_bid", "card": "9s", "points": 3, "shown": "2c"},
    (Bound("points", 3, 999),),
    (Choice("shown", PACK),),
)


def choices(seed: str, moves: list[Move], count: int = 600) -> list[Action]:
    bot = RandomBot(seed)
    return [bot.choose(moves, TABLE) for _ in range(count)]


def test_every_action_and_every_number_within_its_bounds_is_chosen() -> None:
    chosen = choices("1", [OFFER, PASS])
    assert {action["chips"] for action in chosen if action["type"] == "offer_upping"} == {1, 2, 3, 4, 5, 6}
    assert 200 < Counter(action["type"] for action in chosen)["pass_upping"] < 400


def test_the_bot_chooses_as_many_different_cards_as_the_action_needs() -> None:
    passed = [action["cards"] for action in choices("1", [PASS_CARDS])]
    assert all(len(set(cards)) == 3 for cards in passed)
    assert {frozenset(cards) for cards in passed} == {frozenset(PACK) - {card} for card in PACK}
    assert {action["shown"] for action in choices("1", [BID])} == set(PACK)


def test_bids_stay_within_reason_so_that_games_last() -> None:
    offered = {action["points"] for action in choices("1", [BID])}
    assert (min(offered), max(offered)) == (3, 23)


def test_the_random_bot_seldom_gives_up_unless_nothing_else_is_left() -> None:
    given_up = Counter(action["type"] for action in choices("1", [DEAL, RESIGN], 2000))["resign"]
    assert 0 < given_up < 60
    assert choices("1", [RESIGN], 3) == [{"type": "resign"}] * 3


def test_choices_follow_from_the_seed() -> None:
    assert choices("1", [OFFER, PASS]) == choices("1", [OFFER, PASS])
    assert choices("1", [OFFER, PASS]) != choices("2", [OFFER, PASS])


def test_a_game_without_a_strategy_is_played_at_random() -> None:
    table = replace(TABLE, game="coins")
    bots = RandomBot("1"), SensibleBot("1")
    chosen = [[bot.choose([OFFER, PASS], table) for _ in range(20)] for bot in bots]
    assert chosen[0] == chosen[1]
