"""Two viewpoints: the viewpoint of the rules, which sees everything, and one that sees nothing (DECISIONS 47)."""

from collections.abc import Mapping, Sequence
from typing import Any

from service.cards import UNKNOWN, Face
from service.games.game import Known, SaltedFace
from service.games.table_state import TableState


class FullViewpoint:
    """A `Viewpoint` that sees every face of the deck in play and every sealed value.

    *sealing* has the values that the current command seals, by seat and field; *known* does not have these values yet.
    """

    def __init__(self, state: TableState, known: Known, sealing: Mapping[tuple[int, str], Any] | None = None) -> None:
        self._epoch = state.epoch
        self._known = known
        self._sealing = sealing or {}

    def cards(self, positions: Sequence[int]) -> tuple[SaltedFace, ...]:
        """Return the cards at *positions* of the deck in play."""
        return self._known.faces(self._epoch, positions)

    def face(self, position: int) -> Face:
        """Return the face at *position* of the deck in play."""
        return self.cards((position,))[0].face

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return the last value that *seat* sealed under *field*, in the current command or before."""
        place = (seat, field)
        return self._sealing[place] if place in self._sealing else self._known.sealed(seat, field)


class EmptyViewpoint:
    """A `Viewpoint` that sees no card and no sealed value, for actions that depend on no card and no sealed value."""

    def face(self, _position: int) -> Face:
        """Return the placeholder `??` for every card."""
        return UNKNOWN

    def sealed(self, _seat: int, _field: str) -> None:
        """Return None: the viewer may not read the value."""
