"""The interface of bots: a bot gets the legal moves and what its seat may see of the table, and returns an action."""

from collections.abc import Sequence
from typing import Protocol

from service.client.table_answers import Action, Move, Table


class Bot(Protocol):
    """Chooses the actions of one seat."""

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return an action of one of *moves*, with numbers within the move's bounds and values from its choices."""
        ...
