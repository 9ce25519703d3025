"""The faulty proxy cuts the connections that its server does not take, and goes on accepting connections."""

import socket
from contextlib import closing

import pytest

from tests.faults.faulty_proxy import FaultyProxy, proxy_to

PATIENCE_SECONDS = 10


def test_a_connection_that_the_server_refuses_is_cut_and_the_next_one_is_passed_on() -> None:
    with closing(socket.socket()) as server:
        server.settimeout(PATIENCE_SECONDS)
        server.bind(("127.0.0.1", 0))  # the port is ours, but nothing listens yet
        with proxy_to(server.getsockname()) as proxy:
            with pytest.raises(ConnectionError):
                _heard_by_a_client(proxy)
            server.listen()
            with _connected(proxy) as client, server.accept()[0] as taken:
                taken.sendall(b"here")
                assert client.recv(100) == b"here"


def _connected(proxy: FaultyProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_SECONDS)


def _heard_by_a_client(proxy: FaultyProxy) -> bytes:
    """Return the first bytes that a new client of *proxy* gets.

    Raises:
        ConnectionError: the connection was cut.
    """
    with _connected(proxy) as client:
        if found := client.recv(100):
            return found
        raise ConnectionAbortedError
