"""The log proves each step of a dispute, to everybody who sees the dispute."""

from random import Random

from tests.dossier.made import FOR_CHIPS, SEATS, play
from tests.http.disputes import Case
from tests.http.resources.test_event_proofs import read
from tests.http.service import Service, refused


def test_each_step_of_each_dispute_is_proved_to_whoever_sees_the_table(quick_service: Service) -> None:
    case = Case(quick_service, hands=2)
    number = case.taken()
    refused(quick_service.spectator.get(f"{case.path}/events/1/proof"), 404, "proof_must_exist")
    other = case.opened(case.opponent, hand=2)
    quick_service.keep_log()
    steps = [*case.view(number)["steps"], *case.view(other)["steps"]]
    assert [step["leaf"]["position"] for step in steps] == [1, 2, 3]
    for caller in (quick_service.spectator, case.complainant, case.auditor):
        for step in steps:
            proof = read(caller, f"{case.path}/events/{step['leaf']['position']}/proof")
            assert proof.includes(step["leaf"])
            assert not proof.includes({**step["leaf"], "by": "host"})
    for position in (0, 4, 2**31 - 1):
        refused(case.auditor.get(f"{case.path}/events/{position}/proof"), 404, "position_must_exist")


def test_a_player_who_has_left_a_private_table_gets_the_proofs_of_own_disputes_alone(quick_service: Service) -> None:
    case = Case(quick_service, hands=2, players=SEATS, game="insurance", visibility="private", **FOR_CHIPS)
    case.opened(case.complainant)
    case.leave(case.complainant)
    play(quick_service, case.table, 5, Random("without the complainant"))
    case.opened(case.opponent, hand=4)
    quick_service.keep_log()
    own, other = f"{case.path}/events/1/proof", f"{case.path}/events/2/proof"
    assert read(case.complainant, own).leaf_index > 0
    refused(case.complainant.get(other), 404, "position_must_exist")
    for stranger in (quick_service.spectator, quick_service.person("play", "host", "admin")):
        refused(stranger.get(f"{case.path}/events/1/proof"), 404, "table_must_exist")
