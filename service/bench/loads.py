"""The loads: cycles of moves at a table of Bankrupt that are legal whatever the cards."""

from math import lcm
from typing import Any, Final, TypeAlias

from msgspec import Struct

SEATS: Final = 4
BUY_IN: Final = 1_000_000  # so much that no load ends a game, or is limited by a stack

Body: TypeAlias = dict[str, Any]
"""A command as the API takes it."""


class Move(Struct, frozen=True):
    """The command in *body*, by *seat*."""

    seat: int
    body: Body


class _Turn(Struct, frozen=True):
    """A command of *kind* by the seat that is *left* places to the left of the dealer; 0: the dealer."""

    left: int
    kind: str
    members: Body = {}


_DEALER: Final = 0
_DEAL: Final = _Turn(_DEALER, "deal_hand")
_ALL_HOLD: Final = tuple(_Turn(left, "hold_cards") for left in (1, 2, 3, _DEALER))

_STEADY: Final = ((_DEAL, *_ALL_HOLD, *(_Turn(left, "pass_upping") for left in (1, 2, 3))),)

# A seat throws in once in four rounds, far from the limit (B11.3). Offers go up to six pieces (B12.5), and
# nobody can run out of pieces to answer with.
_MIXED: Final = (
    (
        _DEAL,
        _Turn(1, "exchange_card", {"card": 1}),
        _Turn(2, "hold_cards"),
        _Turn(3, "throw_in"),
        _Turn(_DEALER, "exchange_card", {"card": 2}),
        _Turn(1, "offer_upping", {"chips": 3}),
        _Turn(2, "accept_upping"),
        _Turn(_DEALER, "decline_upping"),
        _Turn(2, "offer_upping", {"chips": 2}),
        _Turn(_DEALER, "accept_upping"),
    ),
    (
        _DEAL,
        _Turn(1, "hold_cards"),
        _Turn(2, "exchange_card", {"card": 2}),
        _Turn(3, "hold_cards"),
        _Turn(_DEALER, "hold_cards"),
        _Turn(1, "pass_upping"),
        _Turn(2, "offer_upping", {"chips": 1}),
        _Turn(3, "decline_upping"),
        _Turn(_DEALER, "decline_upping"),  # which ends the upping (B12.3)
    ),
    (
        _DEAL,
        *_ALL_HOLD,
        _Turn(1, "offer_upping", {"chips": 6}),
        _Turn(2, "accept_upping"),
        _Turn(3, "accept_upping"),
        _Turn(_DEALER, "decline_upping"),
        _Turn(2, "offer_upping", {"chips": 6}),
        _Turn(3, "accept_upping"),
        _Turn(_DEALER, "accept_upping"),
        _Turn(3, "pass_upping"),
    ),
    (
        _DEAL,
        _Turn(1, "throw_in"),
        _Turn(2, "throw_in"),
        _Turn(3, "throw_in"),  # which leaves the dealer alone (B11.4)
    ),
)

LOADS: Final = {"steady": _STEADY, "mixed": _MIXED}
"""steady: deal, hold, pass. mixed: exchanges, offers, acceptances, declines and throw-ins too."""


def cycle(load: str, dealer: int) -> tuple[Move, ...]:
    """Return the moves of *load* from a round that *dealer* deals, until the same dealer begins it again.

    The deal passes to the next seat after each round, whatever its outcome (B5.2).
    """
    rounds = LOADS[load]
    return tuple(
        Move((dealer + number + turn.left - 1) % SEATS + 1, {"type": turn.kind, **turn.members})
        for number in range(lcm(len(rounds), SEATS))
        for turn in rounds[number % len(rounds)]
    )
