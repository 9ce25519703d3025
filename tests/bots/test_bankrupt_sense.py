"""The sensible bot at Bankrupt: when it holds, exchanges a card, throws in, offers and accepts."""

from random import Random

import pytest

from service.bots.sensible_bot import SensibleBot
from service.bots.strategies import bankrupt
from service.bots.strategies.bankrupt import Outlook, chance, on_cards, strength, to_offer, would_accept
from service.client.table_answers import Bound, Move, Table


def outlook(cards: str, **others: int) -> Outlook:
    first, second = cards.split()
    facts = {"opponents": 3, "multiplier": 1, "ante": 9, "centre": 0, "is_involved": False, "most": 6}
    return Outlook(cards=(first, second), **{**facts, **others})  # type: ignore[arg-type]  # types differ


def dice() -> Random:
    """Return a random generator with which a bot does not bluff."""
    return Random(2)


def test_hands_are_ranked_as_the_sheet_ranks_them() -> None:
    hands = [strength(14, 14), strength(2, 2), strength(14, 13), strength(14, 2), strength(13, 12), strength(3, 2)]
    chances = [chance(hand, 3) for hand in hands]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.95
    assert chances[-1] < 0.001


def test_more_opponents_leave_less_of_a_chance() -> None:
    assert chance(strength(13, 12), 1) > chance(strength(13, 12), 2) > chance(strength(13, 12), 9)


@pytest.mark.parametrize("cards", ["As Ad", "7c 7d", "2c 2d", "Ah Ks"])
def test_a_pair_or_the_highest_cards_are_held(cards: str) -> None:
    assert on_cards(outlook(cards), may_throw_in=True) == ("hold_cards", 0)


@pytest.mark.parametrize(("cards", "weak"), [("Ks 4d", 2), ("4d Ks", 1), ("3c Qd", 1)])
def test_the_weaker_card_is_exchanged(cards: str, weak: int) -> None:
    assert on_cards(outlook(cards), may_throw_in=True) == ("exchange_card", weak)


def test_a_hopeless_hand_is_thrown_in_if_the_rules_allow_it() -> None:
    assert on_cards(outlook("3c 2d"), may_throw_in=True) == ("throw_in", 0)
    assert on_cards(outlook("3c 2d"), may_throw_in=False) == ("exchange_card", 2)


def test_a_player_with_nothing_to_lose_stays_in() -> None:
    assert on_cards(outlook("3c 2d", ante=1), may_throw_in=True)[0] == "exchange_card"


def test_the_better_the_hand_the_more_is_offered_within_the_cap() -> None:
    offers = [to_offer(outlook(cards, most=6), dice()) for cards in ("As Ad", "9c 9d", "Ah Qs", "4c 3d")]
    assert offers == sorted(offers, reverse=True)
    assert offers[0] == 6
    assert offers[-1] == 0
    assert to_offer(outlook("As Ad", most=2), dice()) == 2


def test_a_fair_hand_offers_a_piece_only_to_collect_a_centre_that_would_stay() -> None:
    fair = "Qd 3c"
    assert 0.5 < chance(strength(12, 3), 1) < 0.625
    assert to_offer(outlook(fair, opponents=1, centre=0), dice()) == 0
    assert to_offer(outlook(fair, opponents=1, centre=4), dice()) == 1
    assert to_offer(outlook(fair, opponents=1, centre=4, is_involved=True), dice()) == 0


def test_the_bot_bluffs_now_and_then() -> None:
    chance_of_many = Random(1)
    offers = [to_offer(outlook("4c 3d"), chance_of_many) for _ in range(1000)]
    assert 20 < sum(offers) < 90


def test_an_offer_is_accepted_by_strength_and_stakes() -> None:
    assert would_accept(outlook("As Ad"), chips=6, laid=6)
    assert not would_accept(outlook("8s 3d"), chips=6, laid=6)
    assert would_accept(outlook("Ks Jd", opponents=1, centre=20), chips=1, laid=1)
    assert not would_accept(outlook("8s 3d", centre=20, is_involved=True), chips=6, laid=6)


def test_the_bot_plays_only_by_what_its_own_seat_sees() -> None:
    view = {
        "cards": {"1": ["??", "??"], "2": ["As", "Ad"]},
        "order": [1, 2],
        "multiplier": 1,
        "involved": [],
        "offer": {"seat": 1, "chips": 3, "answered": [], "accepted": []},
        "offer_cap": 0,
    }
    table = Table(
        table="tbl_1",
        game="bankrupt",
        position=9,
        status="playing",
        hand=1,
        you=2,
        balances={"ante:2": 9},
        winners=(),
        options={},
        view=view,
    )
    answers = [Move({"type": "accept_upping"}), Move({"type": "decline_upping"})]
    assert SensibleBot("1").choose(answers, table) == {"type": "accept_upping"}
    deciding = [Move({"type": "hold_cards"}), Move({"type": "exchange_card", "card": 1}, (Bound("card", 1, 2),))]
    assert SensibleBot("1").choose(deciding, table) == {"type": "hold_cards"}
    assert bankrupt.choose([Move({"type": "deal_hand"}), Move({"type": "resign"})], table, dice()) == {
        "type": "deal_hand"
    }
