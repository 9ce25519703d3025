"""One dispute after the other at one played table: from the complaint to a correction, and every refusal on the way."""

from collections.abc import Iterator
from random import Random

import pytest

from service.database.engines import reading
from service.disputes import dispute_commands, stored_disputes
from service.disputes.dispute_events import Adjustment
from service.games.game import PLAYER
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeOrder, DisputeRefused, DisputeResult
from tests.databases import Databases
from tests.dossier.made import play
from tests.http.service import Person, Service, Table, running


@pytest.fixture(scope="module")
def played(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("disputes"), url) as service:
        table = Table(service, 3).started()
        play(service, table, 9, Random(7))
        yield table


class Desk:
    """Gives commands about the disputes of a table; each with a new idempotency key."""

    def __init__(self, table: Table) -> None:
        self.service: Service = table.service
        self.stream = bytes.fromhex(table.id.removeprefix("tbl_"))

    def do(
        self, person: Person, role: str, command: dispute_commands.DisputeCommand, number: int = 0, key: str = ""
    ) -> DisputeResult:
        key = key or f"key-{next(self.service.numbers)}"
        order = DisputeOrder(
            table_stream=self.stream, owner=person.owner, role=role, key=key, command=command, number=number
        )
        return self.service.parts.desk.do(order)


def test_a_dispute_runs_from_the_complaint_to_a_correction(played: Table) -> None:
    desk, service = Desk(played), played.service
    auditor, approver = service.person("audit"), service.person("play")
    opened = desk.do(
        played.players[1], PLAYER, dispute_commands.OpenDispute(hand=1, ground="payout", statement="I won that.")
    )
    number = opened.dispute.number
    assert (opened.dispute.status, opened.dispute.evidence.verdict) == ("open", "clean")
    desk.do(played.host, PLAYER, dispute_commands.AnswerDispute(statement="Look at rule 5."), number)
    desk.do(auditor, AUDITOR, dispute_commands.TakeDispute(), number)
    desk.do(auditor, AUDITOR, dispute_commands.DecideDispute(outcome="fault", rule="G.3", reason="An outage."), number)
    moved = Adjustment(
        source=played.players[2].owner,
        target=played.players[1].owner,
        amount=5,
        unit="chips",
        corrects=opened.dispute.evidence.first,
        rule="G.3",
    )
    proposed = desk.do(auditor, AUDITOR, dispute_commands.ProposeCorrection(transfers=(moved,)), number)
    proposal = proposed.recorded[0].position
    with pytest.raises(DisputeRefused, match="approver_must_be_another"):
        desk.do(auditor, APPROVER, dispute_commands.ApproveCorrection(proposal=proposal), number)
    approved = desk.do(approver, APPROVER, dispute_commands.ApproveCorrection(proposal=proposal), number)
    assert approved.dispute.status == "corrected"
    assert sum(approved.stored.state.balances.values()) == 0
    with reading(service.parts.engine) as connection:
        stored = stored_disputes.read_disputes(connection, service.parts.desk.log, desk.stream)
    assert stored.state == approved.stored.state
    assert [one.by for one in stored.recorded] == ["player", "host", "auditor", "auditor", "auditor", "approver"]
