"""The rules of disputes without a database: a table as the rules see it, and the steps of its disputes."""

from typing import Final

from msgspec.structs import replace

from service.disputes import dispute_commands, dispute_rules
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import Adjustment, DisputeDecision, Evidence, MachineVerdict, Party, Unit
from service.disputes.dispute_facts import DisputedHand, TableFacts
from service.disputes.dispute_state import NO_DISPUTES, Disputes, apply
from service.disputes.dispute_step import Asked

ANN, BEN, HOST, AUDITOR, OTHER, APPROVER = (f"own_{number:032x}" for number in range(1, 7))
SERVICE: Final = ""
AT: Final = "2026-07-14T20:15:00.000Z"
FIRST, LAST, HEAD = 5, 9, 12
EVIDENCE: Final = Evidence(first=FIRST, last=LAST, position=HEAD, leaf_hash="ab" * 32, verdict="clean")
HAND: Final = DisputedHand(
    hand=1,
    parties=(Party(seat=1, player=ANN), Party(seat=2, player=BEN)),
    ended_at=AT,
    evidence=EVIDENCE,
    is_revealed=True,
)
FACTS: Final = TableFacts(
    table=f"tbl_{1:032x}",
    position=HEAD,
    is_over=False,
    is_imported=False,
    host=HOST,
    players=frozenset({ANN, BEN}),
    dispute_days=30,
    citations=frozenset({"3", "G.3"}),
    units=frozenset({"chips", "points"}),
    now=AT,
    hand=HAND,
)
OPEN = dispute_commands.OpenDispute(hand=1, ground="rules", statement="No.")
ANSWER = dispute_commands.AnswerDispute(statement="Yes.")
TAKE, RETURN = dispute_commands.TakeDispute(), dispute_commands.ReturnDispute()
WITHDRAW = dispute_commands.WithdrawDispute()
REQUEST = dispute_commands.RequestAnswers(question="Why?")
FAULT = dispute_commands.DecideDispute(outcome="fault", rule="G.3", reason="An outage.")
ERASE = dispute_commands.EraseDisputeValue(position=1, field="statement", ground="request")


class Table:
    """A table with its disputes; each step is decided and applied as in the command handler."""

    def __init__(self, facts: TableFacts = FACTS) -> None:
        self.facts = facts
        self.state: Disputes = NO_DISPUTES
        self.position = 0
        self.sealed: set[tuple[int, str]] = set()
        self.events: list[DisputeDecision] = []

    def do(self, owner: str, command: DisputeCommand, number: int = 1) -> DisputeDecision:
        """Let *owner* give *command*; return the event of the command.

        Raises:
            Refusal: the rules do not allow the command; nothing has changed.
        """
        asked = Asked(owner=owner, number=number, facts=self.facts, sealed=self.sealed.__contains__)
        decided = dispute_rules.decide(self.state, asked, command)
        self.position += 1
        if decided.field:
            self.sealed.add((self.position, decided.field))
        self.state = apply(self.state, self.position, self.facts.now, decided.event)
        self.events.append(decided.event)
        return decided.event

    def taken(self) -> "Table":
        self.do(ANN, OPEN)
        self.do(AUDITOR, TAKE)
        return self

    def decided(self) -> "Table":
        self.taken().do(AUDITOR, FAULT)
        return self

    def proposed(self, amount: int = 5) -> "Table":
        self.decided().do(AUDITOR, correction(amount))
        return self

    def corrected(self, amount: int = 5) -> "Table":
        self.proposed(amount)
        self.do(APPROVER, dispute_commands.ApproveCorrection(proposal=self.position))
        return self

    def sees(self, **members: object) -> "Table":
        """Change the facts about the table that the rules get."""
        self.facts = replace(self.facts, **members)
        return self

    def judges(self, verdict: MachineVerdict) -> "Table":
        """Change the verdict of the service on the hand."""
        hand = replace(HAND, evidence=replace(EVIDENCE, verdict=verdict), is_revealed=verdict != "pending")
        return self.sees(hand=hand)


def correction(
    amount: int = 5,
    *,
    source: str = BEN,
    target: str = ANN,
    corrects: int = FIRST,
    rule: str = "G.3",
    unit: Unit = "chips",
) -> dispute_commands.ProposeCorrection:
    """Return the proposal that *source* gives *amount* units to *target*."""
    moved = Adjustment(source=source, target=target, amount=amount, unit=unit, corrects=corrects, rule=rule)
    return dispute_commands.ProposeCorrection(transfers=(moved,))
