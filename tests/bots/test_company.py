"""`CompanyHost` closes all its connections if one of its players can't take a seat."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from service.bots import company
from service.bots.company import Company, CompanyHost
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.client.endpoints import Api
from service.clock import Clock
from tests.databases import Databases
from tests.http.service import Service, running, serving


class Clients:
    """The clients that the host made, and those of them that are closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[Client] = []
        self.closed: list[Client] = []
        clients = self

        class Noted(Client):
            def __init__(self, url: str, key: str, clock: Clock) -> None:
                super().__init__(url, key, clock)
                clients.made.append(self)

            def close(self) -> None:
                super().close()
                clients.closed.append(self)

        monkeypatch.setattr(company, "Client", Noted)


@pytest.fixture
def service(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as made:
        yield made


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_if_a_seat_can_not_be_taken_no_connection_stays_open(
    service: Service, monkeypatch: pytest.MonkeyPatch, seat: int
) -> None:
    clients, numbers, take_seat = Clients(monkeypatch), count(1), Api.take_seat

    def take_seat_or_fail(self: Api, table: str, chips: int) -> None:
        if next(numbers) == seat:
            raise ServerGone
        take_seat(self, table, chips)

    monkeypatch.setattr(Api, "take_seat", take_seat_or_fail)
    with serving(service) as url:
        host = CompanyHost(url, service.person("host").token, Clock())
        with pytest.raises(ServerGone):
            host.begin(Company("bankrupt", 3, 0.0, lambda _: None, host.person()))
    connected = [one for one in clients.made if one._pool.num_connections]
    assert len(connected) == 1 + seat, "the client that made a key, the host, and the players who had a seat"
    assert not [one for one in connected if one not in clients.closed]
