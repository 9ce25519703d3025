"""The disputes of the demo: in the first, the auditor explains a payment; in the second, the auditor finds a fault."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from service.client.client import Client
from service.client.dispute_answers import Dispute
from service.client.dispute_api import DisputeApi
from service.client.hand_answers import HandHistory
from service.ledger import account_seat

CALLING_TIME: Final = "G.3"
_MOST: Final = 2_000  # the maximum number of characters in a text of a dispute


class DemoDispute(Struct, frozen=True, kw_only=True):
    """A *dispute* of *table*: the *statement* of the player in *seat*, and the auditor's *rule* and *reason*.

    By the correction the player in seat *debtor* owes *owed* chips to the player in *seat*; *owed* 0: no correction.
    """

    table: str
    seat: int
    statement: str
    rule: str
    reason: str
    dispute: Dispute
    owed: int = 0
    debtor: int = 0


class Disputants(Struct, frozen=True):
    """The clients of the *players*, from seat 1 on, of an *auditor*, and of the *approver* of corrections."""

    players: Sequence[Client]
    auditor: Client
    approver: Client


def lost_by_calling(hands: Iterable[HandHistory]) -> tuple[HandHistory, int] | None:
    """Return the first hand in which the host called time for a seat that lost chips, and this seat, or None."""
    for hand in hands:
        for decision in hand.decisions:
            seat = int(decision.made.get("seat", 0))
            if decision.made.get("called") == "host" and _nets(hand).get(seat, 0) < 0:
                return hand, seat
    return None


def explained(people: Disputants, hand: HandHistory) -> DemoDispute:
    """Let the player who lost most in *hand* complain, and the auditor explain the largest payment by its ruling."""
    nets = _nets(hand)
    seat = min(nets, key=lambda one: nets[one])
    largest = max((paid.payout for paid in hand.payouts), key=lambda payout: payout.amount)
    statement = "I do not see why I lost these chips."
    reason = f"The largest payment went from {largest.source} to {largest.target}: {largest.formula}."[:_MOST]
    number = _opened(people, hand, seat, "payout", statement)
    decision = {"outcome": "explained", "rule": largest.ruling, "reason": reason}
    DisputeApi(people.auditor).take_step(hand.table, number, "decision", decision)
    return DemoDispute(
        table=hand.table,
        seat=seat,
        statement=statement,
        rule=largest.ruling,
        reason=reason,
        dispute=DisputeApi(people.auditor).dispute(hand.table, number),
    )


def upheld(people: Disputants, hand: HandHistory, seat: int) -> DemoDispute:
    """Let the player in *seat* complain of a call of time, the auditor propose a correction, and the approver agree."""
    nets = _nets(hand)
    debtor = max(nets, key=lambda one: nets[one])
    owed = min(-nets[seat], nets[debtor])
    statement = "My connection was down when the host called time."
    reason = "The host called time during an outage. The chips of this hand go back."
    number = _opened(people, hand, seat, "time", statement)
    auditor, approver = DisputeApi(people.auditor), DisputeApi(people.approver)
    decision = {"outcome": "fault", "rule": CALLING_TIME, "reason": reason}
    auditor.take_step(hand.table, number, "decision", decision)
    dispute = auditor.dispute(hand.table, number)
    owners = {party.seat: party.player for party in dispute.parties}
    calls = (one for one in hand.decisions if one.made.get("called") == "host" and one.made.get("seat") == seat)
    called = next(calls).position
    adjustment = {
        "source": owners[debtor],
        "target": owners[seat],
        "amount": owed,
        "unit": "chips",
        "corrects": called,
        "rule": CALLING_TIME,
    }
    proposal = auditor.take_step(hand.table, number, "correction", {"transfers": [adjustment]})
    approver.take_step(hand.table, number, "approval", {"proposal": proposal})
    return DemoDispute(
        table=hand.table,
        seat=seat,
        statement=statement,
        rule=CALLING_TIME,
        reason=reason,
        dispute=auditor.dispute(hand.table, number),
        owed=owed,
        debtor=debtor,
    )


def _opened(people: Disputants, hand: HandHistory, seat: int, ground: str, statement: str) -> int:
    """Let the player in *seat* dispute *hand*, and the auditor take on the dispute; return the dispute's number."""
    number = DisputeApi(people.players[seat - 1]).open(hand.table, hand.hand, ground, statement)
    DisputeApi(people.auditor).take_step(hand.table, number, "assignment")
    return number


def _nets(hand: HandHistory) -> dict[int, int]:
    """Return how many chips each seat won in *hand*; a negative number: the seat lost chips."""
    nets: dict[int, int] = {}
    for account in hand.accounts:
        if seat := account_seat(account.account):
            nets[seat] = nets.get(seat, 0) + account.net
    return nets
