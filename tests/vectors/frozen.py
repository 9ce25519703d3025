"""The hashes of all recorded lines and vectors; `python -m tests.vectors.frozen` adds the new ones.

The recorded lines and the vectors do not change from the first release on. The command never changes or removes a hash.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from service.canonical import canonical
from service.event_store import leaf
from tests.event_store import recorded_dispute_lines, recorded_lines
from tests.event_store.lines import Line
from tests.vectors import recorded_vectors
from tests.vectors.vectors_of_dossier import FILE, FROZEN

COMMAND: Final = "python -m tests.vectors.frozen"
HASHES: Final = Path(__file__).with_name("frozen.txt")
SERVICE_LINES: Final = recorded_lines.HERE / "recorded_service_events.jsonl"


def present() -> dict[str, str]:
    """Return the SHA-256 of each recorded line and vector, by its name."""
    return {name: sha256(data).hexdigest() for name, data in _all()}


def frozen(path: Path = HASHES) -> Mapping[str, str]:
    """Return the hashes that were recorded, by name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("  ") for line in lines]
    return {name: one for one, name in pairs}


def add(path: Path = HASHES) -> None:
    """Add the hash of each recorded line and vector that has none."""
    known = frozen(path)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{one}  {name}\n" for name, one in present().items() if name not in known)


def _all() -> Iterator[tuple[str, bytes]]:
    for line in recorded_lines.lines():
        kind = recorded_lines.kind_of(line.data)
        called, signed = " called" * kind.is_called, " signed" * kind.is_signed
        yield f"recorded line: {kind.name} {kind.version}{called}{signed}", msgspec.json.encode(line)
    for data in SERVICE_LINES.read_bytes().splitlines():
        found = leaf.decode(msgspec.json.decode(data, type=Line).data)
        yield f"recorded line of the service: {found.position} {found.type}", data
    for line in recorded_dispute_lines.lines():
        found = leaf.decode(line.data)
        yield f"recorded line of disputes: {found.type} {found.version}", msgspec.json.encode(line)
    for name, value in recorded_vectors.vectors().items():
        yield f"vector: {name}", canonical(value)
    files = recorded_vectors.recorded_dossier()
    for name in FROZEN:
        yield f"vector: {FILE} {name}", files[name]


if __name__ == "__main__":
    add()
