"""The workers of a server send each other hints of events; a hint that is lost or wrong does no harm."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from threading import Thread, enumerate as enumerate_threads

import pytest
from structlog.testing import capture_logs

from service.clock import Clock
from service.http.operations.waiting import worker_hints
from service.http.operations.waiting.awaited_streams import AwaitedStreams
from service.http.operations.waiting.notification import Notification
from service.http.operations.waiting.worker_hints import HintSockets, WorkerHints, rest_after
from tests.http.service import Service, Table, accepted

pytestmark = pytest.mark.skipif(not worker_hints.can_be_sent(), reason="Linux alone has abstract sockets")

STREAM = bytes(range(16))


class Workers:
    """Workers of one server, and the hints that they have heard: the worker's number, the stream and the position."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self._numbers = count()
        self.sockets = HintSockets(Clock().new_id("server"), 2, folder / "awaited")
        self.heard: list[tuple[int, bytes, int]] = []

    def another(self) -> WorkerHints:
        number = next(self._numbers)
        made = WorkerHints(
            self.sockets,
            lambda heads: self.heard.extend((number, stream_id, position) for stream_id, position in heads.items()),
        )
        self._stack.enter_context(closing(made))
        made.begin(STREAM)
        return made


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    with ExitStack() as stack:
        yield Workers(stack, tmp_path)


def test_the_other_worker_hears_a_hint(workers: Workers) -> None:
    one, two = workers.another(), workers.another()
    one.send(STREAM, 7)
    two.hear_next()
    two.send(STREAM, 8)
    one.hear_next()  # the hint of the other worker
    assert workers.heard == [(1, STREAM, 7), (0, STREAM, 8)]


def test_a_worker_gets_hints_of_the_streams_alone_that_it_awaits(workers: Workers) -> None:
    one, two = workers.another(), workers.another()
    other = bytes(reversed(STREAM))
    two.begin(STREAM)  # by now two readers of this worker await the stream
    two.end(STREAM)
    one.send(other, 1)
    one.send(STREAM, 2)
    two.hear_next()
    two.end(STREAM)
    one.send(STREAM, 3)
    two.begin(other)
    one.send(other, 4)
    two.hear_next()
    assert [(stream_id, position) for _, stream_id, position in workers.heard] == [(STREAM, 2), (other, 4)]


def test_a_hint_to_nobody_and_to_a_worker_that_does_not_listen_is_lost_without_an_error(workers: Workers) -> None:
    one = workers.another()
    one.send(STREAM, 1)
    two = workers.another()
    for position in range(10_000):  # more hints than a socket holds
        one.send(STREAM, position)
    came = two.hear_next()
    assert workers.heard == [(1, STREAM, came - 1)]


def test_hints_that_have_come_are_heard_together(workers: Workers) -> None:
    one, two = workers.another(), workers.another()
    other = bytes(reversed(STREAM))
    two.begin(other)
    for stream_id, position in ((STREAM, 3), (other, 8), (STREAM, 5), (STREAM, 4)):
        one.send(stream_id, position)
    assert two.hear_next() == 4
    assert [(stream_id, position) for _, stream_id, position in workers.heard] == [(STREAM, 5), (other, 8)]


def test_a_worker_rests_until_about_four_hints_have_come_but_only_briefly() -> None:
    assert rest_after(1, 0.005) == 0.005
    assert rest_after(11, 0.005) == pytest.approx(0.005 * 4 / 11)
    assert rest_after(1, 0.001) == 0.004
    assert rest_after(64, 0.000_1) == 0.000_1


def test_a_datagram_of_another_form_is_no_hint(workers: Workers) -> None:
    one = workers.another()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        for sent in (b"", b"hello", STREAM + bytes(5)):
            stranger.sendto(sent, workers.sockets.addresses()[0])
            one.hear_next()
    assert workers.heard == []


def test_a_hint_of_another_user_of_the_machine_is_not_heard(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = workers.another(), workers.another()
    one.send(STREAM, 1)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    two.hear_next()
    assert workers.heard == []


def test_a_wrong_hint_is_forgotten_after_one_look(workers: Workers) -> None:
    notification = Notification()
    one, two = workers.another(), WorkerHints(workers.sockets, lambda heads: notification.notify(heads[STREAM]))
    with closing(two):
        two.begin(STREAM)
        one.send(STREAM, 2**32 - 1)
        two.hear_next()
        assert notification.wait(5, 0)
        assert notification.least == 2**32 - 1
        notification.wait(5, 0)  # the reader has looked, and the stream is still at position 5
        assert notification.least == 0
        notification.notify(6)
        assert notification.least == 6


def test_a_worker_takes_the_address_of_a_worker_that_has_ended(workers: Workers) -> None:
    one, two = workers.another(), workers.another()
    one.close()
    three = workers.another()
    two.send(STREAM, 5)
    three.hear_next()
    assert [position for _, _, position in workers.heard] == [5]


def test_the_address_of_a_worker_that_listened_is_free_as_soon_as_the_worker_is_closed(workers: Workers) -> None:
    for _ in range(len(workers.sockets.addresses()) + 1):
        one = workers.another()
        one.start()
        one.close()
    assert not threads()


def test_at_the_stop_of_a_process_its_thread_that_hears_hints_ends(quick_service: Service, tmp_path: Path) -> None:
    quick_service.parts.share_hints(Clock().new_id("server"), 2, tmp_path)
    assert len(threads()) == 1
    quick_service.parts.end()  # the caller may now close the database, which the thread reads
    assert not threads()
    Table(quick_service).dealt()  # running requests still commit, and send hints
    hints = quick_service.parts.long_polls.readers._hints
    assert isinstance(hints, WorkerHints)
    hints.close()


def threads() -> list[Thread]:
    """Return the threads that hear hints."""
    return [one for one in enumerate_threads() if one.name == "hear-hints"]


def test_a_new_worker_does_not_await_what_a_killed_worker_awaited(tmp_path: Path) -> None:
    killed, other = AwaitedStreams(tmp_path / "awaited", 2, 0), AwaitedStreams(tmp_path / "awaited", 2, 1)
    killed.begin(STREAM)
    assert other.has_reader(0, STREAM)
    AwaitedStreams(tmp_path / "awaited", 2, 0)
    assert not other.has_reader(0, STREAM)


def test_the_file_of_awaited_streams_has_its_disk_space_before_a_stream_is_awaited(tmp_path: Path) -> None:
    """On a full disk, a write to a part of the file without space would kill the worker."""
    AwaitedStreams(tmp_path / "awaited", 8, 0)
    found = (tmp_path / "awaited").stat()
    assert found.st_blocks * 512 >= found.st_size > 0


def test_without_the_file_of_awaited_streams_a_worker_leaves_its_address_to_others(
    workers: Workers, tmp_path: Path
) -> None:
    (tmp_path / "awaited").mkdir()
    for _ in workers.sockets.addresses():
        with pytest.raises(OSError, match="Is a directory"):
            workers.another()
    (tmp_path / "awaited").rmdir()
    one, two = workers.another(), workers.another()
    two.send(STREAM, 1)
    one.hear_next()
    assert [position for _, _, position in workers.heard] == [1]


def test_a_worker_says_why_it_shares_no_hints_and_goes_on(quick_service: Service, tmp_path: Path) -> None:
    with capture_logs() as captured:
        quick_service.parts.share_hints("server_1", 2, tmp_path / "gone")
    cause = {"folder": str(tmp_path / "gone"), "cause": "No such file or directory"}
    assert captured == [{"event": "hints_not_shared", "log_level": "warning", **cause}]
    accepted(Table(quick_service).host.get("/v1/tables"))
