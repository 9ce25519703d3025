"""Viewpoints that see everything or nothing; a `Known` with what the current command seals (DECISIONS 47)."""

from collections.abc import Mapping, Sequence

import msgspec

from service.cards import UNKNOWN, Face
from service.games.game import Known, Secret
from service.games.table_state import TableState


class FullViewpoint:
    """A `Viewpoint` that sees every face of the deck in play and every sealed value."""

    def __init__(self, state: TableState, known: Known) -> None:
        self._state = state
        self._known = known

    def face(self, position: int) -> Face:
        """Return the face at *position* of the deck in play."""
        return self._known.faces(self._state.epoch, (position,))[0].face

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        """Return the faces at *positions* of the deck in play."""
        return tuple([card.face for card in self._known.faces(self._state.epoch, positions)])

    def sealed(self, seat: int, field: str) -> object:
        """Return the last value that *seat* sealed under *field*, as JSON."""
        return self._known.sealed(seat, field)


class SealingKnown:
    """A `Known` in which *seat* has also sealed *secrets*: the values that the current command seals, by field."""

    def __init__(self, known: Known, seat: int, secrets: Mapping[str, Secret]) -> None:
        self._known = known
        self._seat = seat
        self._secrets = secrets
        self.server_commit = known.server_commit
        self.order_commitment = known.order_commitment
        self.faces = known.faces
        self.server_seed = known.server_seed

    def sealed(self, seat: int, field: str) -> object:
        """Return the last value that *seat* sealed under *field*, in the current command or before, as JSON."""
        if seat == self._seat and field in self._secrets:
            return msgspec.to_builtins(self._secrets[field].value)
        return self._known.sealed(seat, field)


class EmptyViewpoint:
    """A `Viewpoint` that sees no card and no sealed value, for actions that depend on no card and no sealed value."""

    def face(self, _position: int) -> Face:
        """Return the placeholder `??` for every card."""
        return UNKNOWN

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        """Return the placeholder `??` for every card."""
        return (UNKNOWN,) * len(positions)

    def sealed(self, _seat: int, _field: str) -> None:
        """Return None: the viewer may not read the value."""
