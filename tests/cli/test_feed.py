"""A real server of several processes: the feed has each event of the owner's tables once, however it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from random import Random
from threading import Event, Thread
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from service.bots.host import Game, Host
from service.client.client import Client
from service.client.endpoints import Api
from service.entropy import Entropy
from service.games import CURRENT
from tests.cli.commands import Served
from tests.faults.servers import wait_until
from tests.http.feeds import Item, rest, some
from tests.http.streams import LINES, Item as TableItem, answer, lines

BREAKS = [pytest.param(15, id="some"), pytest.param(1_000, id="a thousand", marks=pytest.mark.full)]


@pytest.mark.walk
@pytest.mark.parametrize("breaks", BREAKS)
def test_of_a_feed_whose_connection_breaks_again_and_again_no_event_is_missing_or_doubled(
    served: Served, breaks: int
) -> None:
    """Bots play at two tables of the reader and one table of another owner; after a game, they play at a new table."""
    first, seed = Api(Client(served.url, served.instance.first_key, Entropy())), Random().randrange(10**9)
    print(f"seed {seed}")  # noqa: T201 -- pytest shows this if the test fails
    reader, stranger = (first.make_key("host", label=label).token for label in ("reader", "stranger"))
    chance, cursor, found = Random(seed), "", list[Item]()
    with (
        played(served, reader, f"{seed}/1"),
        played(served, reader, f"{seed}/2"),
        played(served, stranger, f"{seed}/3"),
    ):
        for _ in range(breaks):
            items, cursor = some(served.url, reader, cursor, chance)
            found += items
    tables = {table: events_of(served, reader, table) for table in tables_of(served, reader)}
    many = sum(map(len, tables.values()))
    wait_until(lambda: len(rest(served.url, reader)) == many)  # until the last events have their indexes
    found += rest(served.url, reader, cursor)
    assert [item.index for item in found] == sorted({item.index for item in found})
    assert {item.table for item in found} == tables.keys()
    for table, events in tables.items():
        assert [plain(item) for item in found if item.table == table] == [plain(item) for item in events]
    first.client.close()


class Listed(Struct):
    """A table in a list."""

    table: str


class Tables(Struct):
    """A page of tables."""

    items: list[Listed]
    has_more: bool


def tables_of(served: Served, key: str) -> list[str]:
    with answer(served.url, "/v1/tables?mine=true&limit=1000", key) as response:
        page = msgspec.json.decode(response.read(), type=Tables)
    assert not page.has_more
    return [one.table for one in page.items]


def events_of(served: Served, key: str, table: str) -> list[TableItem]:
    with answer(served.url, f"/v1/tables/{table}/events", key, Accept=LINES) as response:
        return list(lines(response))


def plain(item: Item | TableItem) -> tuple[bytes, str, list[Any], list[Any]]:
    return bytes(item.leaf), item.hash, item.openings, item.fields


@contextmanager
def played(served: Served, key: str, seed: str) -> Iterator[None]:
    """Let bots play one game after another at tables of the owner of *key* while the block runs."""
    host, ended = Host(served.url, key, Entropy()), Event()
    kinds = {name: ("random",) * game.seats.default for name, game in CURRENT.items()}

    def play() -> None:
        for number in count():
            if ended.is_set():
                return
            game = list(CURRENT)[number % len(CURRENT)]
            host.play(Game(game=game, kinds=kinds[game], seed=f"{seed}/{number}", most_hands=3))

    thread = Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        host.stop()
        thread.join()
        host.close()
