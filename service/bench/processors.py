"""How much of the processors was used: by this process, or by another and all that it started (Linux tells)."""

import os
import resource
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_PARENT, _USER, _SYSTEM = 1, 11, 12  # places in /proc/<process>/stat, counted after the program's name


def own_seconds() -> float:
    """Return the seconds that this process has computed for: what others take of the processors is not in it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def seconds(process: int) -> float:
    """Return the seconds that *process* and its living descendants have computed for; 0.0 where nobody tells."""
    told = {found: stat for found, stat in _all().items() if stat}
    family = {process}
    while added := {found for found, stat in told.items() if int(stat[_PARENT]) in family} - family:
        family |= added
    ticks = sum(int(told[one][_USER]) + int(told[one][_SYSTEM]) for one in family if one in told)
    return ticks / os.sysconf("SC_CLK_TCK")


def _all() -> dict[int, list[str]]:
    return {int(folder.name): _stat(folder) for folder in _PROCESSES.glob("[0-9]*")}


def _stat(folder: Path) -> list[str]:
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return []
