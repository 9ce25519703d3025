"""Log keys, checkpoints, cosignatures, proofs and tiles, as log_format.md describes them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tests.vectors.independent.texts import (
    Refused,
    from_base64,
    is_signed,
    leaf_hash,
    lines,
    must,
    node_hash,
    sha256,
)

LOG, WITNESS = 1, 4
SIZE = "(0|[1-9][0-9]{0,18})"
MOST_BYTES = 1_000_000


class Key(NamedTuple):
    name: str
    kind: int
    public: bytes
    hash: bytes


class Checkpoint(NamedTuple):
    """*text* is the signed text; *signatures* has the name and the bytes of each line."""

    origin: str
    size: int
    root: bytes
    text: bytes
    signatures: tuple[tuple[str, bytes], ...]


class LeafProof(NamedTuple):
    leaf_index: int
    hashes: tuple[bytes, ...]
    note: str
    has_extra: bool


def read_key(text: str) -> Key:
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    if found is None:
        raise Refused("form")
    data = from_base64(found[3], "form")
    must(len(data) == 33 and data[0] in (LOG, WITNESS), "form")
    key_hash = sha256(lines(found[1]) + data)[:4]
    must(key_hash.hex() == found[2], "hash")
    return Key(found[1], data[0], data[1:], key_hash)


def read_checkpoint(note: str) -> Checkpoint:
    must(len(note) <= MOST_BYTES, "form")
    text, empty, rest = note.rpartition("\n\n")
    found = re.fullmatch(rf"([^\s+]+)\n{SIZE}\n(\S+)", text)
    if found is None or not empty or not rest.endswith("\n"):
        raise Refused("form")
    root = from_base64(found[3], "form")
    must(len(root) == 32, "form")
    signatures = []
    for line in rest[:-1].split("\n"):
        parts = re.fullmatch("\N{EM DASH} ([^\\s+]+) (\\S+)", line)
        if parts is None:
            raise Refused("form")
        signatures.append((parts[1], from_base64(parts[2], "form")))
    return Checkpoint(found[1], int(found[2]), root, f"{text}\n".encode(), tuple(signatures))


def signed_text(checkpoint: Checkpoint, key: Key, signature: bytes) -> tuple[bytes, bytes]:
    """Return the bytes that *key* has signed, and the 64 bytes of Ed25519 in the line's *signature*."""
    must(signature[:4] == key.hash, "signature")
    if key.kind == LOG:
        return checkpoint.text, signature[4:]
    must(len(signature) == 4 + 8 + 64, "form")
    seconds = int.from_bytes(signature[4:12], "big")
    return lines("cosignature/v1", f"time {seconds}") + checkpoint.text, signature[12:]


def must_be_signed(checkpoint: Checkpoint, key: Key, signature: bytes) -> None:
    text, ed25519 = signed_text(checkpoint, key, signature)
    must(is_signed(key.public, ed25519, text), "signature")


def open_checkpoint(note: str, log: Key, witnesses: Sequence[Key] = ()) -> Checkpoint:
    """Return the checkpoint of the *log* in *note*, which each of the *witnesses* must have cosigned."""
    found = read_checkpoint(note)
    must(found.origin == log.name and log.kind == LOG, "log")
    for key in (log, *witnesses):
        own = [data for name, data in found.signatures if (name, data[:4]) == (key.name, key.hash)]
        must(len(own) == 1, "signature")
        must_be_signed(found, key, own[0])
    return found


def read_proof(file: str) -> LeafProof:
    head, empty, note = file.partition("\n\n")
    all_lines = head.split("\n")
    first, *rest = [line for line in all_lines if not line.startswith("extra ")]
    index = re.fullmatch(f"index {SIZE}", rest[0]) if rest else None
    must(first == "c2sp.org/tlog-proof@v1" and index and empty, "form")
    hashes = tuple(from_base64(line, "form") for line in rest[1:])
    must(all(len(one) == 32 for one in hashes), "form")
    return LeafProof(int(index[1]) if index else 0, hashes, note, len(all_lines) > 1 + len(rest))


def prove_leaf(leaf: bytes, file: str, log: Key) -> Checkpoint:
    """Return the checkpoint under which *file* proves *leaf*."""
    proof = read_proof(file)
    checkpoint = open_checkpoint(proof.note, log)
    must_be_included(leaf, proof.leaf_index, checkpoint.size, proof.hashes, checkpoint.root)
    return checkpoint


def must_be_included(leaf: bytes, index: int, size: int, hashes: Sequence[bytes], root: bytes, place: str = "") -> None:
    must(0 <= index < size, "root", place)
    must(_root(leaf_hash(leaf), index, size, list(hashes), place) == root, "root", place)


def _root(node: bytes, index: int, size: int, path: list[bytes], place: str) -> bytes:
    """Return the root above the leaf with the hash *node*; RFC 6962 splits a tree at a power of two."""
    if size == 1:
        must(not path, "root", place)
        return node
    must(path, "root", place)
    sibling, split = path.pop(), 1 << (size - 1).bit_length() - 1
    if index < split:
        return node_hash(_root(node, index, split, path, place), sibling)
    return node_hash(sibling, _root(node, index - split, size - split, path, place))


def must_continue(old: tuple[int, bytes], new: tuple[int, bytes], hashes: Sequence[bytes]) -> None:
    """Check that the tree *new*, a size and a root, begins with the tree *old*."""
    (old_size, old_root), (new_size, new_root), path = old, new, list(hashes)
    must(0 < old_size <= new_size, "root")
    made = _roots(old_size, new_size, old_root, path, is_left=True)
    must(made == (old_root, new_root) and not path, "root")


def _roots(old: int, new: int, root: bytes, path: list[bytes], *, is_left: bool) -> tuple[bytes, bytes]:
    if old == new:
        must(is_left or path, "root")
        node = root if is_left else path.pop()
        return node, node
    must(path, "root")
    sibling, split = path.pop(), 1 << (new - 1).bit_length() - 1
    if old <= split:
        before, after = _roots(old, split, root, path, is_left=is_left)
        return before, node_hash(after, sibling)
    before, after = _roots(old - split, new - split, root, path, is_left=False)
    return node_hash(sibling, before), node_hash(sibling, after)


def tree_root(hashes: Sequence[bytes]) -> bytes:
    """Return the root over the hashes of leaves."""
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256(b"")
    split = 1 << (len(hashes) - 1).bit_length() - 1
    return node_hash(tree_root(hashes[:split]), tree_root(hashes[split:]))


def tiles_of(hashes: Sequence[bytes]) -> dict[str, bytes]:
    """Return all tiles of the tree over the hashes of leaves, by their paths after `tile/`."""
    tiles, level, nodes = {}, 0, list(hashes)
    while nodes:
        for number, first in enumerate(range(0, len(nodes), 256)):
            some = nodes[first : first + 256]
            tiles[tile_path(level, number, len(some))] = b"".join(some)
        nodes = [tree_root(nodes[first : first + 256]) for first in range(0, len(nodes) - 255, 256)]
        level += 1
    return tiles


def tile_path(level: int | str, number: int, width: int = 256) -> str:
    rest, groups = number, [f"{number % 1000:03}"]
    while rest := rest // 1000:
        groups.insert(0, f"x{rest % 1000:03}")
    return "/".join([str(level), *groups]) + (f".p/{width}" if width < 256 else "")


def entries_of(leaves: Sequence[bytes]) -> bytes:
    return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)
