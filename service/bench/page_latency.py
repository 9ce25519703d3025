"""Figures of a page of events, with and without an address at its limit of waiting slots (DECISIONS 55)."""

import http.client
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http import HTTPStatus
from statistics import median
from typing import Any, Final

from service.bench import serving
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.headless import GAME
from service.bench.serving import Served
from service.client.client import Client
from service.client.endpoints import Api
from service.clock import Clock

_REFUSED_IN_A_ROW: Final = 8  # then probably every process has refused: connections are distributed at random
_MOST_STREAMS: Final = 1_000
_PAGES: Final = 300


def measure(temporary: TemporaryDatabases, kind: str, clock: Clock) -> Iterator[Figure]:
    """Measure requests for a page of events while nobody waits, and while an address has reached its limit of slots."""
    folder = temporary.home / f"places-{kind}"
    with temporary.create(kind) as url, serving.server(url, folder, clock) as server:
        host = Api(Client(server.url, server.first_key, clock))
        with closing(host.client):
            table = host.open_table(GAME.name, GAME.seats.least, {})
            alone = _page_ms(host, table, clock)
            with ExitStack() as streams:
                opened = _fill_slots(streams, server, host, table)
                crowded = _page_ms(host, table, clock)
    yield Figure(f"http.{kind}.page_p50_ms", alone, f"{_PAGES} pages, one after the other")
    yield Figure(
        f"http.{kind}.page_at_cap_p50_ms",
        crowded,
        f"{opened} streams open, the next refused; {crowded / alone:.2f} times",
    )


def _page_ms(host: Api, table: str, clock: Clock) -> float:
    taken = []
    for _ in range(_PAGES):
        begun = clock.monotonic()
        host.client.get(f"/v1/tables/{table}/events", dict[str, Any])
        taken.append(clock.monotonic() - begun)
    return 1000 * median(taken)


def _fill_slots(streams: ExitStack, server: Served, host: Api, table: str) -> int:
    """Open event streams, each with a new key; return the number of open streams.

    End after `_REFUSED_IN_A_ROW` refusals in a row, or at `_MOST_STREAMS` streams.
    """
    opened = refused = 0
    while refused < _REFUSED_IN_A_ROW and opened < _MOST_STREAMS:
        key = host.make_key("play", label="a reader").token
        connection = http.client.HTTPConnection(server.authority)
        connection.request(
            "GET",
            f"/v1/tables/{table}/events",
            headers={"Accept": "text/event-stream", "Authorization": f"Bearer {key}"},
        )
        if connection.getresponse().status == HTTPStatus.OK:
            streams.enter_context(closing(connection))
            opened, refused = opened + 1, 0
        else:
            connection.close()
            refused += 1
    return opened
