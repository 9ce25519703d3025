"""No recorded line and no vector changes or disappears: each has the hash that it had when it was added."""

import re
import shutil
from pathlib import Path

import pytest

from tests.event_store import recorded_lines
from tests.event_store.lines import Line
from tests.vectors import frozen, recorded_vectors
from tests.vectors.frozen import COMMAND, HASHES


def changed(path: Path = HASHES) -> set[str]:
    present = frozen.present()
    return {name for name, one in frozen.frozen(path).items() if present.get(name) != one}


def test_no_recorded_line_and_no_vector_has_changed() -> None:
    assert changed() == set(), "These are frozen. Change the code, or add a new version with a line of its own."


def test_every_recorded_line_and_every_vector_is_frozen() -> None:
    assert frozen.present().keys() == frozen.frozen().keys(), f"`{COMMAND}` adds the hashes that are missing."
    lines = HASHES.read_text().splitlines()
    assert len(lines) == len(frozen.frozen())
    assert all(re.fullmatch("[0-9a-f]{64}  (recorded line|vector).*", line) for line in lines)


def test_a_changed_line_or_vector_and_a_lost_one_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, vectors, files = recorded_lines.lines(), recorded_vectors.vectors(), recorded_vectors.recorded_dossier()
    kind = recorded_lines.kind_of(lines[0].data)
    altered = [Line(hash=lines[0].hash, leaf=type(lines[0].leaf)(lines[0].data + b" ")), *lines[1:]]
    monkeypatch.setattr(recorded_lines, "lines", lambda: altered)
    assert changed() == {f"recorded line: {kind.name} {kind.version}"}
    monkeypatch.setattr(recorded_lines, "lines", lambda: lines[1:])
    assert changed() == {f"recorded line: {kind.name} {kind.version}"}
    monkeypatch.setattr(recorded_lines, "lines", lambda: lines)
    monkeypatch.setattr(recorded_vectors, "vectors", lambda: {**vectors, "receipt": {}})
    monkeypatch.setattr(recorded_vectors, "recorded_dossier", lambda: {**files, "checkpoint": b""})
    assert changed() == {"vector: receipt", "vector: dossier.zip checkpoint"}


def test_the_command_adds_hashes_and_changes_none(tmp_path: Path) -> None:
    path = tmp_path / "frozen.txt"
    first, *_ = HASHES.read_text().splitlines(keepends=True)
    wrong = "0" * 64 + first[64:]
    path.write_text(wrong)
    frozen.add(path)
    assert path.read_text().startswith(wrong)
    assert changed(path) == {first[66:-1]}
    assert frozen.frozen(path).keys() == frozen.frozen().keys()
    shutil.copy(HASHES, path)
    frozen.add(path)
    assert path.read_text() == HASHES.read_text()
