"""A node of a spread database is down: lists say that they are incomplete, and feeds end before the node's rows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, select

from service.database.engines import Limits, reading
from service.database.spread import node_readers, placement
from service.database.spread.node_readers import read_reachable
from service.database.spread.nodes import Node, NodeMap, engine_on
from service.event_store.log_tables import outbox
from service.projections import lists
from tests import databases
from tests.http.service import Person, Service, accepted, refused, running

pytestmark = [pytest.mark.spread, pytest.mark.parametrize("storage_kind", [databases.SPREAD])]
_OF_ONE_STREAM = re.compile(r"\bstream_id = %")


@pytest.fixture
def service(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service on a spread database."""
    with running(tmp_path / "data", database_url) as made:
        yield made


def test_lists_feeds_and_limits_have_what_the_other_nodes_have(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, host = service.parts.engine, service.person("host", "audit")
    at: dict[str, Node | None] = {}
    while len(set(at.values())) < 2 or len(at) < 4:
        location = accepted(host.post("/v1/tables", {"game": "bankrupt"}), 201).headers["Location"]
        opened = location.rpartition("/")[2]
        at[opened] = NodeMap(engine, service.parts.clock).node_of(bytes.fromhex(opened.removeprefix("tbl_")))
    service.keep_log()
    before = feed_of(host)[0]
    newest_first = listed(host, "/v1/tables", whole=True)
    assert sorted(newest_first) == sorted(at)
    lost = at[before[-1]]
    assert lost
    found = [table for table in newest_first if at[table] != lost]
    with down(engine, lost, monkeypatch):
        assert listed(host, "/v1/tables", whole=False) == found
        assert listed(host, "/v1/tables?limit=1", whole=False) == found[:1]
        assert accepted(host.get("/v1/audit/players")).json["tables"] == found
        for empty in ("/v1/disputes?mine=true", "/v1/me/statement"):
            assert listed(host, empty, whole=False) == []
        assert hosts(engine, host, len(found))
        assert not hosts(engine, host, len(found) + 1)
        assert feed_of(host) == (before[: next(n for n, table in enumerate(before) if at[table] == lost)], 503)
        for table in at:
            accepted(host.do(f"/v1/tables/{table}", "close_table"))
        service.keep_log()
    assert {at[table] for table in without_index(engine)} == {lost}
    service.keep_log()
    assert without_index(engine) == set()
    assert sorted(listed(host, "/v1/tables", whole=True)) == sorted(at)
    assert len(feed_of(host)[0]) == service.events()


def test_an_error_of_the_statement_itself_is_not_taken_for_a_silent_node(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = service.parts.engine
    with reading(engine) as connection:
        (lost, _) = node_readers.shards_by_node(connection)
    with down(engine, lost, monkeypatch), pytest.raises(Exception, match="no_such_column"):
        read_reachable(
            engine, lambda reach: reach.each(lambda at: at.exec_driver_sql("SELECT no_such_column FROM tables").all())
        )


@contextmanager
def down(engine: Engine, lost: Node, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let nobody connect to the node *lost*, and let statements over all nodes fail, as they do with Citus."""
    names = "|".join(placement.spread_tables())

    def fail(_c: object, _cursor: object, statement: str, parameters: Any, _x: object, _many: bool) -> tuple[str, Any]:  # noqa: ANN401, FBT001 -- SQLAlchemy calls it
        is_read = statement.startswith("SELECT") and re.search(rf"\b(FROM|JOIN) ({names})\b", statement)
        if is_read and not _OF_ONE_STREAM.search(statement):
            return "DO $$ BEGIN RAISE EXCEPTION 'a node does not answer' USING ERRCODE = '08006'; END $$", ()
        return statement, parameters

    def engine_elsewhere(engine: Engine, node: Node, limits: Limits) -> Engine:
        return engine_on(engine, node._replace(host="127.0.0.1", port=1) if node == lost else node, limits)

    monkeypatch.setattr(node_readers, "engine_on", engine_elsewhere)
    event.listen(engine, "before_cursor_execute", fail, retval=True)
    yield
    event.remove(engine, "before_cursor_execute", fail)
    engine.dispose()  # This also forgets which nodes did not answer.


def listed(person: Person, path: str, *, whole: bool) -> list[str]:
    answer = accepted(person.get(path)).json
    assert answer["is_whole"] is whole
    return [item["table"] for item in answer["items"]]


def hosts(engine: Engine, person: Person, most: int) -> bool:
    return read_reachable(engine, lambda reach: lists.hosts_unfinished(reach, person.owner, most)).value


def feed_of(person: Person) -> tuple[list[str], int]:
    """Return the tables of the events in the feed up to the first page that is refused, and the last status."""
    items, after, has_more = list[str](), "", True
    while has_more:
        answer = person.get(f"/v1/feed?after={after}")
        if answer.status_code != 200:
            assert "server that is down" in refused(answer, 503, "database_must_answer")["detail"]
            return items, 503
        page = accepted(answer).json
        items += [item["table"] for item in page["items"]]
        after, has_more = page["next"], page["has_more"]
    return items, 200


def without_index(engine: Engine) -> set[str]:
    with reading(engine) as connection:
        return {f"tbl_{bytes(stream_id).hex()}" for stream_id in connection.scalars(select(outbox.c.stream_id))}
