"""The sensible bot at Insurance Hearts: how it insures, calls a foot, passes, bids and plays."""

from collections import Counter
from typing import Any

import pytest

from service.bots.random_bot import RandomBot
from service.bots.sensible_bot import SensibleBot
from service.bots.strategies.insurance_hearts import chance_of_queen, cost, insurance, to_bid, to_pass, to_show
from service.bots.strategies.insurance_hearts.hearts_tricks import Outlook, to_play
from service.client.table_answers import Bound, Choice, Move, Table
from tests.bots.hearts_game import HeartsGame

GAMES = 8
FINE = "2c 5c 8c Jc 2d 4d 7d 3h 4h 6h 2s 5s 9s"
AWFUL = "Qs Ks As Ah Kh Qh Jh Th Ac Kc Ad Kd Qd"


def cards(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def table(hand: str, **view: Any) -> Table:  # noqa: ANN401 -- the value may be any JSON
    facts: dict[str, Any] = {
        "direction": "left",
        "hands": {"1": ["??"] * 13, "2": hand.split()},
        "trick": [],
        "taken": {},
        "tricks": {"1": 0, "2": 0, "3": 0, "4": 0},
        **view,
    }
    return Table(
        table="tbl_1",
        game="insurance_hearts",
        position=9,
        status="playing",
        hand=1,
        you=2,
        balances={},
        winners=(),
        options={},
        view=facts,
    )


def chosen(seen: Table, *moves: Move) -> dict[str, Any]:
    return dict(SensibleBot("1").choose(moves, seen))


def playing(hand: str, legal: str = "", trick: str = "", **others: Any) -> str:  # noqa: ANN401 -- an outlook has members of several types
    """Return the card that the bot plays from *hand* to a *trick* that seat 3 has led, or to a new trick."""
    lies = tuple(((seat + 2) % 4 + 1, card) for seat, card in enumerate(trick.split()))
    facts = {"tricks": 4, **others}
    return to_play(Outlook(you=2, hand=cards(hand), legal=cards(legal or hand), trick=lies, **facts))


# Slips.


def test_a_fine_hand_is_not_insured_and_a_hand_that_cannot_pass_the_queen_on_is_insured() -> None:
    assert insurance(cards(FINE), passes=True) == 0
    bare = cards("Qs 2c 5c 8c Jc 2d 4d 7d 3h 4h 6h 7h 8h")
    assert insurance(bare, passes=False) == 6
    assert insurance(bare, passes=True) == 0


@pytest.mark.parametrize("passes", [True, False])
def test_the_more_low_spades_the_less_the_queen_is_feared(passes: bool) -> None:  # noqa: FBT001  # Pytest passes this parameter.
    chances = [chance_of_queen(cards(spades), passes=passes) for spades in ("As 3d", "As 5s 3d", "As 9s 5s 4s 2s")]
    assert chances == sorted(chances, reverse=True)
    assert all(0 < chance < 1 for chance in chances)


def slips(*, foot: bool, insured: bool = True) -> list[Move]:
    bounds = (Bound("insurance", 0, 6),) if insured else ()
    moves = [Move({"type": "write_slip", "insurance": 0, "foot": False}, bounds)]
    return [*moves, Move({"type": "write_slip", "insurance": 0, "foot": True}, bounds)] if foot else moves


def test_a_truly_bad_hand_is_called_off_if_the_rules_allow_it() -> None:
    assert chosen(table(AWFUL), *slips(foot=True))["foot"] is True
    assert chosen(table(AWFUL), *slips(foot=False))["foot"] is False
    assert chosen(table(FINE), *slips(foot=True)) == {"type": "write_slip", "insurance": 0, "foot": False}


def test_a_table_that_has_moved_on_meanwhile_is_answered_all_the_same() -> None:  # time was called
    assert chosen(table(""), *slips(foot=True)) == {"type": "write_slip", "insurance": 0, "foot": False}


def test_without_insurance_a_slip_holds_no_number() -> None:
    assert chosen(table(AWFUL), *slips(foot=False, insured=False))["insurance"] == 0


# Passing.


@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("Qs 3s 2c 5c 8c Jc 2d 4d 7d 3h 4h Kh Ah", "Qs Ah Kh"),
        ("As Ks 3s 2c 5c 8c Jc 2d 4d 7d 3h 4h Ah", "As Ks Ah"),
    ],
)
def test_the_queen_the_spades_above_her_and_high_hearts_are_passed(hand: str, passed: str) -> None:
    assert set(to_pass(cards(hand), 3)) == set(cards(passed))


def test_a_queen_with_many_spades_beside_her_and_low_spades_are_kept() -> None:
    passed = to_pass(cards("Qs 9s 8s 5s 3s Kc Ad Ah Kh 2c 3c 4d 5d"), 3)
    assert not any(card.endswith("s") for card in passed)


def test_passed_cards_are_taken_from_the_listed_cards() -> None:
    hand = "Qs 3s 2c 5c 8c Jc 2d 4d 7d 3h 4h Kh Ah"
    move = Move({"type": "pass_cards", "cards": ["Ah", "Kh", "Qs"]}, (), (Choice("cards", cards(hand), 3),))
    action = chosen(table(hand), move)
    assert set(action["cards"]) == {"Qs", "Ah", "Kh"}


# The auction.


def bids(four: str, hand: str) -> list[Move]:
    least = {"s": 3, "h": 2, "d": 1, "c": 0}
    weakest, show = hand[:2], (Choice("shown", cards(hand)),)
    made = [
        Move(
            {"type": "place_bid", "card": card, "points": least[card[1]], "shown": weakest},
            (Bound("points", least[card[1]], 999),),
            show,
        )
        for card in four.split()
    ]
    return [*made, Move({"type": "make_no_bid", "shown": weakest}, (), show)]


def test_a_low_club_is_bid_for_because_a_low_club_costs_nothing() -> None:
    four = "2c Ah Kh Qs"
    assert to_bid(cards(four), {"2c": 0, "Ah": 2, "Kh": 2, "Qs": 3}, cards(FINE)) == ("2c", 0)
    assert chosen(table(FINE), *bids(four, FINE)) == {"type": "place_bid", "card": "2c", "points": 0, "shown": "9s"}


def test_nothing_is_bid_if_all_cards_are_much_the_same() -> None:
    assert chosen(table(FINE), *bids("3d 5d 4s 3s", FINE)) == {"type": "make_no_bid", "shown": "9s"}


@pytest.mark.parametrize("four", ["3d Ah Kh Qs", "3s Qs As Ks", "2h Ah Kh Qs", "3c 4c 5c 6c"])
def test_a_bid_is_never_much_above_the_least_bid(four: str) -> None:
    least = {card: {"s": 3, "h": 2, "d": 1, "c": 0}[card[1]] for card in four.split()}
    card, offered = to_bid(cards(four), least, cards("2c 4c 5d 7d 9d 3h 5h Ts 7s 2d Jc Qd"))
    assert offered <= (least[card] + 2 if card else 0)


def test_the_strongest_card_is_shown_unless_it_is_the_queen() -> None:
    assert to_show(cards("2c Ah Qs 4s")) == "4s"
    assert to_show(cards("2c Ah As Qs")) == "As"
    assert to_show(cards("Kc Ad")) == "Ad"


def test_the_cheapest_leftover_is_chosen() -> None:
    left = [Move({"type": "choose_leftover", "card": card}) for card in ("Qs", "Ah", "4c")]
    assert chosen(table(FINE), *left)["card"] == "4c"
    assert cost("Qs", cards(FINE)) < cost("Qs", cards("2c 3c"))


# Tricks.


def test_a_player_who_can_duck_ducks_as_high_as_possible() -> None:
    assert playing("2d 7d Jd Ah", legal="2d 7d Jd", trick="Qd") == "Jd"
    assert playing("2h 7h Jh Ac", legal="2h 7h Jh", trick="9h") == "7h"


def test_a_last_player_who_must_win_the_trick_wins_it_with_the_highest_card() -> None:
    assert playing("Td Kd Ah", legal="Td Kd", trick="3d 5h 9d") == "Kd"


def test_the_last_player_takes_a_trick_without_points_with_the_highest_card() -> None:
    assert playing("2c Tc Ac Ah", legal="2c Tc Ac", trick="3c 5c 9c") == "Ac"


def test_the_queen_is_played_under_a_king_or_an_ace_and_wins_only_if_no_other_card_can_be_played() -> None:
    assert playing("Qs 4s 2d", legal="Qs 4s", trick="Ks") == "Qs"
    assert playing("Qs 4s 2d", legal="Qs 4s", trick="Js") == "4s"
    assert playing("Qs 4s 2d", legal="Qs 4s", trick="2s 3s Js") == "4s"
    assert playing("Qs Ts 2d", legal="Qs Ts", trick="2s 3s 9s") == "Ts"


def test_king_and_ace_of_spades_wait_until_the_queen_is_gone() -> None:
    assert playing("As 4s 2d", legal="As 4s", trick="2s 3s") == "4s"
    assert playing("As 4s 2d", legal="As 4s", trick="2s 3s 6s") == "As"  # the last player: no queen can follow
    assert playing("As 4s 2d", legal="As 4s", trick="2s 3s Qs") == "4s"


@pytest.mark.parametrize(
    ("hand", "thrown"), [("Qs As Ah Kd", "Qs"), ("As Ah Kd 2h", "As"), ("Kd Kh 3h 2d", "Kh"), ("3d 2d Jd 4s", "Jd")]
)
def test_a_player_who_cannot_follow_discards_the_worst_card(hand: str, thrown: str) -> None:
    assert playing(hand, trick="5c 9c") == thrown


def test_a_player_without_high_spades_leads_spades_to_bring_the_queen_out() -> None:
    assert playing("9s 4s Kd 8h", tricks=3).endswith("s")
    assert not playing("Qs 4s 3d", tricks=3).endswith("s")
    assert playing("As 9d", tricks=3) == "9d"


def test_a_player_who_may_take_all_points_gets_none() -> None:
    taken = {4: cards("2h 3h 4h 5h 6h 7h 8h")}
    assert playing("Ah Kd 2d", trick="9c 8c", taken={1: cards("2h 3h"), 4: cards("4h 5h 6h 7h 8h 9h")}) == "Ah"
    assert playing("Ah Kd 2d", trick="9c Tc", taken=taken) == "Kd"  # seat 4 would take the trick
    assert playing("Ah Qs", trick="9c Tc", taken=taken) == "Ah"


def test_the_last_player_takes_a_few_points_so_that_nobody_takes_all() -> None:
    taken = {4: cards("2h 3h 4h 5h 6h 7h 8h")}
    assert playing("Ac 2c", legal="Ac 2c", trick="9c Tc Jh", taken=taken) == "Ac"
    assert playing("Ac 2c", legal="Ac 2c", trick="9c Tc Jh") == "2c"


def test_the_bot_plays_only_by_what_its_own_seat_sees() -> None:
    seen = table("2d 7d Jd Ah", trick=[{"seat": 1, "card": "Qd"}], taken={"3": ["2h"]})
    plays = [Move({"type": "play_card", "card": card}) for card in ("2d", "7d", "Jd")]
    assert chosen(seen, *plays) == {"type": "play_card", "card": "Jd"}
    assert chosen(seen, Move({"type": "deal_hand"})) == {"type": "deal_hand"}


# Whole games.


@pytest.mark.parametrize("rules", [True, False], ids=["three rules", "hearts"])
def test_sensible_bots_beat_random_bots(rules: bool) -> None:  # noqa: FBT001  # Pytest passes this parameter.
    scores, games = Counter[type](), 0
    for seed in range(GAMES):
        kinds = [(SensibleBot, RandomBot)[(seat + seed) % 2] for seat in range(4)]
        bots = [kind(f"{seed}/{seat}") for seat, kind in enumerate(kinds)]
        played = HeartsGame(bots, seed, insurance=rules, bidding=rules, foot=rules).play()
        games += all(kinds[seat - 1] is SensibleBot for seat in played.state.winners)
        for seat, points in played.scores.items():
            scores[kinds[seat - 1]] += points
    assert games >= GAMES - 1  # rarely, a random bot takes all points
    assert 2 * scores[SensibleBot] < scores[RandomBot]


def test_sensible_bots_among_themselves_bid_and_insure_little() -> None:
    bots = [SensibleBot(f"{seat}") for seat in range(4)]
    hands = [scored for seed in range(3) for scored in HeartsGame(bots, seed).play().hands]
    paid = sum(one.bid for scored in hands for one in scored.scores)
    insured = sum(one.insurance for scored in hands for one in scored.scores if not scored.shooter)
    assert paid < len(hands) / 4
    assert insured < len(hands)
