"""The gain from dropping players' seeds: a simulation of a service that favours one of four seats (deck/v1).

In the simulated game, a deal gives each of four seats one card, and the seat with the highest card wins the deal. An
honest service uses all seeds. A dishonest service may pretend that one seed did not come, and then all players' seeds
are dropped: so it can choose between two decks. If the service could leave out any seeds, it could choose among sixteen
decks.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import combinations

import pytest

from service.cards import PACK, rank, suit
from service.deck import shuffle

DEALS, MORE = 400, 10_000
FAVOURITE = 1
SEATS = (1, 2, 3, 4)
SUITS = "cdhs"


def seed(deal: int, of: object) -> bytes:
    return sha256(f"{deal} {of}".encode()).digest()


def wins(deal: int, seats: Iterable[int]) -> bool:
    """Return whether the favourite wins the deal if the seeds of *seats* are used."""
    clients = {seat: seed(deal, seat) for seat in seats}
    order = shuffle(f"tbl_a/{deal}", seed(deal, "service"), clients).order
    best = max(order[: len(SEATS)], key=lambda face: (rank(face), SUITS.index(suit(face))))
    return order.index(best) + 1 == FAVOURITE


def subsets() -> Iterator[tuple[int, ...]]:
    for size in range(len(SEATS) + 1):
        yield from combinations(SEATS, size)


def share(deals: int, choices: Iterable[tuple[int, ...]]) -> float:
    """Return the share of *deals* that the favourite can win if the service may use the seeds of any of *choices*."""
    ways = tuple(choices)
    return sum(any(wins(deal, seats) for seats in ways) for deal in range(1, deals + 1)) / deals


@pytest.mark.parametrize(
    "deals", [pytest.param(DEALS, id="some"), pytest.param(MORE, id="more", marks=pytest.mark.full)]
)
def test_a_dropped_seed_gives_one_other_deck_to_choose(deals: int) -> None:
    honest, one_drop, any_subset = share(deals, [SEATS]), share(deals, [SEATS, ()]), share(deals, subsets())
    said = f"wins of the favoured seat: honest {honest:.1%}, all or none {one_drop:.1%}, any subset {any_subset:.1%}"
    print(said)  # noqa: T201 -- a figure, which `pytest -s` shows
    spread = 4 * (0.25 / deals) ** 0.5  # four standard deviations, at most
    assert abs(honest - 1 / 4) < spread
    assert abs(one_drop - (1 - (3 / 4) ** 2)) < spread
    assert abs(any_subset - (1 - (3 / 4) ** 16)) < spread


def test_a_pack_has_one_highest_card() -> None:
    assert len({(rank(face), SUITS.index(suit(face))) for face in PACK}) == len(PACK)
