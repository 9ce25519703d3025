"""The memory of a server's workers over their lives."""

from pathlib import Path

from msgspec import Struct


class Life(Struct):
    """The memory of one worker, in bytes, at its *first* and its *last* sample.

    *played*: the number of commands of all workers in the rounds that ended with a sample of this worker.
    """

    first: int
    last: int
    played: int = 0


class Memory:
    """Samples the workers' memory; each new worker begins a new life.

    *most* and *longest* are from earlier runs: the memory of the largest worker, and the life with the most commands.
    """

    def __init__(self, most: int, longest: Life) -> None:
        self.most = most
        self._lives = {0: longest}  # the longest life in earlier runs has no process any more

    def sample(self, workers: list[int], played: int) -> None:
        """Note the memory of *workers* after *played* further commands of all workers together."""
        for pid in workers:
            used = _resident(pid)
            self.most = max(self.most, used)
            life = self._lives.setdefault(pid, Life(used, used))
            life.last, life.played = used, life.played + played

    @property
    def longest(self) -> Life:
        """The life with the most commands."""
        return max(self._lives.values(), key=lambda life: life.played)


def _resident(pid: int) -> int:
    """Return the resident memory of a process; 0 if the process has ended."""
    try:
        status = (Path("/proc") / str(pid) / "status").read_text()
    except OSError:
        return 0
    sizes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")]
    return 1024 * sum(sizes)
