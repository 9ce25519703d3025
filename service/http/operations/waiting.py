"""Waiting for what happens at a table: long polls and streams, which hold a thread each while they last."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Lock, Thread
from typing import Final, Protocol, Self, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.responses.problems import RETRY, Problem

MOST_SECONDS: Final = 30
_SOONEST_SECONDS: Final = 0.01
_LATEST_SECONDS: Final = 0.1
"""What another process records rings no bell here, and neither does the timekeeper: so the heads are looked at.

That is done often where things happen fast, so that nobody waits for a look much longer than for what it finds; each
time that nothing has happened it is put off for twice as long, up to this.
"""

Heads = Callable[[Collection[bytes]], Mapping[bytes, int]]
"""Reads where streams stand."""


class Seen(Protocol):
    """What was seen of a stream at a position."""

    @property
    def position(self) -> int:
        """Where the stream stood."""


S = TypeVar("S", bound=Seen)


class Bell:
    """Rings once its stream goes on past the *position* that its holder has seen."""

    def __init__(self) -> None:
        self.position = 0
        self.rung_for = 0
        """The head that it was last rung for; who holds it may be busy telling of another one."""
        self._event = Event()

    def ring(self) -> None:
        """Wake whoever waits for it."""
        self._event.set()

    def wait(self, position: int, seconds: float) -> bool:
        """Wait until the stream stands beyond *position*, at most for *seconds*; tell whether it rang."""
        self.position = position
        rang = self._event.wait(seconds)
        self._event.clear()
        return rang


class Place:
    """One of the places for those who wait, taken for *parties* until it is left; leaving twice is leaving once."""

    def __init__(self, parties: tuple[str, ...], leave: "Callable[[Place], None]") -> None:
        self.parties: Final = parties
        self._leave = leave

    def leave(self) -> None:
        """Let somebody else have it."""
        self._leave(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


class Waiting:
    """The places of those who wait, within *limits*, and their bells by stream."""

    def __init__(
        self,
        limits: Limits,
        heads: Heads,
        clock: Clock,
        *,
        count: Callable[[int], None] = lambda _: None,
        away: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """*count* is called with how many wait, whenever that changes; a request sleeps inside *away*."""
        self._count = count
        self._away = away
        self._bulkhead = Bulkhead(limits)
        self._heads = heads
        self._clock = clock
        self._places: set[Place] = set()
        self._bells: dict[bytes, set[Bell]] = {}
        self._watcher: Thread | None = None
        self._lock = Lock()
        self._ended = Event()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return len(self._places)

    @property
    def is_ending(self) -> bool:
        """Whether the process is about to stop, so that nobody should wait any more."""
        return self._ended.is_set()

    def place(self, *parties: str) -> Place:
        """Take a place for *parties*, which must be left again.

        Raises:
            Problem: all are taken, or one of *parties* has its share.
        """
        with self._lock:
            if self._ended.is_set():
                raise Problem("place_must_be_free", "The service is about to stop.", headers=RETRY)
            full = self._bulkhead.full_for(parties)
            if full is not None:
                raise Problem("place_must_be_free", _why(full, self._bulkhead.limits), headers=RETRY)
            taken = Place(parties, self._leave)
            self._places.add(taken)
            self._bulkhead.enter(parties)
            self._count(len(self._places))
            return taken

    @contextmanager
    def bell(self, stream_id: bytes) -> Iterator[Bell]:
        """Hang up a bell for the stream."""
        bell = Bell()
        with self._lock:
            self._bells.setdefault(stream_id, set()).add(bell)
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, name="watch-heads", daemon=True)
                self._watcher.start()
        try:
            yield bell
        finally:
            with self._lock:
                bells = self._bells[stream_id]
                bells.remove(bell)
                if not bells:
                    del self._bells[stream_id]

    def wake(self, stream_id: bytes) -> None:
        """Wake whoever waits for the stream: something was committed to it."""
        with self._lock:
            for bell in self._bells.get(stream_id, ()):
                bell.ring()

    def until(
        self,
        stream_id: bytes,
        seconds: int,
        parties: Callable[[], tuple[str, ...]],
        look: Callable[[], S],
        enough: Callable[[S], bool],
    ) -> S:
        """Return what *look* sees, as soon as it is *enough*, or the *seconds* are over.

        Raises:
            Problem: it is not there yet, and there is no place to wait for it.
        """
        end = self._clock.monotonic() + seconds
        seen = look()
        if not seconds or enough(seen):
            return seen
        with self.place(*parties()), self.bell(stream_id) as bell:
            while not enough(seen) and not self.is_ending and (left := end - self._clock.monotonic()) > 0:
                with self._away():
                    bell.wait(seen.position, left)
                seen = look()
        return seen

    def pause(self, seconds: float) -> None:
        """Let so many seconds pass, or fewer where the process is about to stop."""
        if seconds > 0:
            self._ended.wait(seconds)

    def end(self) -> None:
        """Let nobody wait any more: the process is about to stop."""
        self._ended.set()
        self._ring_all()
        if watcher := self._watcher:
            watcher.join()  # what it reads with is about to be let go

    def _leave(self, place: Place) -> None:
        with self._lock:
            if place in self._places:
                self._places.remove(place)
                self._bulkhead.leave(place.parties)
                self._count(len(self._places))

    def _watch(self) -> None:
        """Look where the streams stand for as long as there is a bell."""
        pause_seconds = _SOONEST_SECONDS
        try:
            while not self.is_ending and (streams := self._awaited()):
                has_rung = self._look(streams)
                pause_seconds = _SOONEST_SECONDS if has_rung else min(2 * pause_seconds, _LATEST_SECONDS)
                self._ended.wait(pause_seconds)
        except BaseException:
            self._watcher = None  # a defect; whoever comes next is watched for again
            raise

    def _awaited(self) -> Collection[bytes]:
        """Return the streams that somebody waits for; where there is none the watch is over."""
        with self._lock:
            if not self._bells:
                self._watcher = None
            return tuple(self._bells)

    def _look(self, streams: Collection[bytes]) -> bool:
        """Ring for those of *streams* that have gone on; tell whether one has since it was last rung for."""
        try:
            heads = self._heads(streams)
        except SQLAlchemyError:
            self._ring_all()  # whoever waits looks, and answers for what it finds
            return False
        with self._lock:
            awaited = [(head, bell) for stream_id, head in heads.items() for bell in self._bells.get(stream_id, ())]
            has_gone_on = any(max(bell.position, bell.rung_for) < head for head, bell in awaited)
            for head, bell in awaited:
                if bell.position < head:
                    bell.rung_for = head
                    bell.ring()
        return has_gone_on

    def _ring_all(self) -> None:
        with self._lock:
            for bells in self._bells.values():
                for bell in bells:
                    bell.ring()


def _why(full: str, limits: Limits) -> str:
    """Say why there is no place; *full* is the party that has its share, "": all places are taken."""
    if not full:
        return f"All {limits.in_all} places are taken."
    return f"{limits.each} are the most for one owner, for one address, and for a host with the owners that it made."
