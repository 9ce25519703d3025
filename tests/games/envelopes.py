"""What was sealed at a table, and what somebody sees of it: the rules of log/v1, written down once more for tests."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.cards import UNKNOWN, Face
from service.games.game import Event, Game, Secret
from service.games.table_state import TableState


class Envelope(Struct, frozen=True):
    """A *secret*, the seats that were let read it since it was sealed; whether all may, or nobody else ever will."""

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
        """Tell whether *seat* (0: everybody) may read it by now."""
        return self.is_open or (seat != 0 and seat in self.readers)


Envelopes: TypeAlias = Mapping[tuple[int, str], Envelope]
"""What was sealed last, by seat and field."""


def sealed(envelopes: Envelopes, decision: Event, secrets: Mapping[str, Secret]) -> Envelopes:
    """Put in envelopes what *decision* seals, as it comes back from JSON."""
    seat = getattr(decision, "seat", 0)
    return {**envelopes, **{(seat, field): _envelope(secret) for field, secret in secrets.items()}}


def _envelope(secret: Secret) -> Envelope:
    value = msgspec.json.decode(msgspec.json.encode(secret.value))
    return Envelope(replace(secret, value=value), frozenset(secret.to))


def after(envelopes: Envelopes, events: Iterable[Event]) -> Envelopes:
    """Let *events* happen, after which more may be read."""
    found = dict(envelopes)
    for event in events:
        found = {of: envelope.after(event) for of, envelope in found.items()}
    return found


class Eyes:
    """What *seat* (0: everybody) sees of a table of a game whose deck in play lies in this *order*."""

    def __init__(self, game: Game, state: TableState, order: tuple[Face, ...], envelopes: Envelopes, seat: int) -> None:
        self._order, self._envelopes, self._seat = order, envelopes, seat
        self._allowed = game.visible(state, seat, True)

    def face(self, position: int) -> Face:
        return self._order[position] if position in self._allowed else UNKNOWN

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        envelope = self._envelopes.get((seat, field))
        return envelope.secret.value if envelope and envelope.is_read_by(self._seat) else None


class EyesOnThePast(Eyes):
    """What *seat* is shown of a table as it stood."""

    def __init__(self, game: Game, state: TableState, order: tuple[Face, ...], envelopes: Envelopes, seat: int) -> None:
        super().__init__(game, state, order, envelopes, seat)
        self._allowed = game.visible(state, seat, False)
