"""Readers are notified of each event; throttled readers rest, and are then notified of all at once (DECISIONS 141)."""

from collections.abc import Iterator, Mapping
from threading import Event

import pytest

from service.http.operations.waiting.readers import Readers
from tests.faults.servers import wait_until

STREAM, OTHER = b"a stream", b"another stream"


class Reads:
    """The arguments with which `Readers` has called `read_on`, in order; empty arguments are left out."""

    def __init__(self) -> None:
        self.heads: list[Mapping[bytes, int]] = []

    def read_on(self, heads: Mapping[bytes, int]) -> None:
        if heads:
            self.heads.append(dict(heads))


@pytest.fixture
def reads() -> Reads:
    return Reads()


@pytest.fixture
def readers(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> Iterator[Readers]:
    """Yield readers whose rests end only when the test ends them."""
    monkeypatch.setattr(Readers, "_rest_seconds", lambda _: 600)
    made = Readers(reads.read_on)
    yield made
    made.end()


def test_a_throttled_reader_is_notified_of_the_first_event_now_and_of_all_events_of_the_rest_at_its_end(
    readers: Readers,
) -> None:
    with readers.notification(STREAM, is_throttled=True) as throttled, readers.notification(STREAM) as prompt:
        readers.notify(STREAM, 1)
        assert (throttled.least, prompt.least) == (1, 1)
        for position in (2, 3):
            readers.notify(STREAM, position)
            assert (throttled.least, prompt.least) == (1, position)
        readers.end_rest()
        assert throttled.least == 3
        readers.notify(STREAM, 4)
        assert throttled.least == 3  # the stream rests again
        readers.end_rest()
        readers.end_rest()  # nothing happened during this rest
        readers.notify(STREAM, 5)
        assert throttled.least == 5


def test_hints_of_a_stream_that_rests_are_read_once_together_with_other_streams(readers: Readers, reads: Reads) -> None:
    with (
        readers.notification(STREAM, is_throttled=True) as one,
        readers.notification(OTHER, is_throttled=True) as other,
    ):
        readers.hear({STREAM: 1})
        readers.hear({STREAM: 2, OTHER: 7})
        readers.hear({STREAM: 3, OTHER: 8, b"nobody awaits this": 1})
        assert (reads.heads, one.least, other.least) == ([{STREAM: 1}, {OTHER: 7}], 1, 7)
        readers.end_rest()
        assert reads.heads[2:] == [{STREAM: 3, OTHER: 8}]
        assert (one.least, other.least) == (3, 8)


def test_a_hint_is_read_at_once_for_a_long_poll_even_if_the_stream_rests(readers: Readers, reads: Reads) -> None:
    with readers.notification(STREAM, is_throttled=True) as throttled, readers.notification(STREAM) as prompt:
        readers.hear({STREAM: 1})
        readers.hear({STREAM: 2})
        assert (reads.heads, throttled.least, prompt.least) == ([{STREAM: 1}, {STREAM: 2}], 1, 2)
        readers.end_rest()
        assert throttled.least == 2


def test_a_poll_of_the_heads_does_not_end_a_rest_and_its_events_are_not_forgotten(readers: Readers) -> None:
    with readers.notification(STREAM, is_throttled=True) as throttled:
        readers.notify(STREAM, 1)
        readers.poll({STREAM: 2})
        assert throttled.least == 1
        readers.end_rest()
        assert throttled.least == 2


def test_after_a_rest_without_an_event_the_thread_that_ends_rests_waits_for_the_next_event(readers: Readers) -> None:
    with readers.notification(STREAM, is_throttled=True):
        readers.notify(STREAM, 1)
        readers.notify(STREAM, 2)
        readers.end_rest()
        assert readers._rests.is_set()  # the stream rests again after the second event
        readers.end_rest()
        assert not readers._rests.is_set()
        readers.notify(STREAM, 3)
        assert readers._rests.is_set()


def test_a_rest_of_which_all_readers_have_left_notifies_nobody(readers: Readers) -> None:
    with readers.notification(STREAM, is_throttled=True):
        readers.notify(STREAM, 1)
        readers.notify(STREAM, 2)
    readers.end_rest()
    with readers.notification(STREAM, is_throttled=True) as late:
        readers.end_rest()
        readers.notify(STREAM, 3)
        assert late.least == 3


def test_a_rest_that_ends_while_the_process_stops_leaves_no_thread_waiting(readers: Readers) -> None:
    with readers.notification(STREAM, is_throttled=True):
        readers.notify(STREAM, 1)
        readers._ended.set()
        readers._rests.set()
        readers.end_rest()  # after a rest without an event the thread waits, but not if the process stops
        assert readers._rests.is_set()


def test_the_end_waits_until_nothing_is_read_on_any_more() -> None:
    begun, returned = Event(), Event()
    too_late: list[bool] = []

    def read_on(_heads: Mapping[bytes, int]) -> None:
        begun.set()
        made._ended.wait(30)
        too_late.append(returned.wait(0.2))

    made = Readers(read_on)
    with made.notification(STREAM, is_throttled=True):
        made._resting = {STREAM: 1}
        made._rests.set()
        assert begun.wait(30)
        made.end()
        returned.set()
    assert too_late == [False]


def test_rests_end_by_themselves_and_are_longer_for_more_readers_but_have_a_limit() -> None:
    readers = Readers()
    with readers.notification(STREAM, is_throttled=True) as one, readers.notification(STREAM, is_throttled=True):
        readers.notify(STREAM, 1)
        readers.notify(STREAM, 2)
        wait_until(lambda: one.least == 2)
        wait_until(lambda: not readers._resting)
        readers._resting = {STREAM: 0}
        assert readers._rest_seconds() == pytest.approx(0.006)
        readers._readers[STREAM].throttled |= {type(one)() for _ in range(500)}
        assert readers._rest_seconds() == 0.1
    readers.end()


def test_a_reader_that_does_not_read_on_lets_its_stream_rest_once_and_not_at_each_poll(readers: Readers) -> None:
    with (
        readers.notification(STREAM, is_throttled=True) as slow,
        readers.notification(STREAM, is_throttled=True) as quick,
    ):
        slow.wait(1, 0)
        quick.wait(1, 0)
        readers.poll({STREAM: 2})
        quick.position = 2
        for _ in range(2):  # the rest ends, and then no rest is left
            readers.end_rest()
        readers.poll({STREAM: 2})
        readers.notify(STREAM, 3)
        assert quick.least == 3
