"""A played table with disputes, for every test that needs one: its disputes are given command by command."""

from collections.abc import Sequence

from msgspec.structs import replace

from service.disputes import dispute_commands
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import Adjustment
from service.event_store.entries import disputes_stream
from service.games.game import PLAYER
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeOrder, DisputeResult
from tests.http.service import Person, Service, Table

COMPLAINT, ANSWER, QUESTION, REASON = "I won that.", "Look at rule 5.", "Which card was it?", "An outage."


class Desk:
    """Gives commands about the disputes of a table; each with a new idempotency key."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.service: Service = table.service
        self.stream = bytes.fromhex(table.id.removeprefix("tbl_"))
        self.disputes = disputes_stream(self.stream)

    def order(self, person: Person, role: str, command: DisputeCommand, number: int = 0, key: str = "") -> DisputeOrder:
        key = key or f"key-{next(self.service.numbers)}"
        return DisputeOrder(
            table_stream=self.stream, owner=person.owner, role=role, key=key, command=command, number=number
        )

    def do(self, person: Person, role: str, command: DisputeCommand, number: int = 0, key: str = "") -> DisputeResult:
        return self.service.parts.desk.do(self.order(person, role, command, number, key))

    def opened(self, seat: int = 1, hand: int = 1, statement: str = COMPLAINT) -> DisputeResult:
        command = dispute_commands.OpenDispute(hand=hand, ground="payout", statement=statement)
        return self.do(self.table.players[seat], PLAYER, command)

    def transfer(self, first: int, amount: int = 5) -> Adjustment:
        """Return an adjustment from seat 2 to seat 1 that corrects the event at *first*."""
        source, target = (self.table.players[seat].owner for seat in (2, 1))
        return Adjustment(source=source, target=target, amount=amount, unit="chips", corrects=first, rule="G.3")


class Case:
    """Two disputes of one table: the first is answered, decided and corrected, the second stays open."""

    def __init__(self, table: Table) -> None:
        self.desk = Desk(table)
        self.auditor = table.service.person("audit")
        self.approver = table.service.person("play")
        self.corrected()
        self.desk.opened(seat=2, hand=2, statement="")

    def corrected(self) -> None:
        desk, do = self.desk, self.desk.do
        opened = desk.opened()
        number = opened.dispute.number
        do(desk.table.host, PLAYER, dispute_commands.AnswerDispute(statement=ANSWER), number)
        do(self.auditor, AUDITOR, dispute_commands.TakeDispute(), number)
        do(self.auditor, AUDITOR, dispute_commands.RequestAnswers(question=QUESTION), number)
        decision = dispute_commands.DecideDispute(outcome="fault", rule="G.3", reason=REASON)
        do(self.auditor, AUDITOR, decision, number)
        moved = desk.transfer(opened.dispute.evidence.first)
        self.proposed((moved, replace(moved, amount=1)), number, refused=True)
        self.proposed((moved,), number, refused=False)

    def proposed(self, transfers: Sequence[Adjustment], number: int, *, refused: bool) -> None:
        do = self.desk.do
        proposal = do(
            self.auditor, AUDITOR, dispute_commands.ProposeCorrection(transfers=tuple(transfers)), number
        ).recorded[0]
        kind = dispute_commands.RefuseCorrection if refused else dispute_commands.ApproveCorrection
        do(self.approver, APPROVER, kind(proposal=proposal.position), number)
