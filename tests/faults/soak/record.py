"""The record of a soak in files: its incidents and acknowledged events. A later run continues the soak from it."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from tests.faults.soak.memory import Life, Memory
from tests.once.clients import Answer

RECORD: Final = "record.json"
NOTES: Final = "acknowledged.txt"


class Head(msgspec.Struct, frozen=True):
    """The last event of a table, or its last acknowledged event. The hash of the event covers all earlier events."""

    stream: str
    position: int
    hash: str


class _Kept(msgspec.Struct):
    """The content of the file: the number of the *place* of the database, the heads that it must have, and figures."""

    place: int = 1
    minutes: float = 0
    retired: list[Head] = []
    happened: dict[str, int] = {}
    most: int = 0
    longest: Life = msgspec.field(default_factory=lambda: Life(0, 0))


class Record:
    """The record of the soak in *folder*: of all earlier runs, if there were any, and of this run.

    `happened` counts incidents and rounds by name, `retired` has the heads of tables at which no client plays any more,
    and `place` is the number of the database's place. `note` writes each acknowledgement at the other tables to a file
    immediately; `save` writes all other data to another file.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / RECORD
        kept = msgspec.json.decode(self._file.read_bytes(), type=_Kept) if self._file.exists() else _Kept()
        self.place = kept.place
        self.happened = Counter(kept.happened)
        self.memory = Memory(kept.most, kept.longest)
        self.retired = kept.retired
        self._minutes_before = kept.minutes
        self._began = time.monotonic()
        self._notes = (folder / NOTES).open("a+b", buffering=0)

    @property
    def minutes(self) -> float:
        """The minutes of all runs together."""
        return self._minutes_before + (time.monotonic() - self._began) / 60

    def note(self, answer: Answer) -> None:
        """Note the event that *answer* acknowledges; several threads may call this at the same time."""
        receipt = answer.json["receipt"]
        stream = receipt["stream"].rpartition("_")[2]
        self._notes.write(f"{stream} {receipt['position']} {receipt['leaf_hash']}\n".encode())

    def noted(self) -> list[Head]:
        """Return the last acknowledged event of each table since the last `retire`."""
        self._notes.seek(0)
        whole_lines = self._notes.readall().rpartition(b"\n")[0].decode().splitlines()
        heads = [Head(stream, int(position), leaf) for stream, position, leaf in map(str.split, whole_lines)]
        last = {head.stream: head for head in sorted(heads, key=lambda head: head.position)}
        return list(last.values())

    def retire(self, heads: Iterable[Head]) -> None:
        """Add *heads* to `retired`, save, and delete the notes."""
        self.retired += heads
        self.save()
        self._notes.truncate(0)

    def save(self) -> None:
        """Save everything but the notes; a kill leaves either the old file or the new file."""
        memory = self.memory
        kept = _Kept(self.place, self.minutes, self.retired, dict(self.happened), memory.most, memory.longest)
        new = self._file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(kept))
        new.replace(self._file)

    def close(self) -> None:
        self._notes.close()
