"""Cards: a face is two characters, rank then suit, such as ``Ts`` for the ten of spades."""

from typing import Final

Face = str

RANKS: Final = "23456789TJQKA"  # low to high
SUITS: Final = "cdhs"

PACK: Final[tuple[Face, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The pack before a shuffle: clubs from 2c to Ac, then diamonds, hearts and spades."""

UNKNOWN: Final[Face] = "??"
"""The placeholder for a face that the viewer may not see. The placeholder has neither rank nor suit."""

_RANK_OF: Final = {face: RANKS.index(face[0]) + 2 for face in PACK}
_SUIT_OF: Final = {face: face[1] for face in PACK}


def rank(face: Face) -> int:
    """Return the rank of *face* as a number from 2 to 14: jack 11, queen 12, king 13, ace 14.

    Raises:
        KeyError: the pack has no card *face*.
    """
    return _RANK_OF[face]


def suit(face: Face) -> str:
    """Return the suit of *face*: ``c``, ``d``, ``h`` or ``s``.

    Raises:
        KeyError: the pack has no card *face*.
    """
    return _SUIT_OF[face]
