"""The loads for a table of Bankrupt: cycles of moves that are legal with any cards."""

from math import lcm
from typing import Any, Final, TypeAlias

from msgspec import Struct

SEATS: Final = 4
BUY_IN: Final = 1_000_000  # large enough that no load ends a game, and no stack limits a move

Body: TypeAlias = dict[str, Any]
"""The body of a command in the API."""


class Move(Struct, frozen=True):
    """The command in *body*, made by the player in *seat*."""

    seat: int
    body: Body


class _Turn(Struct, frozen=True):
    """A command of *kind* by the player who sits *left* seats to the left of the dealer (0: by the dealer)."""

    left: int
    kind: str
    members: Body = {}


_DEALER: Final = 0
_DEAL: Final = _Turn(_DEALER, "deal_hand")
_ALL_HOLD: Final = tuple(_Turn(left, "hold_cards") for left in (1, 2, 3, _DEALER))

_STEADY: Final = ((_DEAL, *_ALL_HOLD, *(_Turn(left, "pass_upping") for left in (1, 2, 3))),)

# A seat throws in once in four rounds, so never in two rounds in a row (B11.3 has the limit). Offers go up to six
# pieces (B12.5), and every player has enough pieces to accept each offer.
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
        _Turn(_DEALER, "decline_upping"),  # All have declined, which ends the upping (B12.3).
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
        _Turn(3, "throw_in"),  # Only the dealer is left (B11.4).
    ),
)

LOADS: Final = {"steady": _STEADY, "mixed": _MIXED}
"""The load "steady" has deals, holds and passes; "mixed" also has exchanges, offers with answers, and throw-ins."""


def cycle(load: str, dealer: int) -> tuple[Move, ...]:
    """Return the moves of *load*, repeated until *dealer*, who deals its first round, would deal its first round again.

    The deal passes to the next seat after each round, with any outcome (B5.2).
    """
    rounds = LOADS[load]
    return tuple(
        Move((dealer + number + turn.left - 1) % SEATS + 1, {"type": turn.kind, **turn.members})
        for number in range(lcm(len(rounds), SEATS))
        for turn in rounds[number % len(rounds)]
    )
