"""After any commands, adjustments balance, no dispute is decided twice, and only erasures follow a dispute's end."""

from itertools import chain

from hypothesis import given, settings
from hypothesis.strategies import integers, lists, sampled_from, tuples

from service.disputes.dispute_commands import ApproveCorrection, DecideDispute, DisputeCommand, RefuseCorrection
from service.disputes.dispute_events import CorrectionApproved, DisputeDecided, DisputeOpened, DisputeValueErased
from service.games.game import Refusal
from tests.disputes.rules import (
    ANN,
    ANSWER,
    APPROVER,
    AUDITOR,
    BEN,
    ERASE,
    FAULT,
    HOST,
    OPEN,
    OTHER,
    REQUEST,
    RETURN,
    SERVICE,
    TAKE,
    WITHDRAW,
    Table,
    correction,
)

OWNERS = (ANN, BEN, HOST, AUDITOR, OTHER, APPROVER, SERVICE)
EXPLAINED = DecideDispute(outcome="explained", reason="See rule 3.")
FIXED = (OPEN, ANSWER, TAKE, RETURN, REQUEST, FAULT, EXPLAINED, WITHDRAW, ERASE)
PROPOSALS = (correction(), correction(7, source=ANN, target=BEN), correction(2, unit="points"))
CHOSEN: tuple[DisputeCommand | str, ...] = (*FIXED, *PROPOSALS, "approve", "refuse")
STEPS = lists(tuples(sampled_from(OWNERS), sampled_from(CHOSEN), integers(1, 2)), max_size=60)


@given(STEPS)
@settings(max_examples=150)
def test_any_commands_leave_a_sound_state(steps: list[tuple[str, DisputeCommand | str, int]]) -> None:
    table = Table()
    for owner, chosen, number in [(ANN, OPEN, 1), (AUDITOR, TAKE, 1), *steps]:
        dispute, before = table.state.disputes.get(number), table.state
        proposal = dispute.proposal.position if dispute and dispute.proposal else 1
        kinds = {"approve": ApproveCorrection(proposal=proposal), "refuse": RefuseCorrection(proposal=proposal)}
        command = kinds[chosen] if isinstance(chosen, str) else chosen
        try:
            event = table.do(owner, command, number)
        except Refusal:
            assert table.state is before
            continue
        closed_before = dispute is not None and dispute.is_closed
        assert not closed_before or isinstance(event, DisputeOpened | DisputeValueErased)
    must_be_sound(table)


def must_be_sound(table: Table) -> None:
    for unit in ("chips", "points"):
        assert sum(balance for account, balance in table.state.balances.items() if account.unit == unit) == 0
    assert sorted(table.state.disputes) == list(range(1, len(table.state.disputes) + 1))
    decided = [event.dispute for event in table.events if isinstance(event, DisputeDecided)]
    approved = [event for event in table.events if isinstance(event, CorrectionApproved)]
    assert len(set(decided)) == len(decided)
    assert len({event.dispute for event in approved}) == len(approved)
    corrected = list(chain.from_iterable([one.corrects for one in event.transfers] for event in approved))
    assert len(set(corrected)) == len(corrected)
    for dispute in table.state.disputes.values():
        assert dispute.approver not in {*dispute.owners, *({dispute.auditor} - {""})}
        assert not dispute.auditor or dispute.auditor not in dispute.owners
