"""One table with four disputes, which have every kind of step; the tests of storage and audit share this table."""

from random import Random
from typing import NamedTuple

from service.audit.database_report import Report
from service.audit.log_audit import verify
from service.database.engines import reading
from service.disputes import dispute_commands, stored_disputes
from service.disputes.stored_disputes import StoredDisputes
from service.event_store.codec import Codec
from service.event_store.entries import disputes_stream, place_name
from service.games import EVENTS
from service.games.game import PLAYER, SERVICE
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeOrder, DisputeResult
from tests.cli.commands import Instance
from tests.disputes.complaints import Desk
from tests.dossier.made import play
from tests.http.service import Service, Table

CODEC = Codec(EVENTS)


class Known(NamedTuple):
    """The id of the table, and the ids of the owners: the players by seat, the host, the auditor and the approver."""

    table: str
    players: dict[int, str]
    host: str
    auditor: str
    approver: str


class Copy(NamedTuple):
    """An instance with the table, and a service that runs on it."""

    instance: Instance
    service: Service
    known: Known

    @property
    def stream(self) -> bytes:
        return bytes.fromhex(self.known.table.removeprefix("tbl_"))

    @property
    def disputes(self) -> bytes:
        """The id of the stream of disputes."""
        return disputes_stream(self.stream)

    @property
    def place(self) -> str:
        return place_name(self.disputes)

    def stored(self) -> StoredDisputes:
        with reading(self.service.parts.engine) as connection:
            return stored_disputes.read_disputes(connection, self.service.parts.desk.log, self.stream)

    def position(self, kind: str) -> int:
        """Return the position of the first event of the type *kind*."""
        return next(one.position for one in self.stored().recorded if one.type == kind)

    def verified(self, stream_id: bytes | None = None) -> Report:
        return verify(self.service.parts.engine, self.service.parts.log, CODEC, stream_id=stream_id)

    def found(self) -> list[tuple[str, str, int]]:
        """Return the check, the place and the position of each finding of the audit."""
        return [(one.check, one.table, one.position) for one in self.verified().findings]

    def do(
        self, owner: str, role: str, command: dispute_commands.DisputeCommand, number: int = 0, key: str = ""
    ) -> DisputeResult:
        key = key or f"later-{next(self.service.numbers)}"
        order = DisputeOrder(table_stream=self.stream, owner=owner, role=role, key=key, command=command, number=number)
        return self.service.parts.desk.do(order)


def disputed(service: Service) -> Known:
    """Play a table, and dispute its hands.

    Dispute 1 was opened while its hand ran, and is answered. Dispute 2 is corrected. Dispute 3 has a second proposal,
    after the first was refused. Dispute 4 was taken, returned and withdrawn; its statement is erased.
    """
    table = Table(service, 3, buy_in=200).started()  # Nobody loses 200 chips in twelve hands.
    desk = Desk(table)
    play(service, table, 3, Random(7))
    desk.opened(hand=3)
    play(service, table, 12, Random(7))  # A hand uses six or more cards, so the decks of hands 1 to 3 are revealed.
    desk.do(table.host, PLAYER, dispute_commands.AnswerDispute(statement="I saw that hand."), 1)
    desk.corrected()
    refused = desk.proposed(hand=2)
    number, proposal = refused.dispute.number, refused.recorded[0].position
    desk.do(desk.approver, APPROVER, dispute_commands.RefuseCorrection(proposal=proposal), number)
    desk.do(desk.auditor, AUDITOR, desk.correction(refused, amount=2), number)
    withdrawn(desk)
    service.keep_log()
    return Known(
        table=table.id,
        players={seat: player.owner for seat, player in table.players.items()},
        host=table.host.owner,
        auditor=desk.auditor.owner,
        approver=desk.approver.owner,
    )


def withdrawn(desk: Desk) -> None:
    player = desk.table.players[2]
    opened = desk.do(
        player, PLAYER, dispute_commands.OpenDispute(hand=2, ground="time", statement="I had called already.")
    )
    number = opened.dispute.number
    desk.do(desk.auditor, AUDITOR, dispute_commands.TakeDispute(), number)
    desk.do(desk.auditor, AUDITOR, dispute_commands.ReturnDispute(), number)
    desk.do(player, PLAYER, dispute_commands.WithdrawDispute(), number)
    erasure = dispute_commands.EraseDisputeValue(
        position=opened.recorded[0].position, field="statement", ground="request"
    )
    desk.do(desk.service.spectator, SERVICE, erasure, number)
