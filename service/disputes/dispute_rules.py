"""Decides commands about disputes: `decide` returns the event of a command, or refuses the command (D.1 to D.9)."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from msgspec import Struct

from service.disputes import correction_rules, dispute_commands, dispute_conditions
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import (
    AnswersRequested,
    DisputeAnswered,
    DisputeDecided,
    DisputeDecision,
    DisputeOpened,
    DisputeReturned,
    DisputeTaken,
    DisputeValueErased,
    DisputeWithdrawn,
)
from service.disputes.dispute_facts import DisputedHand, TableFacts
from service.disputes.dispute_state import Dispute, Disputes
from service.disputes.dispute_step import Asked, hand_of, must, must_be_auditor, must_have, owners_of, steps_of
from service.games.game import SomeType

_MOST_PER_HAND: Final = 3
STATEMENT: Final = "statement"
QUESTION: Final = "question"
REASON: Final = "reason"


class DecidedStep(Struct, frozen=True, kw_only=True):
    """The *event* of a command, and the *text* that the event seals under *field*; *field* "": it seals no text."""

    event: DisputeDecision
    field: str = ""
    text: str = ""


def decide(state: Disputes, asked: Asked, command: DisputeCommand) -> DecidedStep:
    """Return the event of *command* and the text that it seals; *asked* names the dispute.

    Raises:
        Refusal: the rules do not allow the command; the conditions are checked in the order of `PRECEDENCE`.
    """
    must(not asked.facts.is_imported, dispute_conditions.TABLE_MUST_BE_PLAYED_HERE)
    if isinstance(command, dispute_commands.OpenDispute):
        return _open(state, asked, command)
    return _DECIDERS[type(command)](state, asked, command)


def _open(state: Disputes, asked: Asked, command: dispute_commands.OpenDispute) -> DecidedStep:
    facts, hand = asked.facts, hand_of(asked.facts)
    owners = {party.player for party in hand.parties} | {facts.host}
    must(asked.owner in owners, dispute_conditions.COMPLAINANT_MUST_BE_PARTY)
    must(_is_in_time(facts, hand), dispute_conditions.DISPUTE_MUST_BE_IN_TIME)
    own = [one for one in state.disputes.values() if (one.hand, one.opened_by) == (command.hand, asked.owner)]
    must(all(one.is_closed for one in own), dispute_conditions.EARLIER_DISPUTE_MUST_BE_CLOSED)
    must(len(own) < _MOST_PER_HAND, dispute_conditions.HAND_MUST_BE_DISPUTED_LESS_OFTEN)
    earlier = state.disputes.get(command.follows)
    is_followed = earlier is not None and (earlier.hand, earlier.status) == (command.hand, "corrected")
    must(not command.follows or is_followed, dispute_conditions.FOLLOWED_DISPUTE_MUST_BE_CORRECTED)
    event = DisputeOpened(
        dispute=len(state.disputes) + 1,
        owner=asked.owner,
        table_position=facts.position,
        table=facts.table,
        hand=command.hand,
        ground=command.ground,
        parties=hand.parties,
        host=facts.host,
        evidence=hand.evidence,
        follows=command.follows,
    )
    return DecidedStep(event=event, field=STATEMENT if command.statement else "", text=command.statement)


def _is_in_time(facts: TableFacts, hand: DisputedHand) -> bool:
    if not facts.is_over or not hand.ended_at:
        return True
    end = datetime.fromisoformat(hand.ended_at) + timedelta(days=facts.dispute_days)
    return datetime.fromisoformat(facts.now) <= end


def _answer(state: Disputes, asked: Asked, command: dispute_commands.AnswerDispute) -> DecidedStep:
    dispute = must_have(state, asked)
    must(asked.owner in dispute.owners, dispute_conditions.ANSWERER_MUST_BE_PARTY)
    _must_be_undecided(dispute)
    must(asked.owner not in dispute.answered, dispute_conditions.ANSWER_MUST_BE_ASKED_FOR)
    return DecidedStep(event=DisputeAnswered(**steps_of(asked)), field=STATEMENT, text=command.statement)


def _request_answers(state: Disputes, asked: Asked, command: dispute_commands.RequestAnswers) -> DecidedStep:
    dispute = must_be_auditor(state, asked)
    _must_be_undecided(dispute)
    owners = command.asked or dispute.owners
    must(set(owners) <= set(dispute.owners), dispute_conditions.ANSWERER_MUST_BE_PARTY)
    event = AnswersRequested(**steps_of(asked), asked=tuple(sorted(set(owners))))
    return DecidedStep(event=event, field=QUESTION, text=command.question)


def _take(state: Disputes, asked: Asked, _command: dispute_commands.TakeDispute) -> DecidedStep:
    dispute = must_have(state, asked)
    must(asked.owner not in owners_of(asked.facts, dispute), dispute_conditions.AUDITOR_MUST_NOT_PLAY)
    must(asked.owner not in {asked.facts.host, dispute.host}, dispute_conditions.AUDITOR_MUST_NOT_HOST)
    _must_await_its_auditor(dispute)
    must(not dispute.auditor, dispute_conditions.DISPUTE_MUST_BE_FREE)
    return DecidedStep(event=DisputeTaken(**steps_of(asked)))


def _return(state: Disputes, asked: Asked, _command: dispute_commands.ReturnDispute) -> DecidedStep:
    dispute = must_have(state, asked)
    must(bool(dispute.auditor), dispute_conditions.AUDITOR_MUST_HAVE_TAKEN)
    must(asked.owner in {dispute.auditor, ""}, dispute_conditions.AUDITOR_MUST_HAVE_TAKEN)
    _must_await_its_auditor(dispute)
    return DecidedStep(event=DisputeReturned(**steps_of(asked)))


def _decide(state: Disputes, asked: Asked, command: dispute_commands.DecideDispute) -> DecidedStep:
    dispute = must_be_auditor(state, asked)
    _must_be_undecided(dispute)
    hand = hand_of(asked.facts)
    must(hand.is_revealed, dispute_conditions.DECKS_MUST_BE_REVEALED)
    must(not command.rule or command.rule in asked.facts.citations, dispute_conditions.RULE_MUST_BE_THE_GAMES)
    contradicts = hand.evidence.verdict == "failed" and command.outcome in {"no_fault", "explained"}
    must(command.contradicts == contradicts, dispute_conditions.CONTRADICTION_MUST_BE_DECLARED)
    event = DisputeDecided(
        **steps_of(asked),
        outcome=command.outcome,
        rule=command.rule,
        evidence=hand.evidence,
        contradicts=contradicts,
    )
    return DecidedStep(event=event, field=REASON, text=command.reason)


def _withdraw(state: Disputes, asked: Asked, _command: dispute_commands.WithdrawDispute) -> DecidedStep:
    dispute = must_have(state, asked)
    must(asked.owner == dispute.opened_by, dispute_conditions.WITHDRAWER_MUST_HAVE_OPENED)
    _must_be_undecided(dispute)
    return DecidedStep(event=DisputeWithdrawn(**steps_of(asked)))


def _erase(state: Disputes, asked: Asked, command: dispute_commands.EraseDisputeValue) -> DecidedStep:
    must_have(state, asked)
    place = (command.position, command.field)
    must(asked.sealed(place) and place not in state.erased, dispute_conditions.DISPUTE_VALUE_MUST_BE_SEALED)
    event = DisputeValueErased(**steps_of(asked), position=command.position, field=command.field, ground=command.ground)
    return DecidedStep(event=event)


def _correction(
    rule: Callable[[Disputes, Asked, SomeType], DisputeDecision], state: Disputes, asked: Asked, command: SomeType
) -> DecidedStep:
    return DecidedStep(event=rule(state, asked, command))


def _must_await_its_auditor(dispute: Dispute) -> None:
    awaits_proposal = (dispute.status, dispute.outcome) == ("decided", "fault")
    must(dispute.status in {"open", "taken"} or awaits_proposal, dispute_conditions.DISPUTE_MUST_AWAIT_ITS_AUDITOR)


def _must_be_undecided(dispute: Dispute) -> None:
    must(dispute.status in {"open", "taken"}, dispute_conditions.DISPUTE_MUST_NOT_BE_DECIDED)


_DECIDERS: Final[Mapping[type[DisputeCommand], Callable[[Disputes, Asked, SomeType], DecidedStep]]] = {
    dispute_commands.AnswerDispute: _answer,
    dispute_commands.RequestAnswers: _request_answers,
    dispute_commands.TakeDispute: _take,
    dispute_commands.ReturnDispute: _return,
    dispute_commands.DecideDispute: _decide,
    dispute_commands.ProposeCorrection: partial(_correction, correction_rules.propose),
    dispute_commands.ApproveCorrection: partial(_correction, correction_rules.approve),
    dispute_commands.RefuseCorrection: partial(_correction, correction_rules.refuse),
    dispute_commands.WithdrawDispute: _withdraw,
    dispute_commands.EraseDisputeValue: _erase,
}
