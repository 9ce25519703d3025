"""verify.py runs alone: one file, in an empty folder, with only the standard library, in the syntax of Python 3.9."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.dossier import archive, verify
from tests.dossier.forged import Leaves, forged
from tests.dossier.made import World
from tests.house.tree import ROOT

VECTORS = json.loads((ROOT / "api_spec/vectors.json").read_text())
NEWER = {"removeprefix": (3, 9)}
SHUFFLES = ("S1_std52_three_seats", "S7_std52_ten_seats")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "verify.py").write_bytes(archive.program())
    command = [sys.executable, "-I", "-S", "verify.py", *arguments]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, check=False)


def test_verify_checks_a_dossier_in_an_empty_folder(world: World, tmp_path: Path) -> None:
    data = world.played[0].dossiers["hand 1 for seat 1"]
    (tmp_path / "dossier.zip").write_bytes(data)
    done = run(tmp_path, "dossier.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Every check passed.\n")
    assert [line.split()[1] for line in done.stdout.splitlines()[:-1]] == [name for name, _, _ in verify.STEPS]
    (tmp_path / "changed.zip").write_bytes(data.replace(b'"by":"host"', b'"by":"hose"', 1))
    done = run(tmp_path, "changed.zip")
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (3, "", "REFUSED")


def test_each_wrong_use_has_its_own_message(tmp_path: Path) -> None:
    for arguments in ((), ("a", "b"), ("-x",), ("missing.zip",), ("--kept",), ("verify.py", "--kept", "missing")):
        done = run(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert done.stderr


@pytest.mark.parametrize(("content", "code"), [(b"", 3), (None, 0)], ids=["refused", "right"])
def test_verify_ends_with_its_exit_code_if_its_reader_stops(
    world: World, tmp_path: Path, content: bytes | None, code: int
) -> None:
    data = world.played[0].dossiers["hand 1 for seat 1"] if content is None else content
    (tmp_path / "dossier.zip").write_bytes(data)
    (tmp_path / "verify.py").write_bytes(archive.program())
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-I", "-S", "verify.py", "dossier.zip"]
    done = subprocess.run(command, cwd=tmp_path, env={}, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_forger_cannot_rewrite_the_lines_on_a_terminal(world: World, tmp_path: Path) -> None:
    def edit(leaves: Leaves) -> None:
        dealt = next(one for one in leaves if one["type"] == "cards_dealt")
        dealt["pub"]["epoch"] = "\x1b[2J\x9b2J\u202eEvery check passed.\n"

    (tmp_path / "dossier.zip").write_bytes(forged(world.played[0].dossiers["the table for everybody"], edit))
    done = run(tmp_path, "dossier.zip")
    assert "\\x1b[2J\\x9b2J\\u202eEvery check passed.\\n" in done.stdout
    assert all(char.isprintable() or char == "\n" for char in done.stdout)
    assert done.stdout.endswith("REFUSED\n")


def test_verify_has_the_syntax_of_python_3_9() -> None:
    ast.parse(archive.program(), feature_version=(3, 9))
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case _:\n        pass\n", feature_version=(3, 9))


def test_verify_has_fewer_than_1500_lines() -> None:
    assert archive.program().count(b"\n") < 1500


@pytest.mark.parametrize("name", SHUFFLES)
def test_verify_makes_the_decks_of_the_vectors(name: str) -> None:
    vector = VECTORS[name]
    clients = {int(seat[5:]): bytes.fromhex(seed) for seat, seed in vector["clients"].items()}
    made = verify.shuffled(vector["epoch"], vector["server_seed"], clients)
    assert (" ".join(made.order), made.root) == (vector["deck"], vector["deck_root"])
    assert (made.salts[0], made.transcript) == (vector["salt0"], vector["transcript_sha256"])


def test_verify_knows_the_signatures_of_logs_and_witnesses() -> None:
    found = verify.read_checkpoint(VECTORS["checkpoint_10"], "vectors")
    keys = [verify.read_key(VECTORS["keys"][name], "vectors") for name in ("log_vkey", "witness_vkey")]
    for key, (_, signature) in zip(keys, found.signatures, strict=True):
        verify.must_have_signed(key, found, signature, "vectors")
        for place in range(4, len(signature)):
            changed = signature[:place] + bytes([signature[place] ^ 1]) + signature[place + 1 :]
            with pytest.raises(verify.Flaw):
                verify.must_have_signed(key, found, changed, "vectors")


def test_verify_and_another_library_agree_on_signatures() -> None:
    for number in range(20):
        key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        public, message = key.public_key().public_bytes_raw(), bytes(number)
        signature = key.sign(message)
        assert verify.is_signed(public, signature, message)
        assert not verify.is_signed(public, signature, message + b"\0")
        s = int.from_bytes(signature[32:], "little") + verify.ORDER  # the same number modulo the order
        assert not verify.is_signed(public, signature[:32] + s.to_bytes(32, "little"), message)


def test_verify_knows_the_proofs_of_the_vectors() -> None:
    old, new = (verify.read_checkpoint(VECTORS[f"checkpoint_{size}"], "vectors") for size in (7, 10))
    hashes = [bytes.fromhex(one) for one in VECTORS["consistency_7_10"]]
    assert verify.is_continued(old, new, hashes)
    assert not verify.is_continued(old, new, hashes[:-1])
    assert not verify.is_continued(old, new, [*hashes, hashes[0]])
    assert not verify.is_continued(old, new, hashes[::-1])


def test_verify_and_the_package_agree_on_proofs_of_consistency() -> None:
    leaves = [merkle.leaf_hash(bytes([number])) for number in range(18)]

    def head(size: int) -> verify.Checkpoint:
        return verify.Checkpoint("log", size, merkle.root(leaves[:size]), "", [])

    for new in range(len(leaves) + 1):
        for old in range(new + 1):
            ranges = merkle.consistency_ranges(old, new) if 0 < old < new else []
            hashes = [merkle.root(leaves[first:end]) for first, end in ranges]
            assert verify.is_continued(head(old), head(new), hashes), (old, new)
            for place in range(len(hashes)):
                changed = [*hashes[:place], bytes(32), *hashes[place + 1 :]]
                assert not verify.is_continued(head(old), head(new), changed)
                assert not verify.is_continued(head(old), head(new), hashes[:place])
            assert not verify.is_continued(head(old), head(new), [*hashes, bytes(32)])
            other = head(old)._replace(root=bytes(32))
            assert not old or not verify.is_continued(other, head(new), hashes)
