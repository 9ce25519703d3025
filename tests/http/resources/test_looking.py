"""How often the watcher polls the heads of streams, and what wakes a reader or ends the wait of a long poll."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

import pytest
from msgspec import Struct
from sqlalchemy.exc import OperationalError

from service.entropy import Entropy
from service.http.operations.bulkhead import Limits
from service.http.operations.long_polls import LongPolls
from service.http.operations.waiting.head_watcher import HeadWatcher
from service.http.operations.waiting.readers import Awaited, Readers

STREAM = b"a stream"


class Pauses(Event):
    """The flag that marks the end of the process. The flag is never set, and `wait` only records its timeout."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout or 0.0)
        return False


def test_heads_are_read_again_soon_if_one_has_moved_and_less_and_less_often_if_none_has_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moves = iter([0, 0, 0, 0, 0, 1, 1, 1])  # the heads at each poll; the reader never reads again

    def heads(streams: Collection[Awaited]) -> Mapping[Awaited, int]:
        return dict.fromkeys(streams, next(moves))

    watcher, pauses = HeadWatcher(readers := Readers(), heads), Pauses()
    monkeypatch.setattr(watcher, "_ended", pauses)
    with readers.notification(STREAM) as reader:
        reader.wait(0, 0)
        with pytest.raises(StopIteration):  # no head is left in `moves`
            watcher._watch()
    assert pauses.seconds == [0.01, 0.02, 0.04, 0.08, 0.1, 0.1, 0.01, 0.02, 0.04]


def test_a_reader_that_has_not_waited_yet_makes_no_head_be_read_at_once_or_soon_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a reader reads by itself. If all slots are taken, many readers come and go without a wait."""
    moves = iter([1, 2])
    watcher, pauses = HeadWatcher(readers := Readers(), lambda _: {STREAM: next(moves)}), Pauses()
    monkeypatch.setattr(watcher, "_ended", pauses)
    with readers.notification(STREAM) as reader, pytest.raises(StopIteration):
        watcher._watch()
    assert pauses.seconds == [0.01, 0.02, 0.04]
    assert reader.least == 2  # the reader is notified all the same


def test_once_the_last_reader_has_left_the_watcher_ends_and_the_next_reader_starts_another() -> None:
    watcher = HeadWatcher(Readers(), lambda _: {STREAM: 1})
    for _ in range(2):
        with watcher.notification(STREAM) as notification:
            thread = watcher._thread
            assert thread
            assert thread.is_alive()
            assert notification.wait(0, 30)
        thread.join(30)
        assert not thread.is_alive()
    watcher.end()


def test_if_the_heads_cannot_be_read_each_reader_reads_by_itself() -> None:
    def heads(_streams: Collection[Awaited]) -> Mapping[Awaited, int]:
        raise OperationalError("SELECT", {}, Exception("no connection"))

    watcher = HeadWatcher(readers := Readers(), heads)
    with readers.notification(STREAM) as of_stream, readers.notification("feed") as of_feed:
        assert not watcher._poll(readers.awaited())
        assert [(reader.wait(0, 0), reader.least) for reader in (of_stream, of_feed)] == [(True, 0), (True, 0)]


def test_the_end_waits_until_no_head_is_read_any_more() -> None:
    begun, returned = Event(), Event()
    too_late: list[bool] = []

    def heads(_streams: Collection[Awaited]) -> Mapping[Awaited, int]:
        begun.set()
        watcher._ended.wait(30)
        too_late.append(returned.wait(0.2))
        return {}

    watcher = HeadWatcher(Readers(), heads)
    with watcher.notification(STREAM):
        assert begun.wait(30)
        watcher.end()
        returned.set()
    assert too_late == [False]


def test_after_the_system_has_refused_a_thread_no_reader_is_left_and_the_next_reader_is_notified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watcher = HeadWatcher(readers := Readers(), lambda _: {STREAM: 1})
    for is_throttled in (False, True):
        with monkeypatch.context() as refusing:
            refusing.setattr(Thread, "start", _refuse)
            with (
                pytest.raises(RuntimeError, match="can't start new thread"),
                watcher.notification(STREAM, is_throttled=is_throttled),
            ):
                pass
        assert not readers.has_readers(STREAM)
        with watcher.notification(STREAM, is_throttled=is_throttled) as notification:
            assert notification.wait(0, 30)
    watcher.end()


def _refuse(_thread: Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_a_long_poll_whose_client_has_left_ends_without_another_look_and_frees_its_slot() -> None:
    looks: list[Looked] = []

    def look(_least: int) -> Looked:
        looks.append(Looked())
        return looks[-1]

    @contextmanager
    def left(give_up: Callable[[], None]) -> Iterator[None]:
        give_up()
        yield

    long_polls = LongPolls(Limits(2, 1), HeadWatcher(Readers(), lambda _: {}), Entropy(), waiting=left)
    assert long_polls.wait_for(STREAM, 30, lambda: ("owner",), look, lambda _: False) is looks[0]
    assert (len(looks), long_polls.slots_taken) == (1, 0)
    long_polls.end()


def test_an_event_during_the_first_look_of_a_long_poll_ends_its_wait() -> None:
    watcher = HeadWatcher(readers := Readers(), lambda _: {})  # the poll of the heads finds nothing
    long_polls = LongPolls(Limits(2, 1), watcher, Entropy())
    leasts: list[int] = []

    def look(least: int) -> Looked:
        leasts.append(least)
        if len(leasts) > 1:
            return Looked(position=1)
        readers.notify(STREAM, 1)  # a commit that this look no longer sees
        return Looked()

    assert long_polls.wait_for(STREAM, 30, lambda: ("owner",), look, lambda state: state.position > 0).position == 1
    assert leasts == [0, 1]
    long_polls.end()


def test_a_long_poll_whose_time_is_over_returns_what_it_has_read_once_its_key_is_checked() -> None:
    watcher = HeadWatcher(Readers(), lambda _: {})
    long_polls = LongPolls(Limits(2, 1), watcher, Entropy())
    looks: list[Looked] = []
    checks: list[int] = []

    def look(_least: int) -> Looked:
        looks.append(Looked())
        return looks[-1]

    def check() -> None:
        checks.append(len(looks))

    assert long_polls.wait_for(STREAM, 1, lambda: ("owner",), look, lambda _: False, check) is looks[0]
    assert (len(looks), checks) == (1, [1])
    long_polls.end()


class Looked(Struct, frozen=True):
    """A state of the stream."""

    position: int = 0


class Hinted:
    """The streams of which a process gets hints, and the hints that the process sends."""

    def __init__(self) -> None:
        self.awaited: list[bytes] = []
        self.sent: list[tuple[bytes, int]] = []

    def begin(self, stream_id: bytes) -> None:
        self.awaited.append(stream_id)

    def end(self, stream_id: bytes) -> None:
        self.awaited.remove(stream_id)

    def send(self, stream_id: bytes, position: int) -> None:
        self.sent.append((stream_id, position))

    def end_hearing(self) -> None:
        pass


def test_a_process_gets_hints_of_the_streams_that_its_readers_await() -> None:
    readers = Readers()
    readers.share(hints := Hinted())
    with readers.notification(STREAM):
        with readers.notification(STREAM), readers.notification("feed"):
            assert hints.awaited == [STREAM]
        assert hints.awaited == [STREAM]
    assert hints.awaited == []


def test_events_of_other_workers_are_told_so_a_moved_stream_shortens_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = iter([0, 0, 0, 1])
    watcher, pauses = HeadWatcher(readers := Readers(), lambda _: {STREAM: next(moves)}), Pauses()
    readers.share(hints := Hinted())
    monkeypatch.setattr(watcher, "_ended", pauses)
    with readers.notification(STREAM) as reader:
        reader.wait(0, 0)
        with pytest.raises(StopIteration):
            watcher._watch()
        assert pauses.seconds == [0.01, 0.02, 0.04, 0.08, 0.1]
        assert reader.least == 1  # the poll has found the event all the same
        readers.notify(STREAM, 2)
        assert (hints.sent, reader.least) == ([(STREAM, 2)], 2)
        readers.hear({STREAM: 3})
        assert (hints.sent, reader.least) == ([(STREAM, 2)], 3)


@pytest.mark.parametrize(
    ("hints", "longest"), [pytest.param(True, 0.25, id="with hints"), pytest.param(False, 0.1, id="without hints")]
)
def test_the_heads_of_many_streams_are_read_less_often_if_hints_announce_nearly_all_events(
    monkeypatch: pytest.MonkeyPatch, *, hints: bool, longest: float
) -> None:
    polls = iter(range(6))
    watcher, pauses = HeadWatcher(readers := Readers(), lambda _: dict.fromkeys((), next(polls))), Pauses()
    if hints:
        readers.share(Hinted())
    monkeypatch.setattr(watcher, "_ended", pauses)
    with ExitStack() as stack:
        for number in range(500):
            stack.enter_context(readers.notification(number.to_bytes(16)))
        with pytest.raises(StopIteration):
            watcher._watch()
    assert pauses.seconds[-1] == longest
