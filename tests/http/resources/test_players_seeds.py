"""Players' seeds over HTTP: bots play whole games, tables show whose seeds are due, and bad seeds are refused (G.9)."""

from contextlib import closing
from typing import Any, cast

import pytest
from sqlalchemy import select

from service.api_keys.repository import SCOPES
from service.audit import log_audit
from service.audit.verdicts import Verdict
from service.bots.host import Game, Host
from service.client.players_seeds import PlayersSeeds
from service.client.table_answers import Move
from service.database.engines import reading
from service.database.metadata import SERVICE_STREAM
from service.deck import client_commit
from service.entropy import Entropy
from service.event_store.log_tables import streams
from service.games import CURRENT
from service.games.common_events import DeckFixed
from service.games.game import Event
from service.tables.replay import commands
from tests import seeds
from tests.audit.forging import CODEC
from tests.games.facts import facts_of
from tests.games.waits import Waits, waits_of
from tests.http.service import Person, Service, Table, accepted, refused

_GAME_OF_RUN = seeds.drawn("the game with seeds of bots", tuple(CURRENT))
EACH_GAME = [pytest.param(game, marks=[] if game == _GAME_OF_RUN else [pytest.mark.full]) for game in CURRENT]
SEEDS = {seat: bytes([seat]) * 32 for seat in range(1, 5)}


def a_table(service: Service) -> Table:
    return Table(service, 2, seeds="players").started()


def seeds_of(table: Table, person: Person | None = None) -> dict[str, Any]:
    view: dict[str, Any] = table.view(person)["seeds"]
    return view


def commits(table: Table, seat: int, query: str = "") -> Any:  # noqa: ANN401 -- the response
    epoch = seeds_of(table)["batch"]
    commitment = client_commit(epoch, seat, SEEDS[seat])
    body = {"type": "commit_seed", "epoch": epoch, "client_commit": commitment}
    return table.players[seat].post(f"{table.path}/actions{query}", body)


def shows(table: Table, seat: int, seed: bytes = b"", query: str = "") -> Any:  # noqa: ANN401 -- the response
    epoch = seeds_of(table)["batch"]
    body = {"type": "reveal_seed", "epoch": epoch, "client_seed": (seed or SEEDS[seat]).hex()}
    return table.players[seat].post(f"{table.path}/actions{query}", body)


def events(response: Any) -> list[tuple[str, dict[str, Any]]]:  # noqa: ANN401 -- the response
    leaves = [event["leaf"] for event in accepted(response).json["events"]]
    return [(leaf["type"], leaf["pub"]) for leaf in leaves]


@pytest.mark.walk
@pytest.mark.parametrize("game", EACH_GAME)
def test_a_whole_game_with_seeds_of_bots_is_clean_and_every_deck_is_joint(
    served: tuple[Service, str], game: str
) -> None:
    service, url = served
    with closing(Host(url, service.person(*SCOPES).token, Entropy(), patience_seconds=60)) as host:
        played = host.play(
            Game(
                game=game, kinds=("random",) * 4, seed="1", options=facts_of(game).short, seeds="players", most_hands=6
            )
        )
        verdicts = {host.api.adjudication(played.table, hand).verdict for hand in range(1, played.hand + 1)}
    assert verdicts == {"clean"}
    report = log_audit.verify(service.parts.engine, service.parts.log, CODEC)
    assert report.findings == ()
    assert dict(report.tables) == {Verdict.CLEAN: 1}
    waits, levels = figures(service)
    assert waits.deals
    assert levels == {"joint"}


def figures(service: Service) -> tuple[Waits, set[str]]:
    """Return the number of deals at all tables, how many of them waited for seeds, and the levels of all decks."""
    waits, levels = Waits(), set[str]()
    with reading(service.parts.engine) as connection:
        for (stream_id,) in connection.execute(select(streams.c.stream_id).where(streams.c.stream_id > SERVICE_STREAM)):
            recorded = service.parts.log.reader.read(connection, stream_id)
            steps = [step for made in commands(stream_id, recorded) for step in made]
            waits += waits_of(
                steps[0].after.game, [(step.before, cast("Event", step.recorded.event)) for step in steps]
            )
            levels |= {one.event.level for one in recorded if isinstance(one.event, DeckFixed)}
    return waits, levels


def test_a_table_shows_whose_seeds_are_awaited(quick_service: Service) -> None:
    table = a_table(quick_service)
    batch = f"{table.id}/1"
    shown = {"whose": "players", "batch": batch, "waits": True, "dropped": {}}
    assert seeds_of(table) == {**shown, "owed": "commitment", "seats": [1, 2]}
    accepted(commits(table, 1))
    assert seeds_of(table) == {**shown, "owed": "commitment", "seats": [2]}
    accepted(commits(table, 2))
    assert seeds_of(table) == {**shown, "owed": "seed", "seats": [1, 2]}
    accepted(shows(table, 1))
    assert seeds_of(table, quick_service.spectator) == {**shown, "owed": "seed", "seats": [2]}


def test_the_last_seed_starts_the_draw_and_the_deck_names_the_seats(quick_service: Service) -> None:
    table = a_table(quick_service)
    for seat in (1, 2):
        accepted(commits(table, seat))
    accepted(shows(table, 1))
    made = events(shows(table, 2))
    assert [kind for kind, _ in made][:3] == ["deck_seed_revealed", "deck_seeds_settled", "deck_fixed"]
    assert (made[2][1]["level"], made[2][1]["seats"]) == ("joint", [1, 2])
    assert table.view()["seeds"]["waits"] is False


def test_a_player_who_owes_a_seed_need_not_poll(quick_service: Service) -> None:
    table = a_table(quick_service)
    listed = accepted(table.players[1].get(f"{table.path}/actions?wait=20")).json
    assert listed["seeds_awaited"] == listed["due"] == ["seat:1", "seat:2"]
    (item,) = (item for item in listed["items"] if item["action"]["type"] == "commit_seed")
    assert (item["to_fill"], item["ruling"]) == (["client_commit"], "G.9")


def test_a_bot_finds_its_seed_again_from_its_secret() -> None:
    seeds, epoch = PlayersSeeds(3), "tbl_" + "0" * 32 + "/1"
    commitment = seeds.action_of(Move({"type": "commit_seed", "epoch": epoch, "client_commit": "0" * 64}))
    shown = seeds.action_of(Move({"type": "reveal_seed", "epoch": epoch, "client_seed": "0" * 64}))
    assert commitment
    assert shown
    assert commitment["client_commit"] == client_commit(epoch, 3, bytes.fromhex(shown["client_seed"]))
    other = PlayersSeeds(3).action_of(Move({"type": "reveal_seed", "epoch": epoch, "client_seed": "0" * 64}))
    assert other != shown
    assert seeds.action_of(Move({"type": "deal_hand"})) is None


def test_a_seed_that_comes_too_early_or_is_wrong_is_refused_and_not_recorded(quick_service: Service) -> None:
    table = a_table(quick_service)
    accepted(commits(table, 1))
    before = quick_service.events()
    refusals = [
        (commits(table, 1), "commitment_must_stand"),
        (shows(table, 1), "commitments_must_be_closed"),
        (shows(table, 2), "commitment_must_be_given"),
        (table.players[1].do(table.path, "deal_hand"), "seeds_must_be_in"),
    ]
    for response, code in refusals:
        assert refused(response, 409, code)["ruling"] == "G.9"
    assert quick_service.events() == before
    accepted(commits(table, 2))
    wrong = refused(shows(table, 2, SEEDS[1]), 409, "seed_must_match_its_commitment")
    assert SEEDS[1].hex() not in str(wrong)
    assert SEEDS[2].hex() not in str(wrong)


def test_a_dry_run_of_a_seed_records_nothing(quick_service: Service) -> None:
    table = a_table(quick_service)
    before = quick_service.events()
    assert accepted(commits(table, 1, "?dry_run=true")).json == {"accepted": True}
    assert quick_service.events() == before
    refused(shows(table, 1, query="?dry_run=true"), 409, "commitment_must_be_given")


@pytest.mark.parametrize(
    "member", [{"client_commit": "0" * 63}, {"client_commit": "G" * 64}, {"epoch": "tbl_1/1"}, {"epoch": ""}], ids=str
)
def test_a_commitment_of_another_form_is_refused(quick_service: Service, member: dict[str, str]) -> None:
    table = a_table(quick_service)
    body = {"type": "commit_seed", "epoch": f"{table.id}/1", "client_commit": "0" * 64, **member}
    refused(table.players[1].post(f"{table.path}/actions", body), 422, "request_must_have_its_shape")


def test_the_host_may_call_time_for_a_seed_and_the_drop_is_counted(quick_service: Service) -> None:
    table = a_table(quick_service)
    for seat in (1, 2):
        accepted(commits(table, seat))
    accepted(shows(table, 2))
    made = events(table.host.do(table.path, "call_time"))
    assert made[0] == ("deck_seeds_dropped", {"epoch": f"{table.id}/1", "seats": [1], "called": "host"})
    assert seeds_of(table)["dropped"] == {"seat:1": 1, "service": 1}


def test_a_table_has_only_the_services_seeds_by_default(quick_service: Service) -> None:
    table = Table(quick_service, 2).started()
    assert seeds_of(table) == {
        "whose": "operator", "batch": "", "owed": "", "seats": [], "waits": False, "dropped": {}
    }  # fmt: skip
    action = {"type": "commit_seed", "epoch": f"{table.id}/1", "client_commit": "0" * 64}
    refused(table.players[1].post(f"{table.path}/actions", action), 409, "table_must_have_players_seeds")
