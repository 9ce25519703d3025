"""A command loses its connection to PostgreSQL at any byte: no response is false; a repeat records nothing twice."""

import random
from collections import Counter
from contextlib import closing
from typing import Final

import pytest

from tests.cli.commands import Instance
from tests.faults.faulty_proxy import Fault, FaultyProxy, Way
from tests.faults.seats import IN_DOUBT, NOTHING_RECORDED, Seat, traffic_of
from tests.faults.servers import must_be_clean, serving
from tests.once.clients import Crowd

LAST_BYTES: Final = 20


@pytest.fixture
def kind() -> str:
    return "postgresql"


@pytest.mark.parametrize("most", [pytest.param(30, id="some"), pytest.param(0, id="all", marks=pytest.mark.full)])
def test_a_command_cut_at_any_byte_gets_a_true_answer_and_its_repeat_finds_one_result(
    instance: Instance, behind_proxy: Instance, proxy: FaultyProxy, chance: random.Random, most: int
) -> None:
    told: list[str] = []
    with serving(behind_proxy, "--workers", "1") as server, closing(Crowd(server.url, behind_proxy.first_key)) as crowd:
        seat = Seat(proxy, crowd)
        with closing(seat.person):
            traffic = traffic_of(seat)
            faults = [Fault(way, byte) for way in Way for byte in range(traffic[way])]
            # COMMIT and its answer are a few bytes; the number of bytes before them depends on prepared statements.
            last = [Fault(way, byte, since=b"COMMIT\0") for way in Way for byte in range(LAST_BYTES)]
            chosen = [*last, *chance.sample(faults, most or len(faults))]
            print(f"{len(chosen)} cuts, of {len(faults)} that there are")  # noqa: T201 -- pytest shows this on failure
            told = [seat.change(fault) for fault in chosen]
            for fault in chance.sample(faults, most or len(faults)):
                seat.be_refused(fault)
    print(Counter(told))  # noqa: T201 -- pytest shows this on failure
    assert {IN_DOUBT, NOTHING_RECORDED} <= set(told)
    must_be_clean(instance)
