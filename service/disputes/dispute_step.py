"""What the rules get with each command about a dispute, and the conditions that several commands share."""

from collections.abc import Callable
from typing import TypedDict

from msgspec import Struct

from service.disputes import dispute_conditions
from service.disputes.dispute_facts import DisputedHand, TableFacts
from service.disputes.dispute_state import Dispute, Disputes
from service.games.common_refusals import Condition
from service.games.game import Refusal


def _nothing_sealed(_place: tuple[int, str]) -> bool:
    return False


class Asked(Struct, frozen=True, kw_only=True):
    """A command by *owner* ("": the service) about dispute *number* (0: a new dispute), and the *facts* of the table.

    *sealed* returns whether an event of the stream sealed a value at a place: a position and a field.
    """

    owner: str
    number: int
    facts: TableFacts
    sealed: Callable[[tuple[int, str]], bool] = _nothing_sealed


class StepMembers(TypedDict):
    """The members that every step has."""

    dispute: int
    owner: str
    table_position: int


def steps_of(asked: Asked) -> StepMembers:
    """Return the members that every step has, for the command *asked*."""
    return {"dispute": asked.number, "owner": asked.owner, "table_position": asked.facts.position}


def must(holds: bool, condition: Condition) -> None:  # noqa: FBT001 -- the call reads as a sentence
    """Refuse the command, with *condition* as the reason, unless *holds* is true.

    Raises:
        Refusal: *holds* is false.
    """
    if not holds:
        raise Refusal(condition)


def must_have(state: Disputes, asked: Asked) -> Dispute:
    """Return the dispute that *asked* is about.

    Raises:
        Refusal: the table has no such dispute.
    """
    dispute = state.disputes.get(asked.number)
    if dispute is None:
        raise Refusal(dispute_conditions.DISPUTE_MUST_EXIST)
    return dispute


def hand_of(facts: TableFacts) -> DisputedHand:
    """Return the hand of *facts*.

    Raises:
        Refusal: the table has no such hand.
    """
    if facts.hand is None:
        raise Refusal(dispute_conditions.DISPUTED_HAND_MUST_EXIST)
    return facts.hand


def owners_of(facts: TableFacts, dispute: Dispute) -> frozenset[str]:
    """Return the owners who have a seat at the table now, or had one during the disputed hand."""
    return frozenset(facts.players) | {party.player for party in dispute.parties}


def must_be_auditor(state: Disputes, asked: Asked) -> Dispute:
    """Return the dispute of *asked*, if the owner of *asked* may act as its auditor.

    The owner must have taken the dispute on, and must be no player of the table or of the disputed hand, and no host.

    Raises:
        Refusal: the table has no such dispute, or the owner may not act as its auditor.
    """
    dispute = must_have(state, asked)
    must(asked.owner == dispute.auditor, dispute_conditions.AUDITOR_MUST_HAVE_TAKEN)
    must(asked.owner not in owners_of(asked.facts, dispute), dispute_conditions.AUDITOR_MUST_NOT_PLAY)
    must(asked.owner not in {asked.facts.host, dispute.host}, dispute_conditions.AUDITOR_MUST_NOT_HOST)
    return dispute
