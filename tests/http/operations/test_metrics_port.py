"""Clients cannot block the metrics port: the port closes connections above its cap, and ends the others in time."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from socket import create_connection
from threading import Thread

import pytest
import urllib3

from service.http.resources import metrics_page


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """Yield the address of a server of metrics."""
    with metrics_page.server(("127.0.0.1", 0), lambda: b"some 1\n") as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield "127.0.0.1", server.server_address[1]
        server.shutdown()
        thread.join()


def _scrape(address: tuple[str, int]) -> bytes:
    return urllib3.request("GET", f"http://127.0.0.1:{address[1]}/metrics", retries=5).data


def test_connections_above_the_cap_are_closed_and_the_others_end_after_a_time(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_page, "CONNECTION_SECONDS", 0.5)
    with ExitStack() as stack:
        held = [stack.enter_context(closing(create_connection(address, 60))) for _ in range(metrics_page.CONNECTIONS)]
        for connection in held:
            connection.sendall(b"GET /metrics HTTP/1.1\r\n")  # the head never ends
        more = stack.enter_context(closing(create_connection(address, 60)))
        assert more.recv(1) == b""
        assert [connection.recv(1) for connection in held] == [b""] * len(held)
        assert _scrape(address) == b"some 1\n"
