"""The decks of a table of Bankrupt, and the order of a deck after the ritual."""

from tests.games.stacked import epoch_of

DRAW, FIRST, SECOND, THIRD = map(epoch_of, range(1, 5))
"""Epochs of a table whose draw needed one deck: the deck of the draw, then the decks of the rounds."""

UPTURNED = 6
AFTER_THE_RITUAL = (*range(7, 46), UPTURNED, *range(6), *range(46, 52))
