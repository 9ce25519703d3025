"""`/v1/audit/players`: an auditor gets the players' figures, computed from ended and disclosed hands alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.http.resources.auditing import audited_players
from tests.cli.played import play_to
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.play.hearts import over

PATH = "/v1/audit/players"


@pytest.fixture(scope="module")
def service(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service with a public and a private finished table, and a third table with a running hand."""
    folder: Path = tmp_path_factory.mktemp("audited")
    with all_databases.migrated("sqlite") as url, running(folder, url) as made:
        play_to(made, Table(made, 2, buy_in=4).started(), over, 1)
        play_to(made, _private(made), over, 2)
        Table(made, 2).dealt()
        yield made


def _private(service: Service) -> Table:
    table = Table(service, 3, buy_in=6, visibility="private")
    for seat, player in table.players.items():
        body = {"chips": table.buy_in, "seat": seat, "player": player.owner}
        accepted(table.host.post(f"{table.path}/seats", body), 201)
    accepted(table.host.do(table.path, "start_game"))
    return table


@pytest.fixture(scope="module")
def auditor(service: Service) -> Person:
    return service.person("audit")


def found(auditor: Person, query: str = "") -> Any:  # noqa: ANN401 -- JSON
    return accepted(auditor.get(f"{PATH}{query}")).json


def test_an_auditor_gets_the_figures_of_all_tables_and_also_of_private_tables(auditor: Person) -> None:
    page = found(auditor)
    assert len(page["tables"]) == 3
    assert (page["has_more"], page["left_out"]) == (False, [])
    assert len(page["players"]) == 5  # No player of the table with the running hand is listed.
    assert page["hands"] > 0
    for one in page["players"]:
        assert one["won_low"] <= one["won_per_hand"] <= one["won_high"]
        assert one["best"] <= one["choices"]
        assert one["is_flagged"] is False
    assert {len(one["players"]) for one in page["pairs"]} == {2}


def test_pages_of_tables_follow_one_another(auditor: Person) -> None:
    tables, after, players = [], "", 0
    for _ in range(3):
        answer = accepted(auditor.get(f"{PATH}?limit=1&after={after}"))
        page = answer.json
        tables += page["tables"]
        players += len(page["players"])
        after = page["next"]
        assert ("Link" in answer.headers) == page["has_more"]
    assert not page["has_more"]
    assert tables == found(auditor)["tables"]
    assert players == 5


def test_a_running_hand_counts_for_nothing(auditor: Person) -> None:
    newest = found(auditor, "?limit=1")
    assert (newest["hands"], newest["players"], newest["pairs"]) == (0, [], [])


def test_the_figures_can_be_limited_to_a_table_a_game_and_times(auditor: Person) -> None:
    every = found(auditor)
    one = found(auditor, f"?table={every['tables'][1]}")
    assert one["tables"] == [every["tables"][1]]
    assert one["hands"] == found(auditor, f"?table={every['tables'][1]}&game=bankrupt")["hands"] > 0
    assert found(auditor, "?game=insurance")["tables"] == []
    assert found(auditor, "?since=2020-01-01T00:00:00Z")["hands"] == every["hands"]
    assert found(auditor, "?since=9999-01-01T00:00:00.000Z")["hands"] == 0
    assert found(auditor, "?until=2020-01-01T00:00:00Z")["hands"] == 0


def test_a_missing_table_and_a_table_of_another_game_are_refused(auditor: Person) -> None:
    table = found(auditor)["tables"][0]
    refused(auditor.get(f"{PATH}?table=tbl_{0:032x}"), 404, "table_must_exist")
    refused(auditor.get(f"{PATH}?table={table}&game=insurance"), 404, "table_must_exist")


@pytest.mark.parametrize("query", ["since=yesterday", "limit=0", "limit=101", "after=1", "table=tbl_1", "stray=1"])
def test_a_malformed_query_is_refused(auditor: Person, query: str) -> None:
    refused(auditor.get(f"{PATH}?{query}"), 422, "request_must_have_its_shape")


def test_nobody_else_reads_this_resource(service: Service) -> None:
    refused(service.spectator.get(PATH), 401, "key_must_be_given")
    refused(service.person("play", "host", "admin", "metrics").get(PATH), 403, "scope_must_be_granted")


def test_a_table_with_exactly_as_many_events_as_are_read_leaves_nothing_out(
    auditor: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = found(auditor)["tables"][1]
    whole = found(auditor, f"?table={table}")
    last = accepted(auditor.get(f"/v1/tables/{table}")).json["position"]
    for most, left_out in ((last + 1, []), (last, []), (last - 1, [table])):
        monkeypatch.setattr(audited_players, "MOST_EVENTS", most)
        short = found(auditor, f"?table={table}")
        assert [one["table"] for one in short["left_out"]] == left_out
        assert most < last or short == whole


def test_the_figures_of_a_long_table_use_its_first_events_and_a_page_ends(
    auditor: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = found(auditor)
    monkeypatch.setattr(audited_players, "MOST_EVENTS", 10)
    table = every["tables"][1]
    short = found(auditor, f"?table={table}")
    assert short["hands"] == 0
    assert short["left_out"] == [{"table": table, "reason": "the hands after position 10 are not counted here"}]
    page = found(auditor)
    assert (len(page["tables"]), page["has_more"]) == (1, True)
    assert found(auditor, f"?after={page['next']}")["tables"] == every["tables"][1:2]
