"""Measures the processor time of this process, or (on Linux) of another process with its descendants."""

import os
import resource
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_PARENT, _USER, _SYSTEM = 1, 11, 12  # fields of /proc/<process>/stat, counted after the program's name


def own_seconds() -> float:
    """Return the processor seconds that this process alone has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def seconds(process: int) -> float:
    """Return the processor seconds of *process* and its living descendants, or 0.0 if there is no /proc."""
    stats = {found: stat for found, stat in _all().items() if stat}
    family = {process}
    while added := {found for found, stat in stats.items() if int(stat[_PARENT]) in family} - family:
        family |= added
    ticks = sum(int(stats[one][_USER]) + int(stats[one][_SYSTEM]) for one in family if one in stats)
    return ticks / os.sysconf("SC_CLK_TCK")


def _all() -> dict[int, list[str]]:
    return {int(folder.name): _stat(folder) for folder in _PROCESSES.glob("[0-9]*")}


def _stat(folder: Path) -> list[str]:
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # The process has ended.
        return []
