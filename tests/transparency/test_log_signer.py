"""The signer signs only a tree that continues the tree that it signed last, whatever is lost, cut or killed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import merkle
from service.database.write_lock import FileLock
from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import KeyFileError
from service.transparency import checkpoint, log_key, log_signer
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_signer import AnotherWasSigned, HeadFileError, LogSigner, TreeMustContinue
from service.transparency.signed_note import Note
from service.transparency.tree import TreeHead
from tests.transparency.notes import LEAVES, consistency, head_of, new_signer

ROOT = Path(__file__).parents[2]
AT_ONCE = 3
SIGNS_ALL = """
import sys
from pathlib import Path
from tests.transparency.notes import LEAVES, consistency, head_of, new_signer
from service.transparency.log_signer import AnotherWasSigned
print("ready", flush=True)
sys.stdin.readline()
signer = new_signer(Path(sys.argv[1]))
while (last := signer.last()).size < len(LEAVES):
    own = LEAVES[:last.size + 1]
    try:
        signer.sign(head_of(own), last, consistency(own, last.size))
        print(len(own), head_of(own).root.hex())
    except AnotherWasSigned:
        pass
"""
SIGNS_ITS_OWN = """
import sys
from pathlib import Path
from tests.transparency.notes import LEAVES, consistency, head_of, new_signer
from service.transparency.log_signer import AnotherWasSigned
signer = new_signer(Path(sys.argv[1]))
last = signer.last()
print("ready", flush=True)
sys.stdin.readline()
own = [*LEAVES[:last.size], bytes([int(sys.argv[2])] * 32)]
try:
    signer.sign(head_of(own), last, consistency(own, last.size))
    print(len(own), head_of(own).root.hex())
except AnotherWasSigned:
    pass
"""


class Crash(BaseException):
    """The process ends here."""


def sign(signer: LogSigner, leaves: list[bytes], since: Checkpoint | None = None) -> Note:
    last = since or signer.last()
    return signer.sign(head_of(leaves), last, consistency(leaves, min(last.size, len(leaves))))


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_new_signer_begins_with_the_checkpoint_of_the_empty_tree(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    assert signer.last() == Checkpoint(signer.key.origin, 0, merkle.EMPTY_ROOT)
    before = files_of(tmp_path)
    again = new_signer(tmp_path)
    assert again.key.public == signer.key.public
    assert files_of(tmp_path) == before


def test_a_tree_that_grows_is_signed_again_and_again(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    for size in range(1, len(LEAVES) + 1):
        note = sign(signer, LEAVES[:size])
        found, _ = checkpoint.opened(str(note).encode(), signer.key.public)
        assert found == Checkpoint(signer.key.origin, size, merkle.root(LEAVES[:size])) == signer.last()


def test_the_same_tree_gets_the_same_note_again(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    first = sign(signer, LEAVES[:9])
    assert sign(signer, LEAVES[:9]) == first
    assert (tmp_path / "log-key.txt.head").read_bytes() == str(first).encode()


@pytest.mark.parametrize("size", range(13))
def test_a_smaller_tree_is_not_signed(tmp_path: Path, size: int) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:13])
    before = files_of(tmp_path)
    with pytest.raises(TreeMustContinue):
        sign(signer, LEAVES[:size])
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("size", [13, 14, 40])
@pytest.mark.parametrize("index", range(13))
def test_a_tree_with_one_rewritten_leaf_is_not_signed(tmp_path: Path, index: int, size: int) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:13])
    before = files_of(tmp_path)
    rewritten = [*LEAVES[:index], bytes(32), *LEAVES[index + 1 : size]]
    with pytest.raises(TreeMustContinue, match="does not begin with the 13 leaves"):
        sign(signer, rewritten)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda proof: proof[1:], id="a hash less"),
        pytest.param(lambda proof: [*proof, bytes(32)], id="another hash"),
        pytest.param(lambda _: [], id="no hash"),
    ],
)
def test_a_tree_is_not_signed_without_its_proof(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:13])
    with pytest.raises(TreeMustContinue):
        signer.sign(head_of(LEAVES[:20]), signer.last(), change(consistency(LEAVES[:20], 13)))


@pytest.mark.parametrize("size", [-1, 10**100])
def test_a_tree_of_an_impossible_size_is_not_signed(tmp_path: Path, size: int) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:13])
    with pytest.raises(TreeMustContinue):
        signer.sign(TreeHead(size, merkle.root(LEAVES[:13])), signer.last(), [])


def test_a_proof_from_an_older_checkpoint_than_the_last_is_not_used(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    first = signer.last()
    sign(signer, LEAVES[:5])
    with pytest.raises(AnotherWasSigned):
        sign(signer, LEAVES[:6], since=first)
    assert signer.last().size == 5


def test_without_the_last_checkpoint_nothing_is_signed(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    since = signer.last()
    (tmp_path / "log-key.txt.head").unlink()
    for each in (signer, new_signer(tmp_path)):
        with pytest.raises(HeadFileError, match="can't be read"):
            each.last()
        with pytest.raises(HeadFileError, match="can't be read"):
            sign(each, LEAVES[:1], since=since)
    assert not (tmp_path / "log-key.txt.head").exists()


def of_another_key(signer: LogSigner) -> bytes:
    key = log_key.make(Entropy())
    return str(checkpoint.signed(Checkpoint(key.origin, 0, merkle.EMPTY_ROOT), key.private_key)).encode()


def of_another_key_of_this_origin(signer: LogSigner) -> bytes:
    key = log_key.make(Entropy())
    return str(checkpoint.signed(Checkpoint(signer.key.origin, 0, merkle.EMPTY_ROOT), key.private_key)).encode()


def of_another_origin(signer: LogSigner) -> bytes:
    text = Checkpoint("another.example/log", 0, merkle.EMPTY_ROOT).text
    return str(checkpoint.signed(signer.last(), signer.key.private_key)).replace(signer.last().text, text).encode()


def with_a_smaller_size(signer: LogSigner) -> bytes:
    return str(checkpoint.signed(signer.last(), signer.key.private_key)).replace("\n3\n", "\n2\n").encode()


def nothing(_: LogSigner) -> bytes:
    return b""


@pytest.mark.parametrize(
    "content", [of_another_key, of_another_key_of_this_origin, of_another_origin, with_a_smaller_size, nothing]
)
def test_a_last_checkpoint_that_this_key_did_not_sign_is_not_used(
    tmp_path: Path, content: Callable[[LogSigner], bytes]
) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:3])
    since = signer.last()
    (tmp_path / "log-key.txt.head").write_bytes(content(signer))
    with pytest.raises(HeadFileError, match="has no checkpoint that this log key signed"):
        sign(signer, LEAVES[:4], since=since)


def test_the_last_checkpoint_is_durable_before_the_note_leaves_the_signer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = new_signer(tmp_path)
    head_file = tmp_path / "log-key.txt.head"
    steps: list[tuple[str, bytes]] = []

    def watched(name: str, step: Callable[..., object]) -> Callable[..., object]:
        def run(*given: Any) -> object:  # noqa: ANN401 -- whatever the step takes
            answer = step(*given)
            steps.append((name, head_file.read_bytes()))
            return answer

        return run

    before = head_file.read_bytes()
    monkeypatch.setattr(os, "fsync", watched("fsync", os.fsync))
    monkeypatch.setattr(keyring, "sync_folder", watched("sync_folder", keyring.sync_folder))
    after = str(sign(signer, LEAVES[:3])).encode()
    assert steps == [("fsync", before), ("fsync", after), ("sync_folder", after)]


@pytest.mark.parametrize("step", ["fsync", "replace", "sync_folder"])
def test_a_signer_that_ends_between_its_steps_contradicts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:3])

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        owner: object = {"fsync": os, "replace": Path, "sync_folder": keyring}[step]
        patched.setattr(owner, step, crash)
        with pytest.raises(Crash):
            sign(signer, LEAVES[:5])
    after = new_signer(tmp_path)
    assert after.last().size == (5 if step == "sync_folder" else 3)
    fork = [*LEAVES[:2], bytes(32), *LEAVES[3:6]]
    with pytest.raises(TreeMustContinue):
        sign(after, fork)
    sign(after, LEAVES[:5])
    sign(after, LEAVES[:6])


def test_a_head_file_that_cannot_be_written_lets_no_note_out(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    (tmp_path / "log-key.txt.head.new").mkdir()
    with pytest.raises(HeadFileError, match="can't be written"):
        sign(signer, LEAVES[:3])
    assert signer.last().size == 0


def test_a_start_that_ends_before_the_key_is_saved_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(log_key, "save", crash)
        with pytest.raises(Crash):
            new_signer(tmp_path)
    sign(new_signer(tmp_path), LEAVES[:3])


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_lost_key_is_not_replaced_while_the_file_of_its_last_checkpoint_exists(
    tmp_path: Path, *, is_readable: bool
) -> None:
    sign(new_signer(tmp_path), LEAVES[:3])
    if not is_readable:
        (tmp_path / "log-key.txt.head").write_text("cut")
    (tmp_path / "log-key.txt").unlink()
    before = files_of(tmp_path)
    with pytest.raises(KeyFileError, match="Restore the key"):
        new_signer(tmp_path)
    assert files_of(tmp_path) == before


def test_a_signer_waits_a_limited_time_for_another_signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signer = new_signer(tmp_path)
    since = signer.last()
    monkeypatch.setattr(log_signer, "_LOCK_SECONDS", 0.0)
    other = FileLock(tmp_path / "log-key.txt.head", "lock")
    assert other.acquire(0)
    with pytest.raises(HeadFileError, match="was not free within"):
        sign(signer, LEAVES[:1], since=since)
    other.release()
    sign(signer, LEAVES[:1])


def run_at_once(folder: Path, program: str) -> list[str]:
    """Run *program* in several processes at once; return the sizes and roots that they signed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for number in range(AT_ONCE)
    ]  # fmt: skip
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=120)[0].splitlines() for process in started]
    assert [process.returncode for process in started] == [0] * AT_ONCE
    return sorted(line for lines in answers for line in lines)


def test_processes_that_start_at_once_share_one_key_and_sign_one_tree(tmp_path: Path) -> None:
    signed = run_at_once(tmp_path, SIGNS_ALL)
    assert signed == sorted(f"{size} {merkle.root(LEAVES[:size]).hex()}" for size in range(1, len(LEAVES) + 1))
    signer = new_signer(tmp_path)
    assert signer.last() == Checkpoint(signer.key.origin, len(LEAVES), merkle.root(LEAVES))


def test_if_processes_sign_different_trees_at_once_only_one_gets_a_signature(tmp_path: Path) -> None:
    signer = new_signer(tmp_path)
    sign(signer, LEAVES[:7])
    signed = run_at_once(tmp_path, SIGNS_ITS_OWN)
    assert signed == [f"8 {signer.last().root.hex()}"]
