"""A player who has left a private table keeps the rights in disputes about the hands that this player played."""

from random import Random

from tests.dossier.made import FOR_CHIPS, SEATS, play
from tests.http.disputes import Case
from tests.http.resources.test_event_proofs import read
from tests.http.service import Person, Service, accepted, refused


def test_a_player_who_has_left_a_private_table_disputes_earlier_hands(quick_service: Service) -> None:
    case = Case(quick_service, hands=2, players=SEATS, game="insurance", visibility="private", **FOR_CHIPS)
    mine, others = case.complainant, case.opponent
    elsewhere = case.opened(others, hand=2, statement="The second hand.")
    case.leave(mine)
    case.leave(others)
    refused(mine.get(case.table.path), 404, "table_must_exist")

    number = case.opened(mine, statement="I was paid too little.")
    accepted(case.step(number, mine, "answer", statement="And I say so again."))
    assert [one["dispute"] for one in _listed(case, mine)] == [elsewhere, number]
    view = case.view(number, mine)
    assert next(field["value"] for step in view["steps"] for field in step["fields"]) == "I was paid too little."
    refused(case.step(number, others, "withdrawal"), 409, "withdrawer_must_have_opened")
    accepted(case.step(number, mine, "withdrawal"))
    refused(case.open(mine, hand=99), 404, "table_must_exist")
    refused(mine.get(case.table.path), 404, "table_must_exist")

    play(quick_service, case.table, 5, Random("without these two"))
    without_mine = case.opened(case.table.host, hand=4)
    last = case.view(without_mine)["steps"][-1]["leaf"]["position"]
    quick_service.keep_log()
    assert read(mine, f"{case.path}/events/{last - 1}/proof").includes(case.view(number)["steps"][-1]["leaf"])
    refused(mine.get(f"{case.path}/events/{last}/proof"), 404, "position_must_exist")


def test_an_owner_who_neither_sees_the_table_nor_played_the_hand_sees_no_dispute(quick_service: Service) -> None:
    case = Case(quick_service, hands=2, players=SEATS, game="insurance", visibility="private", **FOR_CHIPS)
    first = case.opened(case.complainant)
    case.leave(case.complainant)
    newcomer = quick_service.person("play")
    accepted(case.table.host.do(case.table.path, "invite_player", player=newcomer.owner))
    accepted(newcomer.post(f"{case.table.path}/seats", {"chips": 200, "seat": 1}), 201)
    accepted(newcomer.do(case.table.path, "leave_seat"))
    for stranger in (newcomer, quick_service.spectator, quick_service.person("play", "host", "admin")):
        refused(stranger.get(case.path), 404, "table_must_exist")
        refused(stranger.get(f"{case.path}/{first}"), 404, "table_must_exist")
        refused(stranger.get(f"{case.path}/events/1/proof"), 404, "table_must_exist")
        if stranger.owner:
            refused(case.open(stranger), 404, "table_must_exist")
            refused(case.step(first, stranger, "answer", statement="No."), 404, "table_must_exist")
    refused(case.complainant.get(f"{case.path}/{first + 1}"), 404, "dispute_must_exist")


def _listed(case: Case, who: Person) -> list[dict[str, int]]:
    return list(accepted(who.get(case.path)).json["items"])
