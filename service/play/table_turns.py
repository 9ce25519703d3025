"""Turns: commands with If-Match at one table wait for each other in a process, but only briefly (DECISIONS 126)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

PATIENCE_SECONDS: Final = 0.1
"""A command waits at most this long for its turn; then it is carried out beside the command whose turn it is."""
_FEW: Final = 4
"""If more commands than this wait at a table, stale commands get no turn, and wait for `PATIENCE_SECONDS`."""


class TableTurns:
    """The turns of commands with If-Match, by table; *position* returns a table's position as this process knows it.

    Of several such commands at one position, at most one can be recorded. Without turns, all of them would be decided
    and written, and all but one would then fail. Of the waiting commands that are not stale at the known position, the
    last to arrive gets the next turn. If all waiting commands are stale, and there are only a few, the last to arrive
    gets the turn, and is refused. If many stale commands wait, their clients race: a refused client would send another
    command at once. So these commands are refused only when their wait ends. Turns only save work: the log alone makes
    sure that no stale command is recorded.
    """

    def __init__(self, position: Callable[[bytes], int], patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._position = position
        self._patience_seconds = patience_seconds
        self._lock = Lock()
        self._turns: dict[bytes, _Turn] = {}

    @contextmanager
    def turn(self, stream_id: bytes, if_match: int) -> Iterator[None]:
        """Run the block when the caller has the turn at the table of *stream_id*, or after `patience_seconds`."""
        waiter = _Waiter(if_match)
        with self._lock:
            turn = self._turns.setdefault(stream_id, _Turn())
            holder = turn.holder = turn.holder or waiter
            if holder is not waiter:
                turn.waiting.append(waiter)
        try:
            if holder is not waiter:
                waiter.wait(self._patience_seconds)
                self._stop_waiting(turn, waiter, holder)
            yield
        finally:
            self._pass_on(stream_id, turn, waiter)

    def _stop_waiting(self, turn: "_Turn", waiter: "_Waiter", holder: "_Waiter") -> None:
        """End the wait of *waiter*, which may have the turn by now; *holder* had the turn when the wait began.

        If *holder* still has the turn, *waiter* takes the turn: the thread of *holder* may have been interrupted, and
        would then never pass the turn on.
        """
        with self._lock:
            if waiter in turn.waiting:
                turn.waiting.remove(waiter)
                if turn.holder is holder:
                    turn.holder = waiter

    def _pass_on(self, stream_id: bytes, turn: "_Turn", waiter: "_Waiter") -> None:
        """If *waiter* has the turn, give the turn to the next waiter."""
        with self._lock:
            if waiter in turn.waiting:  # An exception has ended the wait.
                turn.waiting.remove(waiter)
            if turn.holder is waiter:
                turn.holder = turn.next_waiter(self._position(stream_id))
                if turn.holder:
                    turn.holder.wake()
            if not turn.holder and not turn.waiting and self._turns.get(stream_id) is turn:
                del self._turns[stream_id]


class _Waiter:
    """A command with *if_match* that waits for its turn, or has the turn."""

    def __init__(self, if_match: int) -> None:
        self.if_match: Final = if_match
        self._asleep: Final = Lock()
        self._asleep.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until another thread calls `wake`, but for at most *seconds*."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Wake the thread of this command; a command is woken at most once."""
        self._asleep.release()


class _Turn:
    """The turn at one table: the command that has it, if any, and the waiting commands in the order of their arrival.

    If no command has the turn, the next command that arrives takes the turn.
    """

    def __init__(self) -> None:
        self.holder: _Waiter | None = None
        self.waiting: list[_Waiter] = []

    def next_waiter(self, position: int) -> _Waiter | None:
        """Remove and return the waiter that has the next turn at *position*; None: all waiters go on waiting."""
        fresh = [waiter for waiter in self.waiting if waiter.if_match >= position]
        among = fresh or (self.waiting if len(self.waiting) <= _FEW else [])
        if not among:
            return None
        chosen = among[-1]
        self.waiting.remove(chosen)
        return chosen
