"""Requests in flight: which requests take a worker slot, and how long a request counts."""

from collections import Counter

import pytest

from tests.http.service import Service, Table, accepted
from tests.http.streams import EVENTS


class CountedSlots:
    """Counts how often a worker slot is taken and given back."""

    def __init__(self) -> None:
        self.happened: Counter[str] = Counter()

    def acquire(self) -> None:
        self.happened["taken"] += 1

    def release(self) -> None:
        self.happened["given back"] += 1


@pytest.fixture
def slots(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> CountedSlots:
    counted = CountedSlots()
    monkeypatch.setattr(quick_service.parts.in_flight, "_slots", counted)
    return counted


def test_a_request_takes_a_worker_slot_and_gives_it_back(quick_service: Service, slots: CountedSlots) -> None:
    accepted(quick_service.spectator.get("/v1/games"))
    assert slots.happened == {"taken": 1, "given back": 1}


def test_a_health_check_takes_no_worker_slot(quick_service: Service, slots: CountedSlots) -> None:
    accepted(quick_service.spectator.get("/healthz"))
    assert slots.happened == {}


def test_a_stream_counts_as_a_request_of_its_address_until_it_is_closed(quick_service: Service) -> None:
    path = f"{Table(quick_service, 2).path}/events?after=2"
    in_flight = quick_service.parts.in_flight
    assert in_flight._requests == {}
    stream = quick_service.app.test_client().get(path, headers={"Accept": EVENTS})  # nobody reads this stream
    (of_address,) = in_flight._requests.values()
    assert len(of_address) == 1
    stream.close()
    assert in_flight._requests == {}
