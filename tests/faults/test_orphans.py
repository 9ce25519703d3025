"""Workers whose parent was killed end by themselves, each without waiting for another worker."""

import os
import signal
from contextlib import ExitStack

from tests.cli.commands import Instance, is_silent
from tests.faults.servers import Serving, serving, wait_until

_ATTEMPTS = 20


def test_a_worker_that_is_still_starting_when_its_parent_is_killed_never_listens(instance: Instance) -> None:
    for _ in range(_ATTEMPTS):
        with serving(instance, "--workers", "2") as server:
            starting = _begin_another_worker(server)
            if _is_left_without_having_listened(server, starting):
                os.kill(starting, signal.SIGCONT)
                while server.workers():
                    assert is_silent(server.port)
                return
    raise AssertionError("Every worker had begun to listen before it could be stopped.")


def _is_left_without_having_listened(server: Serving, starting: int) -> bool:
    """Suspend the worker *starting*, and kill the parent; return whether no worker listens after the others end."""
    os.kill(starting, signal.SIGSTOP)
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: server.workers() == [starting])
    return is_silent(server.port)


def _begin_another_worker(server: Serving) -> int:
    """Kill a worker of *server*; return the process id of the worker that replaces it, as soon as there is one."""
    before = server.workers()
    os.kill(before[0], signal.SIGKILL)
    wait_until(lambda: bool(set(server.workers()) - set(before)))
    return max(set(server.workers()) - set(before))


def test_a_worker_ends_after_its_parent_even_while_a_worker_that_started_later_hangs(instance: Instance) -> None:
    with serving(instance, "--workers", "2") as server, ExitStack() as at_the_end:
        first, second = server.workers()
        os.kill(second, signal.SIGSTOP)
        at_the_end.callback(os.kill, second, signal.SIGCONT)
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: first not in server.workers())
        assert second in server.workers()  # the worker hangs; otherwise the test would show nothing
