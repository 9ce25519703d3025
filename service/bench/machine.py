"""Describes the machine on which figures are measured."""

import os
import platform
import sqlite3
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Final

from service.clock import Clock

_TRIES: Final = 30
_PACKAGES: Final = ("granian", "flask", "sqlalchemy", "psycopg", "msgspec", "cryptography")
_PAGE: Final = bytes(4096)


def describe(folder: Path, clock: Clock) -> Mapping[str, str]:
    """Return the properties of the machine that affect figures; *folder* has the databases."""
    busy = os.getloadavg()[0]
    return {
        "processor": f"{_processor()}, {_cores()} cores, load {busy:.2f} before the first figure",
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {found}" for name in _PACKAGES if (found := _version(name))),
        "sqlite": sqlite3.sqlite_version,
        "one synced write": f"{sync_ms(folder, clock):.2f} ms (4 KiB and fdatasync, the median of {_TRIES})",
    }


def sync_ms(folder: Path, clock: Clock) -> float:
    """Return the median time, in milliseconds, to write and sync a page on the disk of *folder*."""
    taken = []
    file = folder / "sync"
    with file.open("wb", buffering=0) as out:
        for _ in range(_TRIES):
            begun = clock.monotonic()
            out.write(_PAGE)
            getattr(os, "fdatasync", os.fsync)(out.fileno())
            taken.append(clock.monotonic() - begun)
    file.unlink()
    return median(taken) * 1000


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
