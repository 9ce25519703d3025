"""Workers whose parent was killed end by themselves, each without waiting for another one."""

import os
import signal
from contextlib import ExitStack

from tests.cli.commands import Instance
from tests.faults.servers import serving, wait_until


def test_a_worker_ends_after_its_parent_even_while_a_worker_that_started_later_hangs(instance: Instance) -> None:
    with serving(instance, "--workers", "2") as server, ExitStack() as at_the_end:
        first, second = server.workers()
        os.kill(second, signal.SIGSTOP)
        at_the_end.callback(os.kill, second, signal.SIGCONT)
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: first not in server.workers())
        assert second in server.workers()  # it hangs: without this, the test would show nothing
