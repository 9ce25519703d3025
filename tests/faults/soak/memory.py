"""The memory of a server's workers over their lives."""

from pathlib import Path

from msgspec import Struct


class Life(Struct):
    """The memory of one worker, in bytes: at its *first* and *last* sample, and the commands *played* in between."""

    first: int
    last: int
    played: int = 0


class Memory:
    """Samples the workers' memory; a worker that is replaced begins a new life."""

    def __init__(self) -> None:
        self.most = 0
        self._lives: dict[int, Life] = {}

    def sample(self, workers: list[int], played: int) -> None:
        """Note the memory of *workers* after *played* further commands of all workers together."""
        for pid in workers:
            used = _resident(pid)
            self.most = max(self.most, used)
            life = self._lives.setdefault(pid, Life(used, used))
            life.last, life.played = used, life.played + played

    @property
    def longest(self) -> Life:
        """The worker's life with the most commands."""
        return max(self._lives.values(), key=lambda life: life.played, default=Life(0, 0))


def _resident(pid: int) -> int:
    """Return the resident memory of a process; 0 if the process has ended."""
    try:
        status = (Path("/proc") / str(pid) / "status").read_text()
    except OSError:
        return 0
    sizes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")]
    return 1024 * sum(sizes)
