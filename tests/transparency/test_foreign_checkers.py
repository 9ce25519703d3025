"""Checkers that share no code with the service accept our log: Go's packages, and our second implementation.

The tests with `go_check` need Go and the package golang.org/x/mod (Debian: golang-go, golang-golang-x-mod-dev); GOPATH
may name another folder than Debian's. Without Go or the package, these tests are skipped, or fail if CHIPTRAIL_TEST_GO
is `required`.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Engine, select

from service import merkle
from service.database.engines import reading
from service.event_store.entries import EMPTY
from service.transparency import checkpoint, published, signed_note, tiles, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_key import LogKey
from service.transparency.sequencer import Sequencer
from service.transparency.tiles import Tile
from service.transparency.tree_tables import leaf_indexes
from service.transparency.witnesses import cosignature
from tests.event_store.streams import append, asked, head_of, make_log, new_stream
from tests.transparency.foreign import checker
from tests.transparency.notes import new_signer, vector_key

DEBIAN = "/usr/share/gocode"
PACKAGE = "src/golang.org/x/mod/sumdb/tlog"
PROGRAM = Path(__file__).parent / "foreign/check.go"
LOG = make_log()

Check = Callable[[str, Path], str]
"""Checks a log by its public key and its folder; returns the checker's output, which contains ERROR if the log is
wrong."""


def go_check(tmp_path_factory: pytest.TempPathFactory) -> Check:
    go, path = shutil.which("go"), os.environ.get("GOPATH") or DEBIAN
    if go is None or not (Path(path) / PACKAGE).is_dir():
        missing = f"there is no Go, or no golang.org/x/mod in {path}, to check our log with Go's own packages"
        if os.environ.get("CHIPTRAIL_TEST_GO") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("go")
    environment = {**os.environ, "GOPATH": path, "GO111MODULE": "off", "GOFLAGS": "", "GOCACHE": str(folder / "cache")}
    subprocess.run([go, "build", "-o", str(folder / "check"), str(PROGRAM)], env=environment, check=True)

    def check(vkey: str, log: Path) -> str:
        done = subprocess.run([folder / "check", vkey, log], capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else f"ERROR {done.stderr}"

    return check


def own_check(_: pytest.TempPathFactory) -> Check:
    def check(vkey: str, log: Path) -> str:
        try:
            return f"{checker.check(vkey, log)} leaves"
        except (AssertionError, ValueError, OSError) as error:
            return f"ERROR {error}"

    return check


@pytest.fixture(scope="module", params=[go_check, own_check])
def check(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Check:
    made: Check = request.param(tmp_path_factory)
    return made


def write_tile(folder: Path, tile: Tile, hashes: bytes) -> None:
    path = folder / "tile" / tile.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(hashes)


def synthetic(folder: Path, key: LogKey, size: int, old_size: int) -> None:
    """Write a log with *size* synthetic leaves, signed at *old_size* leaves and at the end."""
    leaves = [merkle.leaf_hash(b"%d" % index) for index in range(size)]
    for tile, hashes in tiles.extended(0, {}, leaves).items():
        write_tile(folder, tile, hashes)
    for name, end in (("old", old_size), ("new", size)):
        head = Checkpoint(key.origin, end, merkle.root(leaves[:end]))
        (folder / name).write_text(str(checkpoint.signed(head, key.private_key)))
    (folder / "leaves").write_text("".join(f"{leaf.hex()}\n" for leaf in leaves))


def test_foreign_checkers_accept_the_published_log(engine: Engine, tmp_path: Path, check: Check) -> None:
    signer, stream_id, folder = new_signer(tmp_path), new_stream(engine, LOG), tmp_path / "log"
    recorded = append(engine, LOG, stream_id, EMPTY, asked("a", answers=299))
    notes = []
    for name in ("b", "c"):
        while Sequencer(engine).round():
            pass
        notes.append(published.publish(engine, signer))
        recorded += append(engine, LOG, stream_id, head_of(recorded), asked(name, answers=299))
    with reading(engine) as connection:
        size = tree.head(connection).size
        for level, number in ((0, 0), (0, 1), (0, 2), (1, 0)):
            tile = tiles.of_tree(level, number, size)
            assert tile is not None
            write_tile(folder, tile, tree.tile(connection, level, number, tile.width))
        hashes = connection.execute(select(leaf_indexes.c.leaf_hash).order_by(leaf_indexes.c.leaf_index)).scalars()
        (folder / "leaves").write_text("".join(f"{bytes(each).hex()}\n" for each in hashes))
    for name, note in zip(("old", "new"), notes, strict=True):
        (folder / name).write_text(note or "")
    assert size == 600
    assert "600 leaves" in check(str(signer.key.public), folder)


@pytest.mark.parametrize(
    ("size", "old_size"), [(1, 1), (2, 1), (255, 100), (256, 255), (257, 256), (1_000, 1_000), (65_537, 65_536)]
)
def test_foreign_checkers_accept_trees_of_many_sizes(tmp_path: Path, check: Check, size: int, old_size: int) -> None:
    key = vector_key()
    synthetic(tmp_path, key, size, old_size)
    assert f"{size} leaves" in check(str(key.public), tmp_path)


def test_foreign_checkers_accept_cosigned_checkpoints(tmp_path: Path, check: Check) -> None:
    key = vector_key()
    synthetic(tmp_path, key, 300, 200)
    witness = Ed25519PrivateKey.from_private_bytes(bytes(32))
    for name in ("old", "new"):
        note = signed_note.parse((tmp_path / name).read_bytes())
        line = cosignature.cosign(note.text, "witness.example/w1", witness, 1_767_225_600)
        (tmp_path / name).write_text(str(signed_note.with_signatures(note, [line])))
    assert "300 leaves" in check(str(key.public), tmp_path)


def test_foreign_checkers_refuse_a_changed_log(tmp_path: Path, check: Check) -> None:
    key = vector_key()
    synthetic(tmp_path, key, 300, 200)
    assert "300 leaves" in check(str(key.public), tmp_path)
    for name in ("old", "new", "leaves", "tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"):
        path = tmp_path / name
        before = path.read_bytes()
        for at in {0, 30, len(before) // 2, len(before) - 2}:
            path.write_bytes(before[:at] + (b"0" if before[at : at + 1] != b"0" else b"1") + before[at + 1 :])
            assert check(str(key.public), tmp_path).startswith("ERROR"), f"{name} at byte {at}"
        path.write_bytes(before)
    assert check(str(new_signer(tmp_path / "other").key.public), tmp_path).startswith("ERROR")
