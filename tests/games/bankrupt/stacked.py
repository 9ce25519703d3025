"""The decks of a table of Bankrupt, and how the ritual lays them."""

from tests.games.stacked import epoch_of

DRAW, FIRST, SECOND, THIRD = map(epoch_of, range(1, 5))
"""Epochs of a table whose draw needed one deck: the draw's, then those that hands are dealt from."""

UPTURNED = 6
AFTER_THE_RITUAL = (*range(7, 46), UPTURNED, *range(6), *range(46, 52))
