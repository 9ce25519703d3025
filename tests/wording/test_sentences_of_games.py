"""Events of each game in the words that a reader of a hand sees."""

from collections.abc import Mapping
from typing import Any

import pytest

from service.wording.hand_events import HandEvent
from service.wording.sentences import sentence

ANTES = [["stack:1", "ante:1", 9, "chips", "6"], ["stack:2", "ante:2", 4, "chips", "18"]]
CLAIM = {
    "seat": 1,
    "winning": "8d",
    "losing": "6c",
    "difference": 2,
    "due": 2,
    "taken": 2,
    "rule": "15",
    "ruling": "B16.1",
}


@pytest.mark.parametrize(
    ("kind", "made", "said"),
    [
        ("antes_placed", {"transfers": ANTES[:1]}, "Each seat placed an ante of nine chips."),
        (
            "antes_placed",
            {"transfers": ANTES, "last_legs": [2], "dead_rounds": 1},
            (
                "Each seat placed an ante of nine chips, but seat 2 placed 4, all that was left: last legs. The "
                "round before was dead, so the winner takes twice the difference."
            ),
        ),
        ("cards_held", {"seat": 4}, "Seat 4 kept both cards."),
        (
            "cards_held",
            {"seat": 4, "called": "limit"},
            "Seat 4 kept both cards. The time limit had run out, so the service decided.",
        ),
        (
            "card_exchanged",
            {"seat": 2, "card": 2},
            "Seat 2 exchanged its second card, 2d, for the top card of the deck.",
        ),
        ("card_exchanged", {"seat": 3, "card": 1}, "Seat 3 exchanged its first card for the top card of the deck."),
        ("hand_thrown_in", {"seat": 1}, "Seat 1 threw in its hand."),
        (
            "hand_thrown_in",
            {"seat": 1, "transfers": [["ante:1", "centre", 1, "chips", "11"]]},
            "Seat 1 threw in its hand, and 1 chip of its ante went to the centre.",
        ),
        ("upping_offered", {"seat": 1, "chips": 5}, "Seat 1 offered to up the ante by 5 chips."),
        ("upping_declined", {"seat": 1}, "Seat 1 declined the offer."),
        (
            "round_won",
            {"winner": 2, "multiplier": 2, "claims": [CLAIM], "centre": "stays"},
            (
                "Seat 2 had the best hand, 8d 8h (a pair), and won the round. It takes 2 chips from seat 1. "
                "Each difference counts twice. The centre stays on the table."
            ),
        ),
        (
            "round_won",
            {"winner": 1, "multiplier": 1, "claims": [], "centre": "empty"},
            "Seat 1 had the best hand and won the round.",
        ),
        (
            "round_won_uncontested",
            {"winner": 2, "centre": "collected"},
            "All other seats threw in: seat 2 won the round, claims nothing, and shows no card.",
        ),
        (
            "round_dead",
            {"seats": [1, 3], "dead_rounds": 1},
            (
                "Seats 1 and 3 share the best hand: the round is dead, nobody wins and nobody loses. All antes and "
                "the centre stay on the table."
            ),
        ),
        (
            "centre_divided",
            {"seats": [1, 2, 3], "share": 2, "residue": 1},
            "The centre was divided: 2 chips for each of seats 1, 2 and 3; 1 chip stayed in the centre.",
        ),
        ("round_ended", {"dealer": 0}, "The round is over."),
    ],
)
def test_bankrupt(kind: str, made: Mapping[str, Any], said: str) -> None:
    event = HandEvent(
        position=7, at="", by="seat:1", type=kind, made=made, held={2: ("4c", "2d")}, shown={2: ("8d", "8h")}
    )
    assert sentence("bankrupt", event) == said


@pytest.mark.parametrize(
    ("kind", "made", "said"),
    [
        (
            "hand_begun",
            {"hand": 3, "banker": 3, "players": [3, 4, 1]},
            "Hand 3 began. Seat 3 is the banker. Seats 4 and 1 bet against the banker.",
        ),
        ("offers_awaited", {"seats": []}, "Nobody has chips left to offer."),
        (
            "insurance_accepted",
            {"seat": 2, "chips": 1},
            "The banker took the 1 chip of seat 2, and so insures its bet.",
        ),
        (
            "hand_settled",
            {
                "banker": 1,
                "card": "9c",
                "results": [
                    {"seat": 2, "outcome": "won", "bet": 10, "card": "Kd", "insurance": 4, "short": 3},
                    {"seat": 3, "outcome": "lost", "bet": 20},
                ],
            },
            (
                "The banker, seat 1, had 9c. Seat 2 had Kd and won with a bet of 10 chips, insured for 4 chips; the "
                "banker had 7 chips left, and paid only 7. Seat 3 lost with a bet of 20 chips."
            ),
        ),
    ],
)
def test_insurance(kind: str, made: Mapping[str, Any], said: str) -> None:
    assert sentence("insurance", HandEvent(position=7, at="", by="service", type=kind, made=made)) == said


@pytest.mark.parametrize(
    ("kind", "made", "opened", "said"),
    [
        ("slip_written", {"seat": 1}, {}, "Seat 1 wrote a slip; what it says is sealed."),
        ("slip_written", {"seat": 1}, {"foot": True}, "Seat 1 wrote a slip: a foot."),
        ("slip_written", {"seat": 1}, {"foot": False, "insurance": 3}, "Seat 1 wrote a slip: insurance 3 and no foot."),
        ("foot_told", {"callers": [2]}, {}, "All slips are in. Seat 2 called a foot."),
        ("pass_chosen", {"seat": 2}, {}, "Seat 2 chose three cards to pass; they are sealed."),
        ("pass_chosen", {"seat": 2}, {"cards": ["5h", "7d", "Kh"]}, "Seat 2 chose 5h 7d Kh to pass."),
        ("bid_written", {"seat": 2}, {}, "Seat 2 wrote a bid; it is sealed."),
        (
            "bid_written",
            {"seat": 2},
            {"bid": {"card": "Qh", "points": 1, "shown": "7s"}},
            "Seat 2 bid 1 point for Qh, and showed 7s.",
        ),
        (
            "bids_opened",
            {"bids": [{"seat": 1, "shown": "Js"}, {"seat": 4, "card": "Qh", "points": 16, "shown": "7s"}]},
            {},
            "All bids are open: seat 1 made no bid, and showed Js; seat 4 bid 16 points for Qh, and showed 7s.",
        ),
        (
            "auction_settled",
            {"sold": [], "choosing": [1, 2], "left": ["Ts", "Ac"]},
            {},
            "Nobody bought a card. Seats 1 and 2 choose in this order from Ts Ac.",
        ),
        (
            "card_played",
            {"seat": 1, "card": "Ah", "breaks_hearts": True},
            {},
            "Seat 1 played Ah, and hearts are broken.",
        ),
        (
            "hand_scored",
            {"queen": 4, "shooter": 4, "scores": [{"seat": 1, "score": 26}, {"seat": 4, "score": 0}]},
            {},
            (
                "Seat 4 took the queen of spades. Seat 4 took all 26 points. The hand counts 26 points for seat 1 and "
                "0 points for seat 4."
            ),
        ),
    ],
)
def test_insurance_hearts(kind: str, made: Mapping[str, Any], opened: Mapping[str, Any], said: str) -> None:
    event = HandEvent(position=7, at="", by="seat:1", type=kind, made=made, opened=opened)
    assert sentence("insurance_hearts", event) == said
