"""A real server: each stream takes a waiting slot, and frees it when its reader is gone; a stop ends all streams."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from threading import Event

import pytest

from service.client.client import Client
from service.client.endpoints import Api
from service.entropy import Entropy
from tests.cli.commands import Instance, Served, running_server
from tests.databases import SQLITE, Databases
from tests.http.streams import EVENTS, answer, frames


@pytest.fixture(scope="module")
def small(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a small server that the module's tests share."""
    with _small_server(all_databases, tmp_path_factory.mktemp("small")) as served:
        yield served


@contextmanager
def _small_server(databases: Databases, folder: Path) -> Iterator[Served]:
    """Run a server with one worker and two waiting slots; always on SQLite, since the database does not matter."""
    with databases.migrated(SQLITE) as url:
        instance = Instance(url, folder / "data")
        with running_server([*instance.flags, "--waiting-places", "2", "--workers", "1"], folder / "log") as server:
            yield Served(instance, server)


def _table(small: Served) -> tuple[Api, str]:
    host = Api(Client(small.url, small.instance.first_key, Entropy()))
    return host, host.open_table("bankrupt", 2, {})


def _stream(stack: ExitStack, small: Served, table: str, token: str = "") -> HTTPResponse:
    path = f"/v1/tables/{table}/events"
    return stack.enter_context(answer(small.url, path, token, Accept=EVENTS))


def test_at_the_cap_a_page_is_still_answered_but_another_stream_is_refused(small: Served) -> None:
    host, table = _table(small)
    keys = [small.instance.first_key, host.make_key("play", label="another").token]
    with ExitStack() as streams:
        held = [_stream(streams, small, table, key) for key in keys]
        for response in held:
            assert response.status == 200
            assert next(frames(response)).id == "1"
        busy = _stream(streams, small, table)
        assert (busy.status, busy.headers["Retry-After"]) == (503, "1")
        assert host.table(table).table == table
        host.act(table, {"type": "close_table"})
        for response in held:
            assert [frame.event for frame in frames(response)][-1] == "end"


def test_a_reader_that_is_gone_leaves_its_place(small: Served) -> None:
    host, table = _table(small)
    for _ in range(4):  # twice the number of waiting slots
        with ExitStack() as gone:
            assert _when_there_is_a_place(gone, small, table).status == 200
    host.act(table, {"type": "close_table"})
    host.client.close()


def test_a_stop_ends_streams_in_good_order(all_databases: Databases, tmp_path: Path) -> None:
    with _small_server(all_databases, tmp_path) as own, ExitStack() as streams:
        host, table = _table(own)
        came = frames(_when_there_is_a_place(streams, own, table))
        assert [next(came).id, next(came).id] == ["1", "2"]
        own.server.process.terminate()
        assert list(came) == []
        assert own.server.process.wait(timeout=60) == 0
        host.client.close()


def _when_there_is_a_place(stack: ExitStack, small: Served, table: str) -> HTTPResponse:
    for _ in range(200):
        response = _stream(stack, small, table)
        if response.status != 503:
            return response
        Event().wait(0.1)
    raise AssertionError("no place was left")
