"""Turns: of the commands with If-Match at a table, one at a time is carried out in a process (DECISIONS 126)."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

PATIENCE_SECONDS: Final = 0.1
"""A command waits at most this long for its turn; then it is carried out beside the command whose turn it is."""


class TableTurns:
    """The turns of commands with If-Match, by table.

    Of several such commands at one position, at most one can be recorded. Without turns, each of them is decided and
    written before it fails. The command that came last has the next turn: the longer a command waits, the likelier it
    is that the table has left the position in its If-Match. Turns only save work: the log alone makes sure that no
    stale command is recorded.
    """

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._lock = Lock()
        self._turns: dict[bytes, _Turn] = {}

    @contextmanager
    def turn(self, stream_id: bytes) -> Iterator[None]:
        """Run the block when the table of *stream_id* gives the caller its turn, or when the caller's patience ends."""
        waiter = _Waiter()
        with self._lock:
            turn = self._turns.get(stream_id)
            holder = turn.holder if turn else waiter
            if turn is None:
                turn = self._turns[stream_id] = _Turn(waiter)
            else:
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

        If *holder* still has the turn, it may be lost, for example because its thread was interrupted, so *waiter*
        takes the turn.
        """
        with self._lock:
            if waiter in turn.waiting:
                turn.waiting.remove(waiter)
                if turn.holder is holder:
                    turn.holder = waiter

    def _pass_on(self, stream_id: bytes, turn: "_Turn", waiter: "_Waiter") -> None:
        """If *waiter* has the turn, give it to the waiter that came last, or end it if nobody waits."""
        with self._lock:
            if waiter in turn.waiting:  # An exception has ended the wait.
                turn.waiting.remove(waiter)
            if turn.holder is not waiter:
                return
            if turn.waiting:
                turn.holder = turn.waiting.pop()
                turn.holder.wake()
            else:
                del self._turns[stream_id]


class _Waiter:
    """A command that waits for its turn, or has the turn."""

    def __init__(self) -> None:
        self._asleep: Final = Lock()
        self._asleep.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until another thread calls `wake`, but for at most *seconds*."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Wake the thread of this command; a command is woken at most once."""
        self._asleep.release()


class _Turn:
    """The turn at one table: the command that has it, and the commands that wait, the last to come at the end."""

    def __init__(self, holder: _Waiter) -> None:
        self.holder = holder
        self.waiting: list[_Waiter] = []
