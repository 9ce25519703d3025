"""What is known of a table: the decks in an order that a test chooses, and all that was sealed at it."""

from collections.abc import Mapping
from typing import Any

from service.games.game import Event, Secret
from tests.games.envelopes import Envelope, Envelopes, sealed
from tests.games.stacked import StackedDecks


class Letter:
    """What a *decision* of *seat* sealed under *field*, in its *envelope*."""

    def __init__(self, decision: Event, seat: int, field: str, envelope: Envelope) -> None:
        self.decision, self.seat, self.field, self.envelope = decision, seat, field, envelope

    @property
    def secret(self) -> Secret:
        return self.envelope.secret

    @property
    def readers(self) -> list[int]:
        """Who (0: everybody) may read it by now."""
        return [caller for caller in range(5) if self.envelope.is_read_by(caller)]


class SealingDecks(StackedDecks):
    """Stacked decks, and what every seat has sealed so far."""

    def __init__(self) -> None:
        super().__init__()
        self.letters: list[Letter] = []

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        return self.last(seat, field).secret.value

    def seal(self, decision: Event, secrets: Mapping[str, Secret]) -> None:
        """Keep what *decision* sealed."""
        found = sealed({}, decision, secrets)
        self.letters += [Letter(decision, seat, field, envelope) for (seat, field), envelope in found.items()]

    def of(self, decision: Event, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *decision* sealed under *field*; None: nothing."""
        return next((one.secret.value for one in self.letters if one.decision is decision and one.field == field), None)

    def last(self, seat: int, field: str) -> Letter:
        """Return what *seat* sealed last under *field*."""
        found = [one for one in self.letters if (one.seat, one.field) == (seat, field)]
        assert found, f"seat {seat} has sealed no {field}"
        return found[-1]

    def lie(self) -> Envelopes:
        """Return what was sealed last, by seat and field."""
        return {(one.seat, one.field): one.envelope for one in self.letters}

    def follow(self, event: Event) -> None:
        super().follow(event)
        for one in self.letters:
            one.envelope = one.envelope.after(event)
