"""The endpoints for disputes: a player complains, an auditor decides and proposes, a second person approves."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from service.bots.client import Client


class DisputedEvidence(Struct, frozen=True):
    """The positions of the disputed hand's events: *first* to *last* (0: the hand is not settled)."""

    first: int
    last: int


class DisputeParty(Struct, frozen=True):
    """An owner who had a *seat* during the hand."""

    seat: int
    player: str


class Dispute(Struct, frozen=True):
    """A dispute; *verdict_now* is the verdict of the service, which has decided the hand again for this response."""

    dispute: int
    hand: int
    status: str
    outcome: str
    verdict_now: str
    evidence: DisputedEvidence
    parties: tuple[DisputeParty, ...]


class StepTaken(Struct, frozen=True):
    """A recorded step: the *position* of its last event, and the dispute's number."""

    position: int
    dispute: Mapping[str, Any]


class DisputeApi:
    """Calls the endpoints for disputes with the key of one *client*."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def open(self, table: str, hand: int, ground: str, statement: str) -> int:
        """Dispute a hand, and return the number of the dispute."""
        body = {"hand": hand, "ground": ground, "statement": statement}
        return int(self.client.post(f"/v1/tables/{table}/disputes", StepTaken, body).dispute["dispute"])

    def take_step(self, table: str, number: int, step: str, body: Mapping[str, Any] | None = None) -> int:
        """Take a *step* of a dispute, such as "assignment" or "decision"; return the position of its last event."""
        return self.client.post(f"/v1/tables/{table}/disputes/{number}/{step}", StepTaken, body or {}).position

    def dispute(self, table: str, number: int) -> Dispute:
        """Return a dispute."""
        return self.client.get(f"/v1/tables/{table}/disputes/{number}", Dispute)
