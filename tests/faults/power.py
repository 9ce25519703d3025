"""What a disk holds after a loss of power: all that was synced, and of the rest any subset, torn between sectors."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from tests.faults.vfs import RECORD, File, Op

SECTOR: Final = 512  # bytes: what a disk writes whole or not at all

Image: TypeAlias = bytes | None
"""What is in a file; None: there is none."""


class Step(NamedTuple):
    """One thing that was done to a file. *end*: how long the trace was with it."""

    op: Op
    file: File
    offset: int
    data: bytes
    end: int


class Survival(NamedTuple):
    """How much of what was not synced stays: of each write each sector with the chance *kept*; see `from_end`.

    *from_end*: what stays is the end of each file's writes, not any: as if the disk had taken them in that order.
    """

    name: str
    kept: float
    from_end: bool = False


SURVIVALS: Final = (
    Survival("nothing", 0.0),
    Survival("all", 1.0),
    Survival("half of the sectors", 0.5),
    Survival("most sectors", 0.9),
    Survival("few sectors", 0.1),
    Survival("the last writes", 1.0, from_end=True),
)


def read_trace(path: Path) -> list[Step]:
    """Return what was done, in order."""
    data = path.read_bytes()
    steps: list[Step] = []
    at = 0
    while at < len(data):
        op, file, offset, length = RECORD.unpack_from(data, at)
        start = at + RECORD.size
        at = start + length
        steps.append(Step(Op(op), File(file), offset, data[start:at], at))
    return steps


class Disk:
    """The files of a database on a disk that may lose power at any moment.

    A file that was deleted is gone for certain once the one in its place was synced.
    """

    def __init__(self, files: Mapping[File, bytes]) -> None:
        self._synced: dict[File, bytearray] = {file: bytearray(data) for file, data in files.items()}
        self._unsynced: dict[File, list[Step]] = {file: [] for file in File}
        self._begun: dict[int, int] = {}  # where the trace stood when a sync began, by its number
        self._former: dict[File, bytearray | None] = {}

    def copy(self) -> "Disk":
        made = Disk({file: bytes(data) for file, data in self._synced.items()})
        made._unsynced = {file: list(steps) for file, steps in self._unsynced.items()}
        made._former = dict(self._former)
        return made

    @property
    def has_unsynced(self) -> bool:
        return any(self._unsynced.values())

    def do(self, step: Step) -> None:
        """Go on by one step."""
        match step.op:
            case Op.WRITE | Op.TRUNCATE:
                self._unsynced[step.file].append(step)
            case Op.SYNC_BEGINS:
                self._begun[step.offset] = step.end
            case Op.SYNC_ENDS:
                self._sync(step.file, self._begun.pop(step.offset))
            case Op.DELETE:
                self._former[step.file] = self._synced.pop(step.file, None)
                self._unsynced[step.file] = []

    def after(self, survival: Survival, chance: random.Random) -> dict[File, bytes]:
        """Return what is in each file after a loss of power now, of which so much survives."""
        found: dict[File, bytes] = {}
        for file in File:
            unsynced = self._unsynced[file]
            former = self._former.get(file)
            if former is not None and not (survival.kept and unsynced) and chance.random() < 0.5:
                found[file] = bytes(former)  # it was never deleted
            elif file in self._synced or (survival.kept and unsynced):
                found[file] = _survived(self._synced.get(file, b""), unsynced, survival, chance)
        return found

    def _sync(self, file: File, until: int) -> None:
        unsynced = self._unsynced[file]
        synced = [step for step in unsynced if step.end <= until]
        data = self._synced.setdefault(file, bytearray())
        for step in synced:
            _apply(data, step, 0, len(step.data))
        self._unsynced[file] = unsynced[len(synced) :]
        self._former.pop(file, None)


def lay(files: Mapping[File, bytes], database: Path) -> None:
    """Write *files* where nothing was, so that the path of the database is *database*."""
    for file, suffix in ((File.DATABASE, ""), (File.WAL, "-wal"), (File.JOURNAL, "-journal")):
        if file in files:
            database.with_name(database.name + suffix).write_bytes(files[file])


def _survived(synced: bytes | bytearray, unsynced: list[Step], survival: Survival, chance: random.Random) -> bytes:
    data = bytearray(synced)
    first = chance.randrange(len(unsynced)) if survival.from_end and unsynced else 0
    for step in unsynced[first:]:
        for start, end in _sectors(step) if step.op is Op.WRITE else [(0, 0)]:
            if chance.random() < survival.kept:
                _apply(data, step, start, end)
    return bytes(data)


def _sectors(step: Step) -> Iterator[tuple[int, int]]:
    """Yield from where to where in its data each sector is that a write touches."""
    start = 0
    while start < len(step.data):
        end = min(len(step.data), start + SECTOR - (step.offset + start) % SECTOR)
        yield start, end
        start = end


def _apply(data: bytearray, step: Step, start: int, end: int) -> None:
    """Do a part of a write, or all of a truncation."""
    if step.op is Op.TRUNCATE:
        del data[step.offset :]
        data.extend(bytes(step.offset - len(data)))
        return
    at = step.offset + start
    data.extend(bytes(max(0, at - len(data))))
    data[at : at + end - start] = step.data[start:end]
