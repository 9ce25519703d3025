"""Commands about the disputes of a table, and a dispute that runs from the complaint to a correction."""

from service.disputes import dispute_commands
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import Adjustment, Unit
from service.games.game import PLAYER
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeOrder, DisputeResult
from tests.http.service import Person, Table

STATEMENT = "I had won that hand."
QUESTION = "When did you see the table last?"
REASON = "The host called time during an outage."


class Desk:
    """Gives commands about the disputes of a table; each has a new idempotency key unless *key* is given."""

    def __init__(self, table: Table, unit: Unit = "chips") -> None:
        self.table = table
        self.unit = unit
        self.service = table.service
        self.stream = bytes.fromhex(table.id.removeprefix("tbl_"))
        self.auditor = self.service.person("audit")
        self.approver = self.service.person("audit")

    def do(
        self, person: Person, role: str, command: DisputeCommand, number: int = 0, *, key: str = ""
    ) -> DisputeResult:
        """Give *command*, and return its result."""
        key = key or f"key-{next(self.service.numbers)}"
        order = DisputeOrder(
            table_stream=self.stream, owner=person.owner, role=role, key=key, command=command, number=number
        )
        return self.service.parts.desk.do(order)

    def opened(self, hand: int = 1) -> DisputeResult:
        """Let the player in seat 1 dispute a hand."""
        command = dispute_commands.OpenDispute(hand=hand, ground="payout", statement=STATEMENT)
        return self.do(self.table.players[1], PLAYER, command)

    def proposed(self, hand: int = 1) -> DisputeResult:
        """Open a dispute, take it, ask about it, answer it, decide it with `fault`, and propose a correction."""
        opened = self.opened(hand)
        number = opened.dispute.number
        self.do(self.auditor, AUDITOR, dispute_commands.TakeDispute(), number)
        self.do(self.auditor, AUDITOR, dispute_commands.RequestAnswers(question=QUESTION), number)
        self.do(self.table.host, PLAYER, dispute_commands.AnswerDispute(statement="I called time."), number)
        decision = dispute_commands.DecideDispute(outcome="fault", rule="G.3", reason=REASON)
        self.do(self.auditor, AUDITOR, decision, number)
        return self.do(self.auditor, AUDITOR, self.correction(opened), number)

    def correction(self, opened: DisputeResult, amount: int = 5) -> dispute_commands.ProposeCorrection:
        """Return the proposal that seat 2 gives *amount* units to seat 1; it corrects the first event of the hand."""
        moved = Adjustment(
            source=self.table.players[2].owner,
            target=self.table.players[1].owner,
            amount=amount,
            unit=self.unit,
            corrects=opened.dispute.evidence.first,
            rule="G.3",
        )
        return dispute_commands.ProposeCorrection(transfers=(moved,))

    def corrected(self, hand: int = 1) -> DisputeResult:
        """Let a dispute run from the complaint to a correction."""
        proposed = self.proposed(hand)
        command = dispute_commands.ApproveCorrection(proposal=proposed.recorded[0].position)
        return self.do(self.approver, APPROVER, command, proposed.dispute.number)
