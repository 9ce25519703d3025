"""The content of a disk after a loss of power: all synced writes, and any subset of the sectors written since."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from tests.faults.vfs import RECORD, File, Op

SECTOR: Final = 512  # bytes: a disk writes a sector as a whole or not at all

Image: TypeAlias = bytes | None
"""The content of a file; None: there is no such file."""


class Step(NamedTuple):
    """One operation on a file. *end*: the length of the trace in bytes, up to the end of this operation."""

    op: Op
    file: File
    offset: int
    data: bytes
    end: int


class Survival(NamedTuple):
    """The unsynced writes that survive: each sector survives with the given *probability*.

    *from_end*: in each file, the writes before a random unsynced write are lost; only this write and later writes can
    survive.
    """

    name: str
    probability: float
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
    """Return the operations of the trace, in order."""
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

    A deleted file may come back after a loss of power, until a new file of the same name is synced.
    """

    def __init__(self, files: Mapping[File, bytes]) -> None:
        self._synced: dict[File, bytearray] = {file: bytearray(data) for file, data in files.items()}
        self._unsynced: dict[File, list[Step]] = {file: [] for file in File}
        self._begun: dict[int, int] = {}  # the length of the trace at the start of each sync, by number
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
        """Apply one operation."""
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
        """Return the content of each file after a loss of power now; *survival* decides which writes survive."""
        found: dict[File, bytes] = {}
        for file in File:
            unsynced = self._unsynced[file]
            former = self._former.get(file)
            if former is not None and not (survival.probability and unsynced) and chance.random() < 0.5:
                found[file] = bytes(former)  # the deletion did not survive
            elif file in self._synced or (survival.probability and unsynced):
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
    """Write *files* to an empty folder, with the database at the path *database*."""
    for file, suffix in ((File.DATABASE, ""), (File.WAL, "-wal"), (File.JOURNAL, "-journal")):
        if file in files:
            database.with_name(database.name + suffix).write_bytes(files[file])


def _survived(synced: bytes | bytearray, unsynced: list[Step], survival: Survival, chance: random.Random) -> bytes:
    data = bytearray(synced)
    first = chance.randrange(len(unsynced)) if survival.from_end and unsynced else 0
    for step in unsynced[first:]:
        for start, end in _sectors(step) if step.op is Op.WRITE else [(0, 0)]:
            if chance.random() < survival.probability:
                _apply(data, step, start, end)
    return bytes(data)


def _sectors(step: Step) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each sector's part in the data of a write."""
    start = 0
    while start < len(step.data):
        end = min(len(step.data), start + SECTOR - (step.offset + start) % SECTOR)
        yield start, end
        start = end


def _apply(data: bytearray, step: Step, start: int, end: int) -> None:
    """Apply the bytes *start* to *end* of a write, or a whole truncation."""
    if step.op is Op.TRUNCATE:
        del data[step.offset :]
        data.extend(bytes(step.offset - len(data)))
        return
    at = step.offset + start
    data.extend(bytes(max(0, at - len(data))))
    data[at : at + end - start] = step.data[start:end]
