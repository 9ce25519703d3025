"""Sealed values and their readers: log/v1's rules of disclosure, implemented a second time for tests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.cards import UNKNOWN, Face
from service.games.definition import Game
from service.games.game import Event, Secret
from service.games.table_state import TableState


class Envelope(Struct, frozen=True):
    """A *secret*, and its readers so far.

    *is_open*: everybody may read the value. *is_lost*: the value is closed for good.
    """

    secret: Secret
    readers: frozenset[int]
    is_open: bool = False
    is_lost: bool = False

    def after(self, event: Event) -> "Envelope":
        kind = type(event)
        if self.is_open or self.is_lost:
            return self
        readers = self.readers.union(self.secret.shown.get(kind, ()))
        return replace(self, readers=readers, is_open=kind in self.secret.open, is_lost=kind in self.secret.never)

    def is_read_by(self, seat: int) -> bool:
        """Return whether *seat* (0: everybody) may read the value now."""
        return self.is_open or (seat != 0 and seat in self.readers)


Envelopes: TypeAlias = Mapping[tuple[int, str], Envelope]
"""The last value that each seat sealed under each field."""


def sealed(envelopes: Envelopes, decision: Event, secrets: Mapping[str, Secret]) -> Envelopes:
    """Return *envelopes* with the values that *decision* seals, decoded from JSON."""
    seat = getattr(decision, "seat", 0)
    return {**envelopes, **{(seat, field): _envelope(secret) for field, secret in secrets.items()}}


def _envelope(secret: Secret) -> Envelope:
    value = msgspec.json.decode(msgspec.json.encode(secret.value))
    return Envelope(replace(secret, value=value), frozenset(secret.to))


def after(envelopes: Envelopes, events: Iterable[Event]) -> Envelopes:
    """Return *envelopes* after *events*, which may disclose the sealed values."""
    changed = dict(envelopes)
    for event in events:
        changed = {place: envelope.after(event) for place, envelope in changed.items()}
    return changed


class SeatViewpoint:
    """The viewpoint of *seat* (0: everybody) at a table whose deck in play has this *order*."""

    def __init__(self, game: Game, state: TableState, order: tuple[Face, ...], envelopes: Envelopes, seat: int) -> None:
        self._order, self._envelopes, self._seat = order, envelopes, seat
        self._allowed = game.visible(state, seat, True)

    def face(self, position: int) -> Face:
        return self._order[position] if position in self._allowed else UNKNOWN

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        return tuple(map(self.face, positions))

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        envelope = self._envelopes.get((seat, field))
        return envelope.secret.value if envelope and envelope.is_read_by(self._seat) else None


class PastViewpoint(SeatViewpoint):
    """The viewpoint of *seat* on a past state of a table."""

    def __init__(self, game: Game, state: TableState, order: tuple[Face, ...], envelopes: Envelopes, seat: int) -> None:
        super().__init__(game, state, order, envelopes, seat)
        self._allowed = game.visible(state, seat, False)
