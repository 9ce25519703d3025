"""Over HTTP a spectator's export equals the export of the command line; each caller gets what the caller may see."""

import re
from collections.abc import Iterator
from http.client import OK
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import QueuePool

from service.exports.export_parts import Selection
from service.exports.export_writing import ExportWriting
from service.exports.hledger_journal import HledgerJournal
from service.http.resources.exports import export_requests
from tests.cli.commands import Instance
from tests.damage import damage
from tests.databases import Databases
from tests.disputes.complaints import Desk
from tests.dossier.made import play
from tests.exports.conftest import Minutes
from tests.exports.played_tables import World, faces_of, rows_of, sums_of_journal
from tests.http.service import Person, Service, Table, accepted, refused, running

QUERIES = (
    "format=hledger",
    "format=text",
    *(f"format=csv&sheet={one}" for one in ("transfers", "statements", "hands")),
)


@pytest.mark.parametrize("query", QUERIES)
def test_a_table_is_exported_as_from_the_command_line(
    world: World, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_requests, "_PAGE", 7)
    for table in world.tables.values():
        flags = [f"--{one}" for one in query.split("&")]
        said = world.instance.run("export", *flags, "--table", table.id)
        answer = accepted(world.service.spectator.get(f"{table.path}/export?{query}"))
        assert answer.text.replace("\r\n", "\n") == said.out
        assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="{table.id}.')


def test_an_auditor_gets_all_tables_and_every_balance(world: World) -> None:
    auditor = world.service.person("audit")
    journal = accepted(auditor.get("/v1/audit/export")).text
    assert sums_of_journal(journal)[0] == world.balances()
    assert journal.endswith(" transactions of 3 tables; whole.\n")
    owner = world.tables["bankrupt"].players[1].owner
    rows = rows_of(accepted(auditor.get(f"/v1/audit/export?format=csv&owner={owner}")).text)
    assert {row["table"] for row in rows} == {world.tables["bankrupt"].id}


def test_parameters_that_do_not_fit_together_are_refused(world: World) -> None:
    auditor, late = (
        world.service.person("audit"),
        "since=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00.000Z&sheet=hands",
    )
    for path in ("/v1/audit", world.tables["bankrupt"].path):
        details = refused(auditor.get(f"{path}/export?{late}"), 422, "request_must_have_its_shape")
        assert [one["parameter"] for one in details["errors"]] == ["sheet", "until"]


def test_a_player_sees_in_a_text_the_cards_that_the_api_shows_the_player_and_no_others(world: World) -> None:
    hidden = 0
    for table in world.tables.values():
        for who in (world.service.spectator, table.players[1], table.players[2]):
            *histories, _ = accepted(who.get(f"{table.path}/export?format=text")).text.split("\n\n\n")
            for hand, history in enumerate(histories, start=1):
                cards = accepted(who.get(f"{table.path}/hands/{hand}")).json["cards"]
                assert faces_of(history) == sorted(card["face"] for card in cards)
                hidden += faces_of(history).count("??") * (1 if who is world.service.spectator else -1)
    assert hidden != 0, "Each viewer sees the same cards, so the test shows nothing."


def test_the_statement_of_an_owner_has_what_the_balances_of_each_table_say(world: World) -> None:
    for table in world.tables.values():
        owners = accepted(table.host.get(f"{table.path}/balances")).json["owners"]
        for player in table.players.values():
            page = accepted(player.get("/v1/me/statement")).json
            (own,) = page["items"]
            assert {name: own[name] for name in owners[0]} in owners
            assert (own["table"], own["game"]) == (table.id, next(k for k, v in world.tables.items() if v is table))
            assert own["position"] == table.position
            assert table.players.get(own["seat"]) is (None if player.owner == world.left else player)
    refused(world.service.spectator.get("/v1/me/statement"), 401, "key_must_be_given")


@pytest.fixture
def small(all_databases: Databases, tmp_path: Path) -> Iterator[Service]:
    """Yield a service without tables."""
    with all_databases.migrated("sqlite") as url, running(tmp_path, url, entropy=Minutes()) as service:
        yield service


def test_an_auditor_with_a_limited_key_gets_no_other_private_table(small: Service) -> None:
    first, second = (Table(small, 2, visibility="private") for _ in range(2))
    public = Table(small, 2)
    limited = small.person("audit", limits=(first.id,))
    journal = accepted(limited.get("/v1/audit/export")).text
    assert re.findall("; (tbl_[0-9a-f]*):", journal) == [public.id, first.id]
    assert second.id not in journal
    refused(limited.get(f"{second.path}/export"), 404, "table_must_exist")


def test_a_key_that_is_revoked_during_an_export_gets_no_more_of_it(small: Service) -> None:
    tables = [Table(small, 2) for _ in range(3)]
    auditor = small.person("audit")
    answer = small.app.test_client().get(
        "/v1/audit/export", headers={"Authorization": f"Bearer {auditor.token}"}, buffered=False
    )
    parts = answer.iter_encoded()
    begun = next(parts) + next(parts)
    key = f"key_{auditor.token.split('_')[1]}"
    assert small.person("admin").send("DELETE", f"/v1/keys/{key}", headers={}).status_code == 204
    rest = b"".join(parts)
    assert sum(table.id.encode() in begun + rest for table in tables) == 1
    assert b"; The end" not in rest
    answer.close()


def test_a_statement_has_all_tables_of_an_owner_page_by_page(small: Service) -> None:
    tables = [Table(small, 2) for _ in range(3)]
    owner = small.person("play")
    for table in tables:
        accepted(owner.post(f"{table.path}/seats", {"chips": 12}), 201)
    found, after = [], "/v1/me/statement?limit=2"
    while after:
        answer = accepted(owner.get(after))
        found += [(one["table"], one["owed"], one["seat"]) for one in answer.json["items"]]
        after = answer.headers.get("Link", "").partition(">")[0][1:]
    assert found == [(table.id, 0, 1) for table in reversed(tables)]
    damage(small, tables[1].id, 2)
    journal = accepted(small.person("audit").get("/v1/audit/export")).text
    assert f"; not whole: {tables[1].id} from position 2 on: " in journal
    assert journal.endswith("tables; not whole.\n")
    parts = small.parts.settings
    with running(parts.data_folder, parts.database_url) as later:  # `later` has no table in its cache.
        page = accepted(Person(later, owner.owner, owner.token).get("/v1/me/statement")).json
    assert [one["table"] for one in page["items"]] == [tables[2].id, tables[0].id]
    assert page["damaged"] == [tables[1].id]


def test_a_statement_has_a_private_table_that_the_owner_has_left_as_it_was_then(small: Service) -> None:
    table = Table(small, 3, game="insurance", buy_in=60, visibility="private")
    for player in table.players.values():
        accepted(table.host.do(table.path, "invite_player", player=player.owner))
    owner = table.started().players[1]
    play(small, table, hands := 6, Random(6))
    while owner.do(table.path, "leave_seat").status_code != OK:  # nobody leaves during a hand
        hands += 1
        play(small, table, hands, Random(hands))
    left_at, balances = table.position, accepted(table.host.get(f"{table.path}/balances")).json
    (own,) = accepted(owner.get("/v1/me/statement")).json["items"]
    assert {name: own[name] for name in balances["owners"][0]} in balances["owners"]
    assert own["winnings"], "The owner has won nothing, so the test shows nothing."
    assert (own["table"], own["seat"], own["status"], own["position"]) == (table.id, 0, "playing", left_at)
    accepted(table.players[2].do(table.path, "leave_seat"))
    accepted(table.host.do(table.path, "close_table"))
    assert accepted(table.host.get(table.path)).json["status"] == "closed"
    assert accepted(owner.get("/v1/me/statement")).json["items"] == [own]
    Desk(table).corrected()
    (adjusted,) = accepted(owner.get("/v1/me/statement")).json["items"]
    assert adjusted == {**own, "adjustments": 5, "owed": own["owed"] + 5}
    assert accepted(owner.get("/v1/tables?mine=true")).json["items"] == []
    for path in ("", "/balances", "/events", "/export", "/accounts/stack:1/postings"):
        refused(owner.get(table.path + path), 404, "table_must_exist")
    settings, mine = small.parts.settings, ("--owner", owner.owner)
    instance = Instance(settings.database_url, settings.data_folder)
    assert {row["table"] for row in rows_of(instance.run("export", "--format", "csv", *mine).out)} == {table.id}
    archived = instance.run("archive", str(settings.data_folder / "archive"), *mine)
    assert (archived.code, archived.out.partition(" with ")[0]) == (0, "1 tables")


def test_an_export_ends_at_the_head_that_its_table_had_when_its_turn_came(small: Service) -> None:
    table = Table(small, 4).started()
    pages = ExportWriting(small.parts.engine, small.parts.log, Selection(), HledgerJournal(), 2)
    parts = pages.parts([export_requests.streams_of(bytes.fromhex(table.id.removeprefix("tbl_")))])
    begun = [next(parts), next(parts)]
    head = table.position
    assert accepted(table.due.do(table.path, "deal_hand"))
    written = [*begun, *parts]
    assert sum(one.events for one in written) == head
    journal = b"".join(one.data for one in written).decode()
    assert f"up to position {head}," in journal
    assert "event:antes_placed" not in journal
    assert sums_of_journal(journal)[1] == 4


def test_no_transaction_is_open_between_two_parts_of_an_export(world: World) -> None:
    streams = [export_requests.streams_of(bytes.fromhex(one.id.removeprefix("tbl_"))) for one in world.tables.values()]
    parts = world.service.parts
    pool = parts.engine.pool
    assert isinstance(pool, QueuePool)
    idle = pool.checkedout()  # The writer has a connection of its own.
    for part in ExportWriting(parts.engine, parts.log, Selection(), HledgerJournal(), 50).parts(streams):
        assert pool.checkedout() == idle
        assert part.events <= 100, "a page, and the command that began on it"
