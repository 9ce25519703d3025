"""A dispute runs from the complaint to a correction at one played table, and every step is recorded once."""

from collections.abc import Iterator
from random import Random

import pytest

from service.database.engines import reading
from service.disputes import dispute_commands, stored_disputes
from service.games.game import PLAYER
from service.play.dispute_desk import APPROVER, DisputeRefused
from service.play.orders import KeyMustBeNew
from tests.databases import Databases
from tests.disputes.complaints import Desk
from tests.dossier.made import play
from tests.http.service import Table, running


@pytest.fixture(scope="module")
def played(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("disputes"), url) as service:
        table = Table(service, 3).started()
        play(service, table, 9, Random(7))
        yield table


def test_a_dispute_runs_from_the_complaint_to_a_correction(played: Table) -> None:
    desk = Desk(played)
    before = played.position
    proposed = desk.proposed()
    number, proposal = proposed.dispute.number, proposed.recorded[0].position
    with pytest.raises(DisputeRefused, match="approver_must_be_another"):
        desk.do(desk.auditor, APPROVER, dispute_commands.ApproveCorrection(proposal=proposal), number)
    approved = desk.do(desk.approver, APPROVER, dispute_commands.ApproveCorrection(proposal=proposal), number)
    assert (approved.dispute.status, approved.dispute.evidence.verdict) == ("corrected", "clean")
    assert sorted(approved.stored.state.balances.values()) == [-5, 5]
    with reading(desk.service.parts.engine) as connection:
        stored = stored_disputes.read_disputes(connection, desk.service.parts.desk.log, desk.stream)
    assert stored.state == approved.stored.state
    by = ["player", "auditor", "auditor", "host", "auditor", "auditor", "approver"]
    assert [one.by for one in stored.of(number)] == by
    assert played.position == before


def test_a_repeated_command_gets_its_earlier_result_and_another_command_under_the_same_key_is_refused(
    played: Table,
) -> None:
    desk = Desk(played)
    command = dispute_commands.OpenDispute(hand=2, ground="deck", statement="That card was there twice.")
    first = desk.do(played.players[2], PLAYER, command, key="one")
    again = desk.do(played.players[2], PLAYER, command, key="one")
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.recorded, again.receipt) == (first.recorded, first.receipt)
    other = dispute_commands.OpenDispute(hand=2, ground="deck", statement="It was not.")
    with pytest.raises(KeyMustBeNew, match="statement"):
        desk.do(played.players[2], PLAYER, other, key="one")
