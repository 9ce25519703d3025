"""The API's answers about disputes; members that no client of this repository needs are left out."""

# DECISIONS 118

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from service.client.hand_answers import Leaf
from service.client.table_answers import SeatAt


class DisputedEvidence(Struct, frozen=True):
    """The positions of the disputed hand's first and last event when the dispute was opened.

    *last* is 0 if the hand was not settled then.
    """

    first: int
    last: int


class Adjustment(Struct, frozen=True):
    """An amount that a correction moves between two owners."""

    source: str
    target: str
    amount: int
    unit: str


class Text(Struct, frozen=True):
    """A sealed text in a dispute; the caller may read this text."""

    field: str
    value: str


class DisputeStep(Struct, frozen=True):
    """An event of a dispute."""

    leaf: Leaf
    fields: tuple[Text, ...]


class Dispute(Struct, frozen=True, kw_only=True):
    """A dispute with its steps; *opened_by* is the owner who opened it, *host* the table's host.

    *verdict_now* is the verdict of the service, which has decided the hand again for this response. *parties* are the
    owners who had a seat during the hand.
    """

    dispute: int
    hand: int
    status: str
    outcome: str
    verdict_now: str
    evidence: DisputedEvidence
    ground: str
    rule: str
    opened_by: str
    host: str
    parties: tuple[SeatAt, ...]
    steps: tuple[DisputeStep, ...]
    transfers: tuple[Adjustment, ...]


class StepTaken(Struct, frozen=True):
    """A recorded step of a dispute: the *position* of the step's last event, and the *dispute* after the step."""

    position: int
    dispute: Mapping[str, Any]
