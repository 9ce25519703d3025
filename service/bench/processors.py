"""Measures the processor time of this process, and (on Linux) the time and memory of a process with its descendants."""

import os
import resource
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_PARENT, _USER, _SYSTEM, _PAGES = 1, 11, 12, 21  # fields of /proc/<process>/stat, counted after the program's name


def own_seconds() -> float:
    """Return the processor seconds that this process alone has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def seconds(process: int) -> float:
    """Return the processor seconds of *process* and its living descendants, or 0.0 if there is no /proc."""
    ticks = sum(int(stat[_USER]) + int(stat[_SYSTEM]) for stat in _family(process))
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(process: int) -> float:
    """Return the resident memory of *process* and its living descendants in megabytes, or 0.0 if there is no /proc."""
    return sum(int(stat[_PAGES]) for stat in _family(process)) * resource.getpagesize() / 1_000_000


def _family(process: int) -> list[list[str]]:
    """Return the fields of /proc/<process>/stat for *process* and its living descendants."""
    stats = {found: stat for found, stat in _all().items() if stat}
    family = {process}
    while added := {found for found, stat in stats.items() if int(stat[_PARENT]) in family} - family:
        family |= added
    return [stats[one] for one in family if one in stats]


def _all() -> dict[int, list[str]]:
    return {int(folder.name): _stat(folder) for folder in _PROCESSES.glob("[0-9]*")}


def _stat(folder: Path) -> list[str]:
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # The process has ended.
        return []
