"""The hidden inputs of a table of Insurance Hearts: stacked decks, and the sealed fields."""

from collections.abc import Mapping
from typing import Any

from service.games.game import Event, Secret
from tests.games.envelopes import Envelope, Envelopes, sealed
from tests.games.stacked import StackedDecks


class SealedField:
    """The value that a *decision* of *seat* sealed under *field*, in its *envelope*."""

    def __init__(self, decision: Event, seat: int, field: str, envelope: Envelope) -> None:
        self.decision, self.seat, self.field, self.envelope = decision, seat, field, envelope

    @property
    def secret(self) -> Secret:
        return self.envelope.secret

    @property
    def readers(self) -> list[int]:
        """The seats (0: everybody) that may read the value now."""
        return [caller for caller in range(5) if self.envelope.is_read_by(caller)]


class SealingDecks(StackedDecks):
    """Stacked decks, and the values that each seat has sealed."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: list[SealedField] = []

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self.last(seat, field).secret.value

    def seal(self, decision: Event, secrets: Mapping[str, Secret]) -> None:
        """Add the values that *decision* seals."""
        envelopes = sealed({}, decision, secrets)
        self.fields += [SealedField(decision, seat, field, envelope) for (seat, field), envelope in envelopes.items()]

    def of(self, decision: Event, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that *decision* sealed under *field*; None: the decision sealed no value."""
        return next((one.secret.value for one in self.fields if one.decision is decision and one.field == field), None)

    def last(self, seat: int, field: str) -> SealedField:
        """Return the last value that *seat* sealed under *field*."""
        found = [one for one in self.fields if (one.seat, one.field) == (seat, field)]
        assert found, f"seat {seat} has sealed no {field}"
        return found[-1]

    def envelopes(self) -> Envelopes:
        """Return, by seat and field, the last value that the seat sealed, with the readers of this value."""
        return {(one.seat, one.field): one.envelope for one in self.fields}

    def follow(self, event: Event) -> None:
        super().follow(event)
        for one in self.fields:
            one.envelope = one.envelope.after(event)
