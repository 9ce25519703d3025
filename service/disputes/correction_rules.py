"""The rules of corrections: the auditor proposes amounts, and a second person approves or refuses them (D.6, D.7)."""

from service.disputes import dispute_commands, dispute_conditions
from service.disputes.dispute_events import (
    MOST_UNITS,
    Adjustment,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
)
from service.disputes.dispute_facts import TableFacts
from service.disputes.dispute_state import Dispute, Disputes, Proposal, balances_after
from service.disputes.dispute_step import Asked, hand_of, must, must_be_auditor, must_have, owners_of, steps_of
from service.games.game import Refusal


def propose(state: Disputes, asked: Asked, command: dispute_commands.ProposeCorrection) -> CorrectionProposed:
    """Propose a correction."""
    dispute = must_be_auditor(state, asked)
    must(dispute.outcome == "fault" and dispute.status != "corrected", dispute_conditions.FAULT_MUST_BE_FOUND)
    must(dispute.proposal is None, dispute_conditions.PROPOSAL_MUST_BE_DECIDED)
    players = {party.player for party in dispute.parties}
    between = all(one.source != one.target and {one.source, one.target} <= players for one in command.transfers)
    must(between, dispute_conditions.ADJUSTMENT_MUST_BE_BETWEEN_PLAYERS)
    in_unit = all(one.unit in asked.facts.units for one in command.transfers)
    must(in_unit, dispute_conditions.ADJUSTMENT_MUST_BE_IN_THE_TABLES_UNIT)
    _must_correct_the_hand(asked.facts, command.transfers)
    known = {"", *asked.facts.citations}
    must(all(one.rule in known for one in command.transfers), dispute_conditions.RULE_MUST_BE_THE_GAMES)
    _must_be_bookable(state, dispute, command.transfers)
    return CorrectionProposed(**steps_of(asked), transfers=command.transfers)


def approve(state: Disputes, asked: Asked, command: dispute_commands.ApproveCorrection) -> CorrectionApproved:
    """Approve the present proposal: its transfers take place."""
    dispute, proposal = _proposal(state, asked, command.proposal)
    _must_be_bookable(state, dispute, proposal.transfers)
    return CorrectionApproved(**steps_of(asked), proposal=proposal.position, transfers=proposal.transfers)


def refuse(state: Disputes, asked: Asked, command: dispute_commands.RefuseCorrection) -> CorrectionRefused:
    """Refuse the present proposal: the auditor may propose another correction."""
    _, proposal = _proposal(state, asked, command.proposal)
    return CorrectionRefused(**steps_of(asked), proposal=proposal.position)


def _proposal(state: Disputes, asked: Asked, position: int) -> tuple[Dispute, Proposal]:
    dispute = must_have(state, asked)
    proposal = dispute.proposal
    if dispute.status != "proposed" or proposal is None or proposal.position != position:
        raise Refusal(dispute_conditions.CORRECTION_MUST_BE_PROPOSED)
    must(asked.owner not in {proposal.by, dispute.auditor}, dispute_conditions.APPROVER_MUST_BE_ANOTHER)
    barred = owners_of(asked.facts, dispute) | {asked.facts.host, dispute.host}
    must(asked.owner not in barred, dispute_conditions.APPROVER_MUST_NOT_BE_PARTY)
    return dispute, proposal


def _must_correct_the_hand(facts: TableFacts, transfers: tuple[Adjustment, ...]) -> None:
    evidence = hand_of(facts).evidence
    last = evidence.last or evidence.position
    within = all(evidence.first <= one.corrects <= last for one in transfers)
    must(within, dispute_conditions.ADJUSTMENT_MUST_CORRECT_THE_HAND)


def _must_be_bookable(state: Disputes, dispute: Dispute, transfers: tuple[Adjustment, ...]) -> None:
    """Check that no earlier dispute has corrected an event that one of *transfers* names in `corrects` (D.6).

    The only exception is the dispute `dispute.follows`. Also check that the transfers leave every balance between
    -MOST_UNITS and MOST_UNITS.

    Raises:
        Refusal: another earlier dispute has corrected such an event, or a balance would be outside this range.
    """
    earlier = {number for one in transfers if (number := state.corrected.get(one.corrects))}
    must(earlier <= {dispute.follows}, dispute_conditions.EARLIER_CORRECTION_MUST_BE_NAMED)
    balances = balances_after(state, transfers).values()
    must(all(abs(balance) <= MOST_UNITS for balance in balances), dispute_conditions.ADJUSTMENTS_MUST_STAY_COUNTABLE)
