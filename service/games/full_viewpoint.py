"""Everything there is to know of a table, in the form in which a caller sees a part of it."""

from collections.abc import Mapping
from typing import Any

from service.cards import UNKNOWN, Face
from service.deck import Deck
from service.games.game import Known
from service.games.table_state import TableState


class FullViewpoint:
    """All faces and sealed values of a table, as `Viewpoint`; *now* are values that the command itself seals."""

    def __init__(self, state: TableState, known: Known, now: Mapping[tuple[int, str], Any] | None = None) -> None:
        self._epoch = state.epoch
        self._known = known
        self._now = now or {}
        self._deck: Deck | None = None

    @property
    def deck(self) -> Deck:
        """The deck in play."""
        # No cached_property: on Python 3.11 all tables would wait for one of them to read its deck.
        if self._deck is None:
            self._deck = self._known.deck(self._epoch)
        return self._deck

    def face(self, position: int) -> Face:
        """Return the face at a *position* of the deck in play."""
        return self.deck.order[position]

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*, in this command even."""
        return self._now[seat, field] if (seat, field) in self._now else self._known.sealed(seat, field)


class EmptyViewpoint:
    """`Viewpoint` of a viewer who sees no card and no sealed value: enough for actions that depend on neither."""

    def face(self, _position: int) -> Face:
        """Return the face that stands for every card."""
        return UNKNOWN

    def sealed(self, _seat: int, _field: str) -> None:
        """Read nothing."""
