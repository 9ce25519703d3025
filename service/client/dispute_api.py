"""The endpoints for disputes: a player complains, an auditor decides and proposes, a second person approves."""

from collections.abc import Mapping
from typing import Any

from service.client.client import Client
from service.client.dispute_answers import Dispute, StepTaken


class DisputeApi:
    """Calls the endpoints for disputes with the key of one *client*; *idempotency_key* is as for `Api`."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def open(self, table: str, hand: int, ground: str, statement: str, *, idempotency_key: str = "") -> int:
        """Open a dispute about a hand, and return the number of the dispute."""
        body = {"hand": hand, "ground": ground, "statement": statement}
        path = f"/v1/tables/{table}/disputes"
        return int(self.client.post(path, StepTaken, body, idempotency_key=idempotency_key).dispute["dispute"])

    def take_step(
        self, table: str, number: int, step: str, body: Mapping[str, Any] | None = None, *, idempotency_key: str = ""
    ) -> int:
        """Take a *step* of a dispute, such as "assignment" or "decision"; return the position of its last event."""
        path = f"/v1/tables/{table}/disputes/{number}/{step}"
        return self.client.post(path, StepTaken, body or {}, idempotency_key=idempotency_key).position

    def dispute(self, table: str, number: int) -> Dispute:
        """Return a dispute."""
        return self.client.get(f"/v1/tables/{table}/disputes/{number}", Dispute)
