"""Deals for tests, and functions that play these deals.

Two of these deals are called examples. In the first example, player A (seat 1) takes the queen of spades and five
hearts. In the second example, player A shoots the moon.
"""

from typing import Unpack

from service.cards import PACK
from tests.games.insurance_hearts.actors import seat
from tests.games.insurance_hearts.table import Agreed, Table, a_table

CLUBS, DIAMONDS, HEARTS, SPADES = (" ".join(PACK[start : start + 13]) for start in range(0, 52, 13))
MIXED = tuple(" ".join(PACK[start::4]) for start in range(4))
"""Every seat has three or four cards of each suit; seat 1 has the two of clubs, seat 2 the queen of spades."""


def in_turn(first: int, *columns: str) -> str:
    """Return the cards of *columns*, one column for each seat, in order of play.

    Seat *first* leads trick 1, and seat 1 leads all other tricks.
    """
    rows = zip(*(column.split() for column in columns), strict=True)
    tricks = [row[first - 1 :] + row[: first - 1] if not trick else row for trick, row in enumerate(rows)]
    return " ".join(face for trick in tricks for face in trick)


A_TAKES_THE_QUEEN = (
    "9c Qc Ac 4d 9d Jd Kd 4h 7h 9h Qh 4s As",
    "4c 5c Kc 3d 6d 2h 6h 8h Jh Kh 5s 6s Ks",
    "3c Tc Jc 2d 7d 8d Qd Ad Ah 3s 8s Js Qs",
    "2c 6c 7c 8c 5d Td 3h 5h Th 2s 7s 9s Ts",
)
"""The hands of the first example: A is seat 1, B is seat 2, and so on."""
HOW_A_TAKES_IT = (
    "2c Qc Kc Jc 6d Qd Td Kd Jd 3d 7d 5d 9d 5c Ad 3h Qs 7s As 6s 7h 6h Ah Th Tc 7c 9c 4c "
    "Js 9s 4s 5s 2d 8c 4d Jh 9h Kh 8d 5h Ks 8s 2s Ac 8h 3c Ts Qh 4h 2h 3s 6c"
)
"""The cards in order of play: seat 1 takes the queen of spades and five hearts, seat 2 three hearts, seat 3 five, seat
4 none."""


def played_by_a(*numbers: int, **options: Unpack[Agreed]) -> Table:
    """Play all but the last card of the first example; with bidding, seat 2 buys the king of spades for 3."""
    agreed: Agreed = {"bidding": False, **options}
    table = a_table(hand=3, **agreed)
    if table.state.options.bidding:
        left = ("4d", "Ks", "3c", "2c")
        hands = [
            " ".join(face for face in hand.split() if face != out)
            for hand, out in zip(A_TAKES_THE_QUEEN, left, strict=True)
        ]
        table.dealt(*hands, table="Ks 4d 3c 2c")
    else:
        table.dealt(*A_TAKES_THE_QUEEN)
    if table.state.options.insurance or table.state.options.foot:
        table.slips_lie(*numbers)
    if table.state.options.bidding:
        table.given(seat(1).bids_nothing(showing="As"), seat(2).bids("Ks", 3, showing="2h"))
        table.given(seat(3).bids_nothing(showing="Qs"), seat(4).bids_nothing(showing="Ts"))
        table.given(seat(1).chooses("4d"), seat(3).chooses("3c"))
    *cards, _ = HOW_A_TAKES_IT.split()
    return table.played(" ".join(cards))


LAST_CARD = seat(4).plays("6c")
"""The last card of the first example."""

MOON = ("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc", DIAMONDS[:-3], HEARTS[3:], SPADES[:-3])
"""Hands with which seat 1 takes every trick, once seat 1 also gets the ace of clubs."""


def at_moons_auction(*numbers: int, **options: Unpack[Agreed]) -> Table:
    """Deal the second example up to the auction of the aces of clubs, diamonds and spades and the two of hearts."""
    table = a_table(hand=3, **options).dealt(*MOON, table="Ac Ad 2h As")
    return table.slips_lie(*numbers) if table.state.options.insurance or table.state.options.foot else table


def moon_by_a(*numbers: int, **options: Unpack[Agreed]) -> Table:
    """Play all but the last card of the second example.

    Seat 4 buys the two of hearts for 2, and seat 1 takes all tricks.
    """
    table = at_moons_auction(*numbers, **options).given(
        seat(1).bids_nothing(showing="Kc"),
        seat(2).bids_nothing(showing="Kd"),
        seat(3).bids_nothing(showing="Ah"),
        seat(4).bids("2h", 2, showing="2s"),
    )
    table.given(seat(3).chooses("As"), seat(2).chooses("Ad"))
    return all_but_the_last_card(table)


def all_but_the_last_card(table: Table) -> Table:
    """Play on until one card is left: each player plays the card that `_lowest` returns."""
    while sum(map(len, table.seen_by(0).hands.values())) > 1:
        table.given(seat(table.next_one.number).plays(_lowest(table)))
    return table


def _lowest(table: Table) -> str:
    """Return the first of the next player's legal cards, in alphabetical order."""
    return min(str(getattr(action.command, "card", "")) for action in table.listed(table.next_one))


def all_but_one_heart() -> Table:
    """Play all but the last card of a hand: seat 1 has taken the queen of spades and twelve hearts."""
    hands = ("3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2s", "2c " + DIAMONDS[:-3], HEARTS, "Ad " + SPADES[3:])
    return _run(hands, last="As")


def all_hearts_without_the_queen(*numbers: int) -> Table:
    """Play all but the last card of a hand: seat 1 has taken all hearts, and seat 4 still has the queen of spades.

    *numbers* are the insurance numbers, by seat; default: 4, 3, 2 and 1.
    """
    hands = (
        "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2s",
        "2c 2h 3h 2d 3d 4d 5d 6d 7d 8d 9d Td Jd",
        "Kd 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah Qd",
        "Ad " + SPADES[3:],
    )
    return _run(hands, last="Qs", numbers=numbers or (4, 3, 2, 1))


def _run(hands: tuple[str, ...], *, last: str, numbers: tuple[int, ...] = (4, 3, 2, 1)) -> Table:
    """Play all cards of *hands* but *last*, the last card of seat 4.

    Seat 2 leads trick 1, and seat 1 leads all other tricks.
    """
    fourth = [face for face in ("3s " + hands[3].replace(" 3s", "")).split() if face != last]
    *cards, unplayed = in_turn(2, *hands[:3], " ".join([*fourth, last])).split()
    assert unplayed == last
    return a_table(hand=3, bidding=False, foot=False).dealt(*hands).slips_lie(*numbers).played(" ".join(cards))
