#!/usr/bin/env python3
"""Checks a dossier of Chiptrail, offline: what was dealt, chosen and recorded, and whether the log has it."""

# Usage: python3 verify.py dossier.zip [--kept FILE] ... This one file needs Python 3.9 or newer and nothing else. Get
# it from a source that you trust, such as the repository of Chiptrail: a forger of a dossier can forge the copy in the
# dossier as well. The page log_format.md defines every format that is checked here. The checks are the functions of
# STEPS, in this order. The exit code is 0 if every check passed, 3 if one failed, and 2 if the usage is wrong or a file
# can't be read. Whether the rules were followed is not checked: `chiptrail verify --dossier` decides again.

from __future__ import annotations

import argparse
import hashlib
import hmac
import html
import json
import os
import re
import struct
import sys
import zlib
from base64 import b64decode, b64encode
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

FORMAT = "chiptrail/dossier/v1"
NAMES: tuple[str, ...] = ("README.txt", "case.html", "events.ndjson", "openings.ndjson", "service.ndjson")
NAMES += ("disputes.ndjson", "checkpoint", "events.tlog-proof", "vkeys", "verify.py")
"""The files of a dossier, in this order; a dossier may lack service.ndjson and disputes.ndjson."""
MOST_BYTES, MOST_KEPT_BYTES, MOST_LEAF_BYTES, MOST_SEALED = 64 * 2**20, 2**20, 65_535, 256
NO_HASH = "0" * 64
SIGNED_BY_RECEIPT = ("cmd", "leaf_hash", "origin", "position", "stream")
HAND_BEGINS, HAND_ENDS = ("hand_dealt", "hand_begun"), ("round_ended", "hand_ended", "hand_finished")
OF_LOG, OF_WITNESS = 1, 4  # the algorithms of keys
ABOUT_LOG, ABOUT_TABLE = ("log_opened", "release_changed", "signing_key_changed"), ("table_imported", "value_erased_at")
PACK = tuple(rank + suit for suit in "cdhs" for rank in "23456789TJQKA")

Event = dict[str, Any]
Hands = dict[int, set[str]]  # the cards of each seat
Place = tuple[int, str]  # the position of an event, and the name of a field that the event sealed

Key = NamedTuple("Key", [("name", str), ("algorithm", int), ("public", bytes), ("key_hash", bytes)])
"""The public key of a log or a witness."""
Checkpoint = NamedTuple(
    "Checkpoint",
    [("origin", str), ("size", int), ("root", bytes), ("text", str), ("signatures", list[tuple[str, bytes]])],
)
"""The log *origin* had *size* leaves and this *root*. *signatures*: name and bytes of each signature of *text*."""
Proof = NamedTuple("Proof", [("leaf_index", int), ("hashes", list[bytes]), ("note", str)])
"""The *hashes* prove that the leaf at *leaf_index* is in the tree of the checkpoint in *note*."""
Begin = NamedTuple("Begin", [("stream", str), ("hand", int), ("viewer", int), ("first", int), ("last", int)])
"""What is proved: a *hand* (0: the whole table) from *first* to *last*; the seat *viewer* may see it (0: everybody)."""
Shuffled = NamedTuple("Shuffled", [("transcript", str), ("order", list[str]), ("salts", list[str]), ("root", str)])
"""A shuffled deck; position 0 is the top card."""
Finding = NamedTuple("Finding", [("verdict", str), ("step", str), ("place", str), ("text", str)])
"""The result of a check: *verdict* is "ok", "FAILED" or "-" (not checked), *place* where a failed check failed."""


class Flaw(Exception):
    """A check failed at a *place* in the dossier; *why* says what must hold there."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


def must(holds: object, place: str, why: str) -> None:
    """Raise a flaw unless *holds*."""
    if not holds:
        raise Flaw(place, why)


# --- Hashes and canonical JSON -----------------------------------------------------------------------------------


def sha256(data: bytes) -> bytes:
    """Return SHA-256 of *data*."""
    return hashlib.sha256(data).digest()


def mac(key: bytes, text: str) -> bytes:
    """Return HMAC-SHA-256 of *text*."""
    return hmac.new(key, text.encode(), "sha256").digest()


def lines(*each: object) -> str:
    """Return a line for each value, each with a line feed."""
    return "".join(f"{one}\n" for one in each)


def hash_of_lines(*each: object) -> str:
    """Return the hash of `lines`, in hex."""
    return sha256(lines(*each).encode()).hex()


def first_difference(one: bytes, other: bytes) -> int:
    """Return the first index at which two texts differ."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf (RFC 6962)."""
    return sha256(b"\x00" + leaf)


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node above two others (RFC 6962)."""
    return sha256(b"\x01" + left + right)


def canonical(value: object) -> bytes:
    """Return the canonical JSON of *value*."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def read_json(data: bytes, place: str) -> Any:
    """Return the value of *data*, which must be canonical JSON, the only encoding of its value."""
    try:
        value = _JSON.decode(data.decode())
        same = canonical(value) == data
    except (ValueError, RecursionError) as error:
        raise Flaw(place, f"must be canonical JSON ({error})") from None
    must(same, place, "must be canonical JSON: these bytes are another form of the same value")
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if not all(name.isascii() for name, _ in pairs):
        raise ValueError("the name of a member is not ASCII")
    return dict(pairs)


def _whole(text: str) -> int:
    number = int(text) if len(text) <= 17 else 2**53
    if abs(number) >= 2**53:
        raise ValueError("a number is too large")
    return number


# `int` refuses what is no whole number, such as 1.5, 1e5 and NaN.
_JSON = json.JSONDecoder(object_pairs_hook=_members, parse_int=_whole, parse_float=int, parse_constant=int)


def is_hex(value: object, digits: int = 64) -> bool:
    """Return whether *value* is a text of exactly *digits* lower-case hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", value) is not None


def from_base64(text: str, place: str, size: int = 0) -> bytes:
    """Return the bytes that *text* encodes; *text* must be canonical base64 of *size* bytes (0: of any number)."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise Flaw(place, "must be base64") from None
    must(b64encode(data).decode() == text, place, "must be base64 in its only form")
    must(not size or len(data) == size, place, f"must be {size} bytes in base64")
    return data


# --- Ed25519 (RFC 8032, 5.1.7) -----------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]  # x, y, z and t, where the point is (x/z, y/z), and t = xy/z


def _sum(a: Point, b: Point) -> Point:
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def _times(number: int, point: Point, other_number: int = 0, other: Point = (0, 1, 1, 0)) -> Point:
    """Return number · point + other_number · other; doubling once for both saves a third of the time."""
    steps = ((0, 1, 1, 0), point, other, _sum(point, other))
    result = steps[0]
    for bit in reversed(range(max(number, other_number).bit_length())):
        result = _sum(result, result)
        if step := (number >> bit & 1) + 2 * (other_number >> bit & 1):
            result = _sum(result, steps[step])
    return result


def _point(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


_BASE_Y = 4 * pow(5, P - 2, P) % P
_BASE = _point(_BASE_Y.to_bytes(32, "little")) or (0, 1, 1, 0)


def is_signed(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether *signature* is the Ed25519 signature of *message* by the owner of *public_key*."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, r, s = _point(public_key), _point(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    a = _times(s, _BASE, h, (P - key[0], key[1], 1, P - key[3]))  # r, if the signature is right
    return not ((a[0] - r[0] * a[2]) % P or (a[1] - r[1] * a[2]) % P)


def is_signed_in_hex(public_key: object, signature: object, message: bytes) -> bool:
    """Return whether the owner of *public_key* made *signature* (both in hex) of *message*."""
    both = f"{public_key}{signature}"
    return is_hex(both, 192) and is_signed(bytes.fromhex(both[:64]), bytes.fromhex(both[64:]), message)


# --- Signed notes, checkpoints and proofs (C2SP) -----------------------------------------------------------------


def key_text(key: Key) -> str:
    """Return a public key as `vkeys` has it."""
    return f"{key.name}+{key.key_hash.hex()}+{b64encode(b'%c' % key.algorithm + key.public).decode()}"


def read_text(data: bytes, place: str) -> str:
    """Return *data* as text without control characters other than line feeds."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Flaw(place, "must be UTF-8 text") from None
    must(not any(char < " " and char != "\n" for char in text), place, "must have no control character")
    return text


def read_key(text: str, place: str) -> Key:
    """Return the public key in *text*, which has the form <name>+<hash>+<base64>."""
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    if found is None:
        raise Flaw(place, "must be a public key: <name>+<hash>+<base64>")
    data = from_base64(found[3], place, 33)
    must(data[0] in (OF_LOG, OF_WITNESS), place, "must be the key of a log (01) or of a witness (04)")
    key_hash = sha256(f"{found[1]}\n".encode() + data)[:4]
    must(key_hash.hex() == found[2], place, "the hash in a key must follow from the key")
    return Key(found[1], data[0], data[1:], key_hash)


def read_checkpoint(note: str, place: str) -> Checkpoint:
    """Return the checkpoint in a signed note; its signatures are not checked."""
    text, separator, rest = note.rpartition("\n\n")
    found = re.fullmatch(r"([^\s+]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)", text)
    if found is None or not separator or not rest.endswith("\n"):
        raise Flaw(place, "must be a checkpoint: origin, size, root, an empty line, and signatures")
    signatures = []
    for number, line in enumerate(rest[:-1].split("\n"), start=1):
        parts = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/=]+)", line)
        if parts is None:
            raise Flaw(f"{place}, signature {number}", "must be a dash, a name, and base64")
        signatures.append((parts[1], from_base64(parts[2], f"{place}, signature {number}")))
    return Checkpoint(found[1], int(found[2]), from_base64(found[3], place, 32), f"{text}\n", signatures)


def must_have_signed(key: Key, checkpoint: Checkpoint, signature: bytes, place: str) -> None:
    """Check one signature of a checkpoint."""
    must(signature[:4] == key.key_hash, place, f"must be a signature by the key of {key.name} in vkeys")
    message, rest = checkpoint.text.encode(), signature[4:]
    if key.algorithm == OF_WITNESS:
        must(len(rest) == 72, place, "the signature of a witness must have a time and 64 bytes")
        message = f"cosignature/v1\ntime {int.from_bytes(rest[:8], 'big')}\n".encode() + message
        rest = rest[8:]
    must(is_signed(key.public, rest, message), place, f"the signature by {key.name} must be right")


def must_be_of_log(key: Key, checkpoint: Checkpoint, place: str) -> None:
    """Check that the log with *key* signed a checkpoint."""
    must(checkpoint.origin == key.name, place, f"must be a checkpoint of the log {key.name}, not {checkpoint.origin}")
    found = [data for name, data in checkpoint.signatures if (name, data[:4]) == (key.name, key.key_hash)]
    must(len(found) == 1, place, f"must have one signature by {key.name}")
    must_have_signed(key, checkpoint, found[0], place)


def read_proof(text: str, place: str) -> Proof:
    """Return the proof that *text* has."""
    head, separator, note = text.partition("\n\n")
    first, *rest = [line for line in head.split("\n") if not line.startswith("extra ")]
    index = re.fullmatch("index (0|[1-9][0-9]{0,18})", rest[0]) if rest else None
    if first != "c2sp.org/tlog-proof@v1" or index is None or not separator or len(rest) > 65:
        raise Flaw(place, "must be a proof of C2SP: c2sp.org/tlog-proof@v1, an index, hashes, and a checkpoint")
    return Proof(int(index[1]), [from_base64(line, place, 32) for line in rest[1:]], note)


def root_by_proof(node: bytes, index: int, size: int, hashes: Sequence[bytes]) -> bytes | None:
    """Return the root that *hashes* prove for the leaf hash *node* at *index* of *size* leaves; None: there is none."""
    if not 0 <= index < size:
        return None
    last, steps = size - 1, list(hashes)
    while last > 0:
        if index % 2 == 1 or index < last:
            if not steps:
                return None
            step = steps.pop(0)
            node = node_hash(step, node) if index % 2 == 1 else node_hash(node, step)
        index, last = index // 2, last // 2
    return None if steps else node


def is_continued(old: Checkpoint, new: Checkpoint, hashes: Sequence[bytes]) -> bool:
    """Return whether *hashes* prove that the tree of *new* begins with the tree of *old* (RFC 6962, 2.1.2)."""
    left = list(hashes)
    try:
        roots = _roots(old.size, new.size, left, old.root) if old.size else (sha256(b""), new.root)
    except IndexError:  # A hash is missing.
        return False
    return not left and roots == (old.root, new.root)


def _roots(old: int, new: int, hashes: list[bytes], known: bytes) -> tuple[bytes, bytes]:
    """Return the roots for *old* and *new* leaves. *known* is the root of the old tree; b"": take it from *hashes*."""
    if old >= new:
        root = known or hashes.pop()
        return root, root
    split, sibling = 1 << ((new - 1).bit_length() - 1), hashes.pop()
    if old <= split:
        first, second = _roots(old, split, hashes, known)
        return first, node_hash(second, sibling)
    first, second = _roots(old - split, new - split, hashes, b"")
    return node_hash(sibling, first), node_hash(sibling, second)


# --- The file ----------------------------------------------------------------------------------------------------


def packed(files: dict[str, bytes]) -> bytes:
    """Return the .zip file with *files*: without compression and with a fixed date, so it has only one form."""
    body, directory = bytearray(), bytearray()
    for name, data in files.items():
        plain = struct.pack("<HHHHH", 20, 0, 0, 0, 0x21)  # version, flags, method, time, date: 1 January 1980
        sizes = struct.pack("<LLLHH", zlib.crc32(data), len(data), len(data), len(name), 0)
        rest = struct.pack("<HHHLL", 0, 0, 0, 0o100644 << 16, len(body))
        directory += b"PK\x01\x02" + struct.pack("<BB", 20, 3) + plain + sizes + rest + name.encode()
        body += b"PK\x03\x04" + plain + sizes + name.encode() + data
    end = struct.pack("<HHHHLLH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    return bytes(body + directory + b"PK\x05\x06" + end)


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files of a dossier by name. The work is bounded: no file is compressed. No name is used as a path."""
    must(len(data) <= MOST_BYTES, "the file", f"a dossier must have at most {MOST_BYTES:,} bytes")
    files: dict[str, bytes] = {}
    left, offset = list(NAMES), 0
    while data[offset : offset + 4] == b"PK\x03\x04" and len(data) >= offset + 30:
        flags, method = struct.unpack_from("<HH", data, offset + 6)
        packed_size, size, name_size, extra_size = struct.unpack_from("<LLHH", data, offset + 18)
        start = offset + 30 + name_size
        name = data[offset + 30 : start].decode("ascii", "replace")
        place = f"byte {offset} of the file"
        must(name not in files, place, f"a dossier must have each file once; {name[:80]!r} is there twice")
        must(name in NAMES, place, f"a dossier must have no file {name[:80]!r}")
        must(name in left, place, f"the files must have their order; {name} comes too late")
        must(method == 0 and flags == 0 and packed_size == size, name, "must not be compressed or encrypted")
        must(extra_size == 0 and start + size <= len(data), name, "must be whole")
        files[name] = data[start : start + size]
        left, offset = left[left.index(name) + 1 :], start + size
    missing = [name for name in NAMES if name not in {*files, "service.ndjson", "disputes.ndjson"}]
    must(not missing, f"byte {offset} of the file", f"a dossier must be a .zip file with {', '.join(missing)}")
    again = packed(files)
    if again != data:
        place = f"byte {first_difference(again, data)} of the file"
        raise Flaw(place, "must be the byte that packing these files gives")
    return files


class Dossier:
    """A dossier, read step by step: each check adds what the later checks need."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.data = b""
        self.at = "the file"  # the place that is being read, for the message about a value of an unexpected form
        self.leaves: list[bytes] = []
        self.events: list[Event] = []
        self.begin = Begin("", 0, 0, 0, 0)
        self.openings: list[dict[str, Any]] = []
        self.log_key: Key
        self.checkpoint: Checkpoint
        self.decks: dict[str, Deck] = {}
        self.values: dict[Place, Any] = {}  # of the sealed fields that the viewer may read
        self.kept: list[tuple[str, bytes]] = []
        self.service: list[Event] = []
        self.disputes: list[tuple[Event, str]] = []  # each with its sealed text, if the viewer may read it

    def ndjson(self, name: str) -> list[bytes]:
        """Return the lines of a file; each line must end with one line feed."""
        data = self.files[name]
        must(not data or data.endswith(b"\n"), name, "the last line must end with a line feed")
        return data.split(b"\n")[:-1]

    def each(self) -> Iterator[tuple[int, Event, dict[str, Any]]]:
        """Yield position, event and public members of each leaf."""
        for position, event in enumerate(self.events, start=1):
            self.at = f"position {position}"
            yield position, event, event["pub"]


def check_file(dossier: Dossier) -> str:
    """The file is byte for byte the .zip file that packing its files gives."""
    dossier.files = unpacked(dossier.data)
    return f"{len(dossier.files)} files, {len(dossier.data):,} bytes, SHA-256 {sha256(dossier.data).hex()}"


def check_signatures(dossier: Dossier) -> str:
    """The log signed the checkpoint, and so did each witness whose key is in vkeys."""
    named = enumerate(dossier.ndjson("vkeys"), start=1)
    keys = [read_key(read_text(line, "vkeys"), f"vkeys, line {number}") for number, line in named]
    checkpoint = read_checkpoint(read_text(dossier.files["checkpoint"], "checkpoint"), "checkpoint")
    names = [(key.name, key.key_hash) for key in keys]
    must(len(set(names)) == len(names), "vkeys", "must name each key once")
    algorithms = [key.algorithm for key in keys]
    are_in_order = algorithms == [OF_LOG] + [OF_WITNESS] * (len(keys) - 1)
    must(are_in_order, "vkeys", "must have the key of the log, then the keys of witnesses")
    must(keys[0].name == checkpoint.origin, "vkeys, line 1", f"must be the key of the log {checkpoint.origin}")
    must(len(keys) == len(checkpoint.signatures), "checkpoint", "must have a signature for each key in vkeys")
    for number, (key, (name, signature)) in enumerate(zip(keys, checkpoint.signatures), start=1):
        must(name == key.name, f"checkpoint, signature {number}", f"must be by {key.name}, the key in vkeys")
        must_have_signed(key, checkpoint, signature, f"checkpoint, signature {number}")
    dossier.log_key, dossier.checkpoint = keys[0], checkpoint
    witnesses = f" and {len(keys) - 1} witnesses" if len(keys) > 1 else ", and no witness"
    return f"the log {checkpoint.origin}{witnesses} signed a tree of {checkpoint.size:,} leaves"


def check_inclusion(dossier: Dossier) -> str:
    """The last leaf is in the tree; each leaf names the hash of the leaf before, so this proves all the leaves."""
    place, checkpoint = "events.tlog-proof", dossier.checkpoint
    dossier.leaves = dossier.ndjson("events.ndjson")
    must(dossier.leaves, "events.ndjson", "must have a leaf")
    proof = read_proof(read_text(dossier.files[place], place), place)
    must(proof.note.encode() == dossier.files["checkpoint"], place, "must end with the checkpoint of the dossier")
    must("\nextra " not in dossier.files[place].decode(), place, "must have no line for extra data")
    root = root_by_proof(leaf_hash(dossier.leaves[-1]), proof.leaf_index, checkpoint.size, proof.hashes)
    why = f"the proof must lead from the last leaf, with the index {proof.leaf_index}, to the root of the checkpoint"
    must(root == checkpoint.root, f"position {len(dossier.leaves)}", why)
    return f"the last of {len(dossier.leaves):,} leaves has the index {proof.leaf_index:,}"


def check_leaves(dossier: Dossier) -> str:
    """Each leaf is canonical JSON, has the right stream and position, and names the hash of the leaf before."""
    before, cmds = NO_HASH, set[str]()
    read_begin(dossier)
    stream = dossier.begin.stream
    for position, leaf in enumerate(dossier.leaves, start=1):
        place = dossier.at = f"position {position}"
        must(len(leaf) <= MOST_LEAF_BYTES, place, f"a leaf must have at most {MOST_LEAF_BYTES:,} bytes")
        event = read_json(leaf, place)
        must_be_event(event, place)
        must(event["stream"] == stream, place, f"the stream must be {stream}")
        must(event["position"] == position, place, f"the position must be {position}, not {event['position']}")
        must(event["prev"] == before, place, f"prev must be {before}, the hash of the leaf before")
        if "cmd" in event:
            must(event["cmd"] not in cmds, place, "a stream must have each command once")
            cmds.add(event["cmd"])
        before = leaf_hash(leaf).hex()
        dossier.events.append(event)
    must("cmd" in dossier.events[0], "position 1", "the first event must be a decision")
    must_be_hand(dossier)
    return f"{len(dossier.leaves):,} leaves follow one another, with {len(cmds):,} decisions"


def must_be_event(event: Any, place: str) -> None:
    """Check that *event* has the members of a leaf, with values of their types."""
    needed = {"at", "by", "position", "prev", "pub", "stream", "type", "v", "version"}
    must(isinstance(event, dict), place, "a leaf must be an object")
    must(needed <= event.keys() <= needed | {"cmd", "priv", "sig"}, place, "a leaf must have the members of log/v1")
    must(event["v"] == 1 and event["v"] is not True, place, "v must be 1")
    must(all(type(event[name]) is int for name in ("position", "version")), place, "must have whole numbers")
    must(re.fullmatch(r"[a-z][a-z_]*", str(event["type"])), place, "must name a type")
    must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(event["at"]), re.ASCII), place, "must have a time")
    by = re.fullmatch(r"seat:[1-9]\d*|host|player|service|auditor|approver", str(event["by"]), re.ASCII)
    must(by, place, "by must name who decided")
    must(isinstance(event["pub"], dict) and is_hex(event["prev"]), place, "must have pub and prev")
    must("cmd" not in event or is_hex(event["cmd"]), place, "cmd must be 64 hexadecimal digits")
    must("priv" not in event or event.get("cmd"), place, "only a decision may seal a field")
    for field, sealed in event.get("priv", {}).items():
        named = f"{place}, field {field}"
        known = {"c", "to", "until"} <= sealed.keys() <= {"c", "choice", "to", "until"}
        are_hex = all(is_hex(sealed[one]) for one in sealed.keys() & {"c", "choice"})
        must(known and are_hex, named, "must have c, to and until")
        must(all(type(seat) is int for seat in sealed["to"]), named, "to must list seats")
        until = sealed["until"]
        must({"never", "open"} <= until.keys() <= {"never", "open", "shown"}, named, "until must have never and open")


def read_begin(dossier: Dossier) -> None:
    """Read openings.ndjson: its first line says what the dossier is about."""
    named = (
        (line, f"openings.ndjson, line {number}") for number, line in enumerate(dossier.ndjson("openings.ndjson"), 1)
    )
    values = [read_json(line, place) for line, place in named]
    place = dossier.at = "openings.ndjson, line 1"
    must(values and all(isinstance(one, dict) for one in values), "openings.ndjson", "must have objects, a line each")
    begin, names = values[0].get("begin", {}), {"first", "format", "hand", "last", "stream", "viewer"}
    must(values[0].keys() == {"begin"} and begin.keys() == names, place, f"must have begin, with {sorted(names)}")
    must(begin["format"] == FORMAT, place, f"the format must be {FORMAT}")
    must(re.fullmatch("table/tbl_[0-9a-f]{32}", str(begin["stream"])), place, "must name the stream of a table")
    numbers = [begin[name] for name in ("hand", "viewer", "first", "last")]
    must(all(type(one) is int and 0 <= one <= 2**31 for one in numbers), place, "must have whole numbers")
    dossier.begin, dossier.openings = Begin(begin["stream"], *numbers), values[1:]


def must_be_hand(dossier: Dossier) -> None:
    """Check the first and the last position of the hand (or table); a running hand ends with the last leaf."""
    leaves, hand = list(dossier.each()), dossier.begin
    commands = [position for position, event, _ in leaves if "cmd" in event] + [len(leaves) + 1]
    dealt = (position for position, event, pub in leaves if event["type"] in HAND_BEGINS and pub["hand"] == hand.hand)
    begun = next(dealt, 0)
    over = (position for position, event, _ in leaves if event["type"] in HAND_ENDS and position > begun)
    ends = commands[bisect(commands, next(over, len(leaves)))] - 1
    wanted = (commands[bisect(commands, begun) - 1], ends) if hand.hand else (1, len(leaves))
    why = f"hand {hand.hand} must have the events {wanted[0]} to {wanted[1]}"
    must((hand.first, hand.last) == wanted, "openings.ndjson, line 1", why)


def check_kept(dossier: Dossier) -> str:
    """The dossier and its log agree with each file that the reader kept; with no such files, nothing is compared."""
    if not dossier.kept:
        return f"nothing was given; compare the hash {dossier.log_key.key_hash.hex()} of the log key with one you trust"
    kept = Kept(dossier)
    for name, data in dossier.kept:
        kept.read(name, data)
    for name, old in kept.checkpoints:
        kept.compare_checkpoint(name, old)
    for name, proof in kept.proofs:
        kept.compare_proof(name, proof)
    for name, receipt in kept.receipts:
        kept.compare_receipt(name, receipt)
    found = (len(kept.checkpoints), len(kept.proofs), len(kept.receipts), len(kept.log_keys))
    return "{} checkpoints, {} proofs, {} receipts and {} log keys agree".format(*found)


class Kept:
    """The files that the reader of the dossier kept, by their kinds."""

    def __init__(self, dossier: Dossier) -> None:
        self.dossier = dossier
        self.key, self.new = dossier.log_key, dossier.checkpoint
        self.log_keys: list[str] = []
        self.receipt_keys: list[str] = []
        self.checkpoints: list[tuple[str, Checkpoint]] = []
        self.continuations: list[tuple[int, list[bytes], Checkpoint]] = []
        self.proofs: list[tuple[str, Proof]] = []
        self.receipts: list[tuple[str, dict[str, Any]]] = []

    def read(self, name: str, data: bytes) -> None:
        """Read a file: a checkpoint, a proof, a proof of consistency, a receipt, or public keys."""
        must(len(data) <= MOST_KEPT_BYTES, name, f"a file to compare with must have at most {MOST_KEPT_BYTES:,} bytes")
        text = read_text(data.replace(b"\r\n", b"\n"), name)
        if text.startswith("c2sp.org/tlog-proof@"):
            self.proofs.append((name, read_proof(text, name)))
        elif text.startswith("old "):
            self._read_continuation(name, text)
        elif text.lstrip().startswith("{"):
            self._read_object(name, text)
        elif "\u2014 " in text:
            old = read_checkpoint(text, name)
            must_be_of_log(self.key, old, name)
            self.checkpoints.append((name, old))
        else:
            keys = re.findall(r"[^\s+]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+", text)
            must(keys, name, "must be a checkpoint, a proof, a receipt, or the keys of a log")
            self._must_be_the_key(name, keys[0])
            self.receipt_keys += re.findall(r"^receipt_key\s+([0-9a-f]{64})$", text, re.MULTILINE)

    def _read_object(self, name: str, text: str) -> None:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Flaw(name, "must be JSON") from None
        value = value.get("receipt", value)
        if "log_key" in value or "vkey" in value:
            self._must_be_the_key(name, str(value.get("log_key") or value.get("vkey")))
            self.receipt_keys += [str(value["receipt_key"])] if "receipt_key" in value else []
            return
        names = {*SIGNED_BY_RECEIPT, "signature"}
        must(names <= value.keys(), name, f"a receipt must have {', '.join(sorted(names))}")
        self.receipts.append((name, value))

    def _read_continuation(self, name: str, text: str) -> None:
        head, _, note = text.partition("\n\n")
        first, *rest = head.split("\n")
        size = re.fullmatch("old (0|[1-9][0-9]{0,18})", first)
        if size is None or len(rest) > 65:
            raise Flaw(name, "must be a proof of consistency: old <size>, hashes, and a checkpoint")
        newer = read_checkpoint(note, name)
        must_be_of_log(self.key, newer, name)
        self.continuations.append((int(size[1]), [from_base64(line, name, 32) for line in rest], newer))

    def _must_be_the_key(self, name: str, key: str) -> None:
        read_key(key, name)
        ours = key_text(self.key)
        must(key == ours, name, f"the log key must be the key of the dossier, {ours}")
        self.log_keys.append(key)

    def compare_checkpoint(self, name: str, old: Checkpoint) -> None:
        """Check that the larger of the trees of *old* and of the dossier's checkpoint begins with the smaller one."""
        less, more = (old, self.new) if old.size <= self.new.size else (self.new, old)
        if less.size in (0, more.size):
            must(is_continued(less, more, []), name, f"the log must have the same tree of {less.size:,} leaves")
            return
        wanted = (less.size, more.size, more.root)
        fitting = [hashes for size, hashes, newer in self.continuations if (size, newer.size, newer.root) == wanted]
        sizes = f"{less.size} to {more.size}"
        must(fitting, name, f"can be compared only with the log's proof of consistency from {sizes}, as another --kept")
        holds = any(is_continued(less, more, hashes) for hashes in fitting)
        must(holds, name, f"the tree of {more.size:,} leaves must begin with the tree of {less.size:,} leaves")

    def compare_proof(self, name: str, proof: Proof) -> None:
        """Check that a leaf of the dossier is the one that was proved earlier."""
        old = read_checkpoint(proof.note, name)
        must_be_of_log(self.key, old, name)
        roots = (root_by_proof(leaf_hash(one), proof.leaf_index, old.size, proof.hashes) for one in self.dossier.leaves)
        must(old.root in roots, name, "must prove a leaf of the dossier; a later leaf is in a dossier of a later hand")

    def compare_receipt(self, name: str, receipt: dict[str, Any]) -> None:
        """Check that the stream has the leaf that a receipt names, and that it is a leaf of the receipt's command."""
        leaves, position = self.dossier.leaves, receipt["position"]
        must(type(position) is int and position >= 1, name, "the position of a receipt must be a whole number")
        message = b"chiptrail/receipt/v1\n" + canonical({name: receipt[name] for name in SIGNED_BY_RECEIPT})
        signed = [is_signed_in_hex(key, receipt["signature"], message) for key in self.receipt_keys]
        must(any(signed) or not signed, name, "the signature of a receipt must be right")
        stream = read_json(leaves[0], "position 1").get("stream")
        must(receipt["stream"] == stream, name, f"must be a receipt of {stream}, not of {receipt['stream']}")
        must(position <= len(leaves), name, f"names position {position}, after the last leaf: take a later dossier")
        found = leaf_hash(leaves[position - 1]).hex()
        must(receipt["leaf_hash"] == found, f"position {position}", f"must be the leaf of the receipt in {name}")
        decisions = (read_json(leaf, "a leaf") for leaf in reversed(leaves[:position]))
        cmd = next((event["cmd"] for event in decisions if "cmd" in event), "")
        must(receipt["cmd"] == cmd, f"position {position}", f"must be of the command of the receipt in {name}")


# --- Moves -------------------------------------------------------------------------------------------------------

_ACTIONS = """
seat_left=leave_seat hand_dealt=deal_hand cards_held=hold_cards card_exchanged=exchange_card,card
hand_thrown_in=throw_in upping_offered=offer_upping,chips upping_passed=pass_upping upping_accepted=accept_upping
upping_declined=decline_upping player_resigned=resign deal_begun=deal_hand bet_placed=place_bet,chips
hand_sat_out=sit_out sat_in=sit_in chips_bought=buy_chips,chips insurance_offered=offer_insurance,chips
insurance_accepted=accept_insurance,seat insurance_refused=refuse_insurance,seat leftover_chosen=choose_leftover,card
card_played=play_card,card deck_seed_committed=commit_seed,epoch,client_commit
deck_seed_revealed=reveal_seed,epoch,client_seed signing_key_registered=register_signing_key,public_key
signing_key_ended=end_signing_key slip_written=slip_written pass_chosen=pass_chosen bid_written=bid_written
"""
ACTIONS = {name: action for name, _, action in (one.partition("=") for one in _ACTIONS.split())}
"""By the type of a decision: the type of the signed action, and its members. The last three decisions seal fields."""


def check_moves(dossier: Dossier) -> str:
    """A player's decision is by the seat, signed if the seat has a key, or by the service because time was called."""
    keys: dict[int, str] = {}
    heads: Counter[int] = Counter()  # by seat: the last event of the seat's last command
    signed, unsigned, seat = 0, set(), 0
    for position, event, pub in dossier.each():
        kind, place = event["type"], f"position {position}"
        if "cmd" in event:
            seat = int(event["by"].partition(":")[2] or 0)
            must_be_own(event, seat, place)
            if check_signature(dossier, event, keys, heads[seat]):
                signed += 1
            elif seat and kind in ACTIONS and dossier.begin.first <= position <= dossier.begin.last:
                unsigned.add(seat)
        else:
            must("sig" not in event and kind not in ACTIONS, place, "a player's decision must have a command id")
        heads[seat] = position
        if kind == "signing_key_registered":
            keys[seat] = pub["public_key"]
        elif kind in ("signing_key_ended", "seat_left"):
            keys.pop(seat, None)
    others = f"; seats that decided unsigned: {', '.join(map(str, sorted(unsigned)))}" if unsigned else ""
    return f"{signed} moves are signed by the keys that the seats registered{others}"


def must_be_own(event: Event, seat: int, place: str) -> None:
    """Check that a player's decision is by the player in *seat*, or by the service because time was called."""
    kind, pub = event["type"], event["pub"]
    if kind in ACTIONS or "priv" in event:
        is_called = event["by"] == "service" and pub.get("called") in ("host", "limit")
        must(seat or is_called, place, "must be decided by a seat, or by the service because time was called")
        is_own = pub.get("seat", seat) == seat or "seat" in ACTIONS.get(kind, "").split(",")
        must(is_own or not seat, place, f"a decision of seat {seat} must be about this seat")


def check_signature(dossier: Dossier, event: Event, keys: dict[int, str], since: int) -> bool:
    """Check that *event* is signed as *keys* demand; return whether it is signed.

    *since*: the position of the last event of the seat's last command.
    """
    position, sig, seat = event["position"], event.get("sig"), int(event["by"].partition(":")[2] or 0)
    place, before, is_new = f"position {position}", keys.get(seat, ""), event["type"] == "signing_key_registered"
    key = event["pub"]["public_key"] if is_new else "" if event["type"] == "signing_key_ended" else before
    must(bool(sig) == bool(key), place, "a decision must be signed if its seat has a signing key, and only then")
    are_chosen = all(("choice" in one) == bool(sig) for one in event.get("priv", {}).values())
    must(are_chosen, place, "a sealed field must have a choice if the decision is signed, and only then")
    if not sig:
        return False
    names = {"head_hash", "position", "signature"} | ({"previous"} if is_new and before else set())
    must(sig.keys() == names, place, f"a signature must have {', '.join(sorted(names))}")
    must(not is_new or (is_sound(key) and key not in keys.values()), place, "the new key must be sound and not in use")
    first = since if before else position - 1
    must(sig["position"] in range(first or 1, position), place, "must sign the end of the seat's last command or later")
    head = leaf_hash(dossier.leaves[sig["position"] - 1]).hex()
    must(sig["head_hash"] == head, place, f"must sign the hash {head} of position {sig['position']}")
    must(is_signed_in_hex(key, sig["signature"], move_text(event)), place, f"the key of seat {seat} must sign the move")
    is_by_both = "previous" not in names or is_signed_in_hex(before, sig["previous"], move_text(event))
    must(is_by_both, place, f"the earlier key of seat {seat} must sign the change of the key, too")
    return True


def is_sound(key: str) -> bool:
    """Return whether *key* (hex) is a public key under which nobody can forge: a point that is not of small order."""
    point = _point(bytes.fromhex(key)) if is_hex(key) else None
    return point is not None and _times(8, point)[0] % P != 0


def move_text(event: Event) -> bytes:
    """Return the text that the player of a decision signs."""
    decision = str(event["type"])
    kind, *members = ACTIONS.get(decision, decision).split(",")
    action = {"type": kind, **{name: event["pub"][name] for name in members if name in event["pub"]}}
    action.update({name: sealed["choice"] for name, sealed in event.get("priv", {}).items()})
    names = {"stream": event["stream"], "cmd": event["cmd"], "action": action}
    head = {name: event["sig"][name] for name in ("position", "head_hash")}
    return b"chiptrail/move/v1\n" + canonical({**names, **head})


# --- Decks (deck/v1) ---------------------------------------------------------------------------------------------


class Deck:
    """A deck of the table: what the log says about it, and its order if its seed is known."""

    def __init__(self, position: int, epoch: str, server_commit: str, batch: str) -> None:
        self.position, self.epoch, self.server_commit, self.batch = position, epoch, server_commit, batch
        self.fixed: dict[str, Any] = {}
        self.clients: dict[int, bytes] = {}
        self.seed = ""
        self.order: list[str] = []
        self.salts: list[str] = []
        self.left = list(range(len(PACK)))
        self.out: set[int] = set()
        self.shown: list[tuple[int, int, str, str]] = []  # position of the event, position of the card, face, salt


class Batch:
    """Decks that share the players' seeds, and what the seats have done about these seeds."""

    def __init__(self) -> None:
        self.committed: dict[int, str] = {}
        self.omitted: set[int] = set()
        self.shown: dict[int, bytes] = {}
        self.is_closed = self.is_dropped = self.is_ended = False
        self.settled: list[int] | None = None


def tree_root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree whose leaves have *hashes*."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    return node_hash(tree_root(hashes[:split]), tree_root(hashes[split:]))


def shuffled(epoch: str, seed: str, clients: dict[int, bytes], pack: Sequence[str] = PACK) -> Shuffled:
    """Return the deck that follows from the service's *seed* and the seats' seeds."""
    key, n = bytes.fromhex(seed), len(pack)
    commit = hash_of_lines("chiptrail/server-seed/v1", epoch, seed)
    seats = [f"seat seat:{seat} {clients[seat].hex()}" for seat in sorted(clients)]
    pack_id = hash_of_lines("chiptrail/input/v1", *pack)
    transcript = lines("chiptrail/shuffle/v1", epoch, commit, pack_id, n, *seats, "beacon -")
    shuffle_key, salts_key = mac(key, transcript), mac(key, lines("chiptrail/salts/v1", epoch))
    stream = (byte for i in range(2**32) for byte in mac(shuffle_key, lines("stream", i)))
    order = list(pack)
    for i in range(n - 1, 0, -1):
        j = next(byte for byte in stream if byte < 256 - 256 % (i + 1)) % (i + 1)
        order[i], order[j] = order[j], order[i]
    salts = [mac(salts_key, lines("salt", p)).hex() for p in range(n)]
    hashes = [card_hash(epoch, p, order[p], salts[p]) for p in range(n)]
    return Shuffled(sha256(transcript.encode()).hex(), order, salts, tree_root(hashes).hex())


def card_hash(epoch: str, pos: int, face: str, salt: str) -> bytes:
    """Return the hash by which a deck's root commits to a card."""
    return leaf_hash(lines("chiptrail/card/v1", epoch, pos, face, salt).encode())


def check_decks(dossier: Dossier) -> str:
    """Each deck was committed to, fixed, dealt from the top, and revealed after its use; shown faces are the deck's."""
    table = Decks(dossier)
    dossier.decks = table.decks
    for position, event, pub in dossier.each():
        table.read(position, event, pub)
    table.must_be_settled()
    for deck in table.decks.values():
        for position, pos, face, salt in deck.shown if deck.order else []:
            place = f"position {position}"
            must(deck.order[pos] == face, place, f"card {pos} of {deck.epoch} must be {deck.order[pos]}, not {face}")
            must(deck.salts[pos] == salt, place, f"the salt of card {pos} of {deck.epoch} must be the deck's")
    revealed = sum(bool(deck.seed) for deck in table.decks.values())
    return f"{len(table.decks)} decks, {revealed} of them revealed, follow from their seeds"


class Decks:
    """The decks of a table, event by event."""

    def __init__(self, dossier: Dossier) -> None:
        self.table = dossier.begin.stream.partition("/")[2]
        self.has_seeds = dossier.events[0]["pub"].get("seeds") == "players"
        self.decks: dict[str, Deck] = {}
        self.reserve: list[Deck] = []
        self.in_play = self.decision = ""
        self.is_over = False
        self.seats: set[int] = set()  # the seats in the game
        self.batches: dict[str, Batch] = {}
        self.server_commits: set[str] = set()

    def read(self, position: int, event: Event, pub: dict[str, Any]) -> None:
        """Check the next event."""
        kind, place = event["type"], f"position {position}"
        self.decision = kind if "cmd" in event else self.decision
        if kind == "seat_taken":
            self.seats.add(pub["seat"])
        elif kind in ("seat_left", "player_resigned", "player_bankrupt", "player_knocked_out"):
            self.seats.discard(pub["seat"])
        elif kind == "deck_opened":
            self._open(position, pub, place)
        elif kind.startswith(("deck_seed", "deck_commitments", "deck_batch")):
            self._add_seeds(kind, pub, place)
        elif kind == "deck_fixed":
            self._fix(pub, place)
        elif kind in ("deck_revealed", "deck_unused"):
            self._reveal(kind, pub, place)
        elif kind == "cards_dealt":
            self._deal(pub, place)
        elif kind == "cards_bottomed":
            self._bottom(pub, place)
        elif {"epoch", "order"} <= pub.keys():
            deck = self._deck(pub, place)
            must(sorted(pub["order"]) == sorted(deck.left), place, "order must have exactly the cards that are left")
            deck.left = list(pub["order"])
        elif kind in ("game_ended", "table_closed"):
            self.is_over = True
        if "epoch" in pub:
            self._show(position, pub, place)

    def _deck(self, pub: dict[str, Any], place: str) -> Deck:
        deck = self.decks.get(str(pub["epoch"]))
        if deck is None or not deck.fixed or deck.seed:
            raise Flaw(place, f"{pub['epoch']} must be a deck that was fixed and is not retired")
        return deck

    def _open(self, position: int, pub: dict[str, Any], place: str) -> None:
        epoch = f"{self.table}/{len(self.decks) + 1}"
        must(pub["epoch"] == epoch, place, f"the deck must be {epoch}")
        pack_id = hash_of_lines("chiptrail/input/v1", *PACK)
        must((pub["n"], pub["input_id"]) == (len(PACK), pack_id), place, "the pack must be the fresh pack of 52 cards")
        must(is_hex(pub["server_commit"]), place, "must commit to a seed")
        must(pub["server_commit"] not in self.server_commits, place, "no other deck may have the same server_commit")
        self.server_commits.add(pub["server_commit"])
        self.decks[epoch] = Deck(position, epoch, pub["server_commit"], pub.get("batch", ""))
        self.reserve.append(self.decks[epoch])
        must(bool(pub.get("batch")) == self.has_seeds, place, "must have a batch if players add seeds, and only then")
        if batch := self.decks[epoch].batch:
            is_open = batch == epoch or (batch in self.batches and not self.batches[batch].committed)
            must(is_open, place, "a deck must be opened before a seat commits to a seed for its batch")
            self.batches.setdefault(batch, Batch())

    def _add_seeds(self, kind: str, pub: dict[str, Any], place: str) -> None:
        must(pub["epoch"] in self.batches, place, "must name a batch of decks")
        batch, seat, seats = self.batches[pub["epoch"]], pub.get("seat", 0), sorted(pub.get("seats", []))
        if kind == "deck_commitments_closed" or (kind == "deck_seeds_settled" and not batch.is_closed):
            late = sorted(self.seats - batch.committed.keys() - batch.omitted)
            must(not late and not batch.is_closed, place, f"seats {late} must commit first, or time must be called")
            batch.is_closed = True
        if kind == "deck_seed_committed":
            is_first = not batch.is_closed and seat not in batch.committed and seat in self.seats - batch.omitted
            must(is_first and is_hex(pub["client_commit"]), place, "a seat must commit once, before commitments close")
            batch.committed[seat] = pub["client_commit"]
        elif kind == "deck_seed_omitted":
            must("called" in pub, place, "a seat must be left out only because time was called")
            batch.omitted.add(seat)
        elif kind == "deck_commitments_closed":
            must(seats == sorted(batch.committed), place, f"the seats that committed must be {sorted(batch.committed)}")
        elif kind == "deck_seed_revealed":
            must(is_hex(pub["client_seed"]) and batch.is_closed, place, "a seed must be shown after commitments close")
            found = hash_of_lines("chiptrail/client-seed/v1", pub["epoch"], f"seat:{seat}", pub["client_seed"])
            must(batch.committed.get(seat) == found, place, "the seed must be the one to which the seat committed")
            batch.shown[seat] = bytes.fromhex(pub["client_seed"])
        elif kind == "deck_seeds_dropped":
            missing = sorted(batch.committed.keys() - batch.shown.keys())
            must(seats == missing, place, f"the seats that showed no seed must be {missing}")
            must(batch.is_closed and missing and "called" in pub, place, "must be dropped only because time was called")
            batch.is_dropped = True
        elif kind == "deck_batch_ended":
            why = "a batch must end only because a player took a seat or left"
            must(self.decision in ("seat_taken", "seat_left") and not batch.is_ended, place, why)
            batch.is_ended = True
        elif kind == "deck_seeds_settled":
            wanted = [] if batch.is_dropped else sorted(batch.committed)
            must(batch.settled is None, place, "the seeds of a batch must be settled once")
            must(seats == wanted and batch.shown.keys() >= set(wanted), place, f"must have the seeds of seats {wanted}")
            batch.settled = seats

    def _fix(self, pub: dict[str, Any], place: str) -> None:
        while self.reserve and self.batches.get(self.reserve[0].batch, Batch()).is_ended:
            self.reserve.pop(0)
        must(self.reserve and self.reserve[0].epoch == pub["epoch"], place, "must be the next deck in reserve")
        deck = self.reserve.pop(0)
        must(is_hex(pub["transcript"]) and is_hex(pub["deck_root"]), place, "must have transcript and deck_root")
        batch, seats = self.batches.get(deck.batch, Batch()), pub.get("seats", [])
        must(seats == (batch.settled if deck.batch else []), place, f"must have the seeds of seats {batch.settled}")
        some = "partial" if self.seats & set(seats) else "operator"
        level = "joint" if self.seats and self.seats <= set(seats) else some
        must(pub["level"] == level, place, f"the level must be {level}: the seats in the game are {sorted(self.seats)}")
        deck.clients = {seat: batch.shown[seat] for seat in seats}
        deck.fixed, self.in_play = pub, deck.epoch

    def _reveal(self, kind: str, pub: dict[str, Any], place: str) -> None:
        deck = self.decks.get(str(pub["epoch"]))
        if deck is None or deck.seed or bool(deck.fixed) != (kind == "deck_revealed"):
            raise Flaw(place, f"{pub['epoch']} must be a deck to reveal, for the first time")
        if kind == "deck_unused":
            is_done = self.is_over or self.batches.get(deck.batch, Batch()).is_ended
            must(is_done, place, "a deck must be unused only because its batch or the game has ended")
        must(is_hex(pub["server_seed"]), place, "must have a seed")
        deck.seed = pub["server_seed"]
        commit = hash_of_lines("chiptrail/server-seed/v1", deck.epoch, deck.seed)
        must(commit == deck.server_commit, place, f"the seed must be the one of position {deck.position}")
        if deck.fixed:
            made = shuffled(deck.epoch, deck.seed, deck.clients)
            for name, found in (("transcript", made.transcript), ("deck_root", made.root)):
                must(found == deck.fixed[name], place, f"the seeds must give the {name} that was fixed")
            deck.order, deck.salts = made.order, made.salts

    def _deal(self, pub: dict[str, Any], place: str) -> None:
        deck = self._deck(pub, place)
        must(deck.epoch == self.in_play, place, f"cards must be dealt from {self.in_play}")
        dealt = [pos for pos, _ in pub["cards"]]
        top = deck.left[: len(dealt)]
        must(dealt == top, place, f"cards must be dealt from the top of the deck, which is {top}")
        deck.left = deck.left[len(dealt) :]
        deck.out.update(dealt)

    def _bottom(self, pub: dict[str, Any], place: str) -> None:
        deck, used = self._deck(pub, place), pub["positions"]
        is_used = set(used) <= deck.out and len(set(used)) == len(used)
        must(is_used, place, "used cards must be cards that were dealt, each once")
        deck.left += used
        deck.out -= set(used)

    def _show(self, position: int, pub: dict[str, Any], place: str) -> None:
        cards = pub["cards"] if isinstance(pub.get("cards"), list) else []
        for card in [pub, *(card for card in cards if isinstance(card, dict))]:
            if "salt" in card:
                deck = self._deck(pub, place)
                pos, face, salt = card["pos"], card["face"], card["salt"]
                must(pos in range(len(PACK)) and face in PACK and is_hex(salt), place, "must show a card of the deck")
                deck.shown.append((position, pos, face, salt))

    def must_be_settled(self) -> None:
        """Check that the seeds of all decks that are no longer needed are revealed."""
        for deck in self.decks.values():
            is_used_up = deck.fixed and deck.epoch != self.in_play
            why = f"the seed of {deck.epoch} must be revealed by the end of the stream"
            must(deck.seed or not (self.is_over or is_used_up), f"position {deck.position}", why)


# --- Sealed fields and openings ----------------------------------------------------------------------------------


class Sealed:
    """A sealed field: its commitments, the seats that may read it, and how its disclosure ended."""

    def __init__(self, seat: int, sealed: dict[str, Any]) -> None:
        self.seat = seat
        self.c, self.choice, self.until = sealed["c"], sealed.get("choice", ""), sealed["until"]
        self.readers = set(sealed["to"])
        self.ended = ""


def disclosures(dossier: Dossier, viewer: int) -> tuple[list[tuple[int, Place]], dict[Place, Sealed]]:
    """Return the fields that the seat *viewer* may read, each with the position of its disclosure, and all fields.

    Each field must be public or closed for good when a deck is revealed, the game ends or the table is closed.
    """
    fields: dict[Place, Sealed] = {}
    open_ones: dict[Place, Sealed] = {}
    may_read: list[tuple[int, Place]] = []
    for position, event, _ in dossier.each():
        kind = event["type"]
        for place, field in list(open_ones.items()):
            could_read = viewer in field.readers
            if kind in field.until["open"]:
                field.ended = "open"
            elif kind in field.until["never"]:
                field.ended = "never"
            else:
                field.readers |= set(field.until.get("shown", {}).get(kind, []))
            can_read = viewer in field.readers or field.ended == "open"
            if can_read and not could_read:
                may_read.append((position, place))
            if field.ended:
                del open_ones[place]
        for name, sealed in event.get("priv", {}).items():
            fields[position, name] = open_ones[position, name] = Sealed(event["pub"]["seat"], sealed)
            if viewer in sealed["to"]:
                may_read.append((position, (position, name)))
        must(len(open_ones) <= MOST_SEALED, dossier.at, f"at most {MOST_SEALED} fields may be sealed at a time")
        if kind in ("deck_revealed", "game_ended", "table_closed"):
            for place in open_ones:
                why = f"{place[1]} must be public or closed for good by position {position}"
                raise Flaw(f"position {place[0]}", why)
    return may_read, fields


def check_openings(dossier: Dossier) -> str:
    """openings.ndjson has each opening for the viewer once, right and in order; of later hands, only public ones."""
    begin, number = dossier.begin, 1
    may_read, fields = disclosures(dossier, begin.viewer)
    later = {place for place, one in fields.items() if place[0] > begin.last and one.ended != "open"}
    left_out = later | erased_places(dossier, fields)
    wanted: list[tuple[int, int, Any]] = [(at, 1, place) for at, place in may_read if place not in left_out]
    for position, event, pub in dossier.each():
        if event["type"] == "cards_dealt" and position <= begin.last and not dossier.decks[pub["epoch"]].seed:
            wanted += [(position, 0, (pub["epoch"], pos)) for pos, to in pub["cards"] if to == begin.viewer > 0]
    wanted.sort(key=lambda one: one[:2])
    for number, opening in enumerate(dossier.openings, start=2):
        place = dossier.at = f"openings.ndjson, line {number}"
        must(number - 2 < len(wanted), place, "the viewer may read no further value")
        position, of_field, what = wanted[number - 2]
        must(opening.get("from") == position, place, f"must be the opening of {what} from position {position} on")
        if of_field:
            open_field(dossier, opening, what, fields, place)
        else:
            open_card(dossier, opening, what, place)
    must(number - 1 == len(wanted), "openings.ndjson", f"the opening after line {number} is missing")
    sealed = f"{len(fields)} sealed fields; " if fields else ""
    return f"{sealed}the viewer may read {len(wanted)} values, and has them"


def open_field(dossier: Dossier, opening: dict[str, Any], what: Any, fields: dict[Place, Sealed], place: str) -> None:
    """Check the opening of a sealed field."""
    position, name = what
    must(opening.keys() == {"field", "from"}, place, "must be the opening of a field")
    field = opening["field"]
    sealed = fields[position, name]
    salts = {"salt", "blind"} if sealed.choice else {"salt"}
    must(field.keys() == {"field", "position", "stream", "value"} | salts, place, "must have the members of an opening")
    is_it = (field["stream"], field["position"], field["field"]) == (dossier.begin.stream, position, name)
    must(is_it, place, f"must be the opening of {name} at position {position}")
    must(all(is_hex(field[one]) for one in salts), place, "must have a salt, and a blind if the move is signed")
    value, text = canonical(field["value"]), lines("chiptrail/field/v1", field["stream"], position, name, field["salt"])
    c = sha256(text.encode() + value).hex()
    must(c == sealed.c, place, f"must match the commitment to {name} at position {position}")
    if sealed.choice:
        text = lines("chiptrail/choice/v1", field["stream"], f"seat:{sealed.seat}", name, field["blind"])
        must(sha256(text.encode() + value).hex() == sealed.choice, place, f"must match what seat {sealed.seat} signed")
    dossier.values[position, name] = field["value"]


def open_card(dossier: Dossier, opening: dict[str, Any], what: Any, place: str) -> None:
    """Check the opening of a card that was dealt to the viewer."""
    must(opening.keys() == {"card", "from"}, place, "must be the opening of a card")
    card = opening["card"]
    must(card.keys() == {"epoch", "face", "pos", "proof", "salt"}, place, "must have the members of a card")
    must((card["epoch"], card["pos"]) == what, place, f"must be card {what[1]} of {what[0]}")
    must(card["face"] in PACK and is_hex(card["salt"]), place, "must have a face and a salt")
    must(all(is_hex(one) for one in card["proof"]), place, "must have a proof")
    deck = dossier.decks[card["epoch"]]
    hashes = [bytes.fromhex(one) for one in card["proof"]]
    root = root_by_proof(card_hash(deck.epoch, card["pos"], card["face"], card["salt"]), card["pos"], len(PACK), hashes)
    must(root and root.hex() == deck.fixed["deck_root"], place, "the card must be in the fixed deck, at this place")
    deck.shown.append((opening["from"], card["pos"], card["face"], card["salt"]))


def erased_places(dossier: Dossier, fields: dict[Place, Sealed]) -> set[Place]:
    """Return the places of erased values; check that each value was sealed before, and was erased once."""
    erased: set[Place] = set()
    seeds = {(deck.position, "server_seed") for deck in dossier.decks.values()}
    for position, event, pub in dossier.each():
        if event["type"] == "value_erased":
            place = (pub["position"], pub["field"])
            was_sealed = place[0] < position and (place in fields or place in seeds)
            must(was_sealed and place not in erased, f"position {position}", "must erase a sealed value, once")
            erased.add(place)
    return erased


def check_hands(dossier: Dossier) -> str:
    """In Insurance Hearts, each played card is a card that the seat then had, if the seat's hand is known."""
    deck: Deck | None = None
    hands: Hands = {}
    passed: dict[int, list[str] | None] = {}  # by position of the choice; None: the viewer can't read it
    played = 0
    for position, event, pub in dossier.each():
        kind, place = event["type"], f"position {position}"
        if kind == "cards_dealt":
            if deck is None or deck.epoch != pub["epoch"]:
                deck, hands = dossier.decks[pub["epoch"]], {}
            for pos, to in pub["cards"] if deck.order else []:
                if isinstance(to, int):
                    hands.setdefault(to, set()).add(deck.order[pos])
        elif kind == "pass_chosen":
            passed[position] = dossier.values.get((position, "cards"))
        elif kind == "cards_passed":
            hands = _after_passing(dossier, hands, passed, place)
            passed = {}
        elif kind == "auction_settled":
            for sold in pub["sold"]:
                hands.get(sold["seat"], set()).add(sold["card"])
        elif kind in ("leftover_chosen", "leftover_given"):
            hands.get(pub["seat"], set()).add(pub["card"])
        elif kind == "card_played" and pub["seat"] in hands:
            must(pub["card"] in hands[pub["seat"]], place, f"seat {pub['seat']} must have {pub['card']}")
            hands[pub["seat"]].remove(pub["card"])
            played += 1
    return f"{played} cards were played from the hands that had them"


def _after_passing(dossier: Dossier, hands: Hands, passed: dict[int, list[str] | None], place: str) -> Hands:
    """Return the hands after the cards were passed; return no hands if a choice can't be read."""
    after = {seat: set(cards) for seat, cards in hands.items()}
    for position, cards in passed.items():
        event = dossier.events[position - 1]
        giver, until = event["pub"]["seat"], event["priv"]["cards"]["until"]
        (receiver,) = until["shown"]["cards_passed"]
        if cards is None or not hands:
            return {}
        must(set(cards) <= hands.get(giver, set()), place, f"seat {giver} must have the cards that it passed")
        after[giver] -= set(cards)
        after[receiver] |= set(cards)
    return after


def check_transfers(dossier: Dossier) -> str:
    """Each transfer moves something from one account to another; only house and pool go below zero."""
    balances: Counter[str] = Counter()
    moved = 0
    for position, _, pub in dossier.each():
        place = f"position {position}"
        for source, target, amount, unit, _ in pub.get("transfers", []):
            must(type(amount) is int and amount > 0, place, "the amount of a transfer must be above zero")
            must(source != target, place, "a transfer must have two accounts")
            for account in (source, target):
                right = "points" if account.partition(":")[0] in ("pool", "score") else "chips"
                must(unit == right, place, f"the unit of {account} must be {right}")
            balances[source] -= amount
            balances[target] += amount
            must(balances[source] >= 0 or source in ("house", "pool"), place, f"{source} must not go below zero")
            moved += 1
    return f"{moved:,} transfers balance, over {len(balances)} accounts"


# --- The service's own stream, and the disputes of the table -----------------------------------------------------


def proved(dossier: Dossier, name: str, stream: str) -> Iterator[tuple[str, dict[str, Any], Event]]:
    """Check that each line of a file is a later leaf of *stream*, in the tree; yield its place, value and event."""
    checkpoint, before = dossier.checkpoint, 0
    for number, line in enumerate(dossier.ndjson(name) if name in dossier.files else [], start=1):
        place = dossier.at = f"{name}, line {number}"
        value = read_json(line, place)
        must(value.keys() - {"opening"} == {"hashes", "index", "leaf"}, place, "must have a leaf and its proof")
        event = value["leaf"]
        must_be_event(event, place)
        must(event["stream"] == stream and event["position"] > before, place, f"must be the next leaf of {stream}")
        hashes = [from_base64(one, place, 32) for one in value["hashes"]]
        if isinstance(value["index"], bool):
            raise TypeError("an index must be a whole number")
        root = root_by_proof(leaf_hash(canonical(event)), value["index"], checkpoint.size, hashes)
        must(root == checkpoint.root, place, "the proof must lead to the root of the checkpoint")
        before = event["position"]
        yield place, value, event


def check_service(dossier: Dossier) -> str:
    """Each leaf in service.ndjson is in the tree, belongs to the service's own stream, and concerns the dossier."""
    table, ours = dossier.begin.stream[6:], (dossier.checkpoint.origin, key_text(dossier.log_key))
    for place, value, event in proved(dossier, "service.ndjson", "service/log"):
        kind, pub = event["type"], event["pub"]
        is_about = kind in ABOUT_LOG + ABOUT_TABLE and pub.get("table", table if kind in ABOUT_LOG else "") == table
        must(is_about and "opening" not in value, place, "must concern the log or the table")
        is_ours = kind != "log_opened" or (pub["origin"], pub["log_key"]) == ours
        must(is_ours, place, "must name the origin and the key of the log")
        dossier.service.append(event)
    return f"{len(dossier.service)} leaves of the service's own stream are in the tree"


def check_disputes(dossier: Dossier) -> str:
    """The table's disputes are in the log; each text is what was sealed, and a reason is missing only if erased."""
    before, table, reasons = NO_HASH, dossier.begin.stream, set[int]()
    stream = "dispute/dsp_" + "ff" * 6 + hash_of_lines("chiptrail/disputes/v1", table)[:20]
    for number, (place, value, event) in enumerate(proved(dossier, "disputes.ndjson", stream), start=1):
        pub, sealed, opening = event["pub"], event.get("priv", {}), value.get("opening", {})
        is_next = (event["position"], event["prev"], pub.get("table", table[6:])) == (number, before, table[6:])
        must(is_next, place, f"must be position {number} of this table's disputes, after the leaf {before}")
        must(("opening" in value) <= len(sealed) < 2, place, "must seal one text at most, and open only what it seals")
        for field, commitment in sealed.items():
            if "opening" not in value:
                reasons |= {number} if field == "reason" else set()
                continue
            must(is_hex(opening["salt"]) and opening.keys() == {"salt", "value"}, place, "must have a salt and a text")
            text = lines("chiptrail/field/v1", stream, number, field, opening["salt"])
            c = sha256(text.encode() + canonical(opening["value"])).hex()
            must(c == commitment["c"], place, f"must be the {field} that was sealed")
        reasons -= {pub["position"]} if event["type"] == "dispute_value_erased" else set()
        before = leaf_hash(canonical(event)).hex()
        dossier.disputes.append((event, _in_words(opening["value"]) if opening else "sealed" if sealed else ""))
    must(not reasons, f"disputes.ndjson, line {min(reasons, default=0)}", "must have the reason that was sealed")
    return f"{len(dossier.disputes)} events of disputes are in the tree"


# --- The pages for people ----------------------------------------------------------------------------------------

README = """\
A DOSSIER OF CHIPTRAIL

This file proves {what} of {dossier.begin.stream}, as {viewer} may see it,
with no network and no service:  python3 verify.py dossier.zip

verify.py needs Python 3.9 or newer. Get it from a source that you trust: somebody who
forges a dossier can also forge the copy in it. case.html shows the hand to a person.

What the check proves: The log with the key below signed a tree that has these events.
Each deck was fixed before the decisions about its cards, and was dealt from the top.
Each sealed choice that you can read is the one that was sealed. Each signed move was
signed with the key that its seat registered. Chips and points only moved between
accounts. `chiptrail verify --dossier` decides every decision again, too.

What it does not prove: Others may have another log. Compare the key, and give verify.py
each checkpoint and receipt that you kept (--kept). The file does not show who made an
unsigned move, or whose key a seat registered: ask the player. The operator may have made
up the players' seeds, drawn many decks and kept one (level "operator"), or shown cards.
Witnesses of this checkpoint: {witnesses}

The log        {dossier.log_key.name}
The key        {key_text}
The checkpoint {dossier.checkpoint.size} leaves
The events     1 to {leaves} of the table; the hand has {dossier.begin.first} to {dossier.begin.last}
The service    on its own stream, in service.ndjson: {service}
The disputes   of the table, in disputes.ndjson: {disputes} events
"""

PAGE = """\
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }}
table {{ border-collapse: collapse; margin: 1em 0 }} td.number {{ text-align: right }}
td, th {{ border-bottom: 1px solid #ccc; padding: .2em .8em; text-align: left; vertical-align: top }}
</style></head>
<body><h1>{title}</h1><p>{about}</p>
<h2>The cards</h2>{cards}
<h2>What was chosen and what followed</h2>{events}
<h2>The accounts</h2>{accounts}
<h2>The disputes of the table</h2>{disputes}
<h2>The proof</h2><p>The events are in {proof}; verify.py checks this.</p>
</body></html>
"""


def check_pages(dossier: Dossier) -> str:
    """README.txt and case.html are what this program makes of the other files, and verify.py is this program."""
    must_be_same(dossier.files["README.txt"], readme(dossier).encode(), "README.txt")
    must_be_same(dossier.files["case.html"], case_page(dossier).encode(), "case.html")
    must_be_same(dossier.files["verify.py"], Path(__file__).read_bytes(), "verify.py")
    return "README.txt and case.html follow from the events; verify.py is this program"


def must_be_same(found: bytes, wanted: bytes, name: str) -> None:
    """Check that a file is the one that the dossier must have."""
    line = found[: first_difference(found, wanted)].count(b"\n") + 1
    must(found == wanted, f"{name}, line {line}", "must be the line that belongs to these events and this verify.py")


def readme(dossier: Dossier) -> str:
    """Return README.txt."""
    begin, service = dossier.begin, (f"{_title(one['type'])} (position {one['position']})" for one in dossier.service)
    return README.format(
        dossier=dossier,
        key_text=key_text(dossier.log_key),
        leaves=len(dossier.leaves),
        what=f"hand {begin.hand}" if begin.hand else "all hands",
        viewer=_viewer(begin.viewer),
        witnesses=", ".join(name for name, _ in dossier.checkpoint.signatures[1:]) or "none",
        service=", ".join(service) or "nothing",
        disputes=len(dossier.disputes),
    )


def _viewer(seat: int) -> str:
    return f"seat {seat}" if seat else "everybody"


def case_page(dossier: Dossier) -> str:
    """Return case.html: the hand or table as a person reads it, made from the other files of the dossier."""
    begin, checkpoint = dossier.begin, dossier.checkpoint
    table, opened = begin.stream.partition("/")[2], dossier.events[0]["pub"]
    what = f"Hand {begin.hand} of {table}" if begin.hand else f"The table {table}"
    about = f"The game is {_in_words(opened.get('game', ''))}. The page shows what {_viewer(begin.viewer)} may see."
    rows = [
        (position, event["at"], _who(event), _title(event["type"]), _details(dossier, position, event), _moved(pub))
        for position, event, pub in dossier.each()
        if begin.first <= position <= begin.last
    ]
    return PAGE.format(
        title=html.escape(what),
        about=html.escape(about),
        cards=_table(("event", "deck", "cards"), _dealt(dossier)),
        events=_table(("event", "time (UTC)", "who", "what", "details", "chips and points"), rows),
        accounts=_table(("account", "before", "change", "after"), _balances(dossier)),
        disputes=_table(("dispute", "time (UTC)", "who", "what", "details", "text"), _disputed(dossier)),
        proof=html.escape(f"a tree of {checkpoint.size} leaves of the log {checkpoint.origin}"),
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = ["<tr>" + "".join(f"<th>{html.escape(head)}</th>" for head in heads) + "</tr>"]
    for row in rows:
        kinds = ((' class="number"' if isinstance(one, int) else "", html.escape(str(one))) for one in row)
        written.append("<tr>" + "".join(f"<td{kind}>{text}</td>" for kind, text in kinds) + "</tr>")
    return "<table>\n" + "\n".join(written) + "\n</table>"


def _title(kind: str) -> str:
    return kind.replace("_", " ")


def _who(event: Event) -> str:
    by = str(event["by"]).replace(":", " ")
    if "cmd" not in event:
        return "the rules"
    called = event["pub"].get("called")
    return f"{by}, because {called} called time" if called else by


def _details(dossier: Dossier, position: int, event: Event) -> str:
    hidden = {"transfers", "called", "salt", "server_commit", "input_id", "transcript", "deck_root"}
    shown = {name: value for name, value in event["pub"].items() if name not in hidden}
    if event["type"] == "cards_dealt":
        shown["cards"] = f"{len(shown['cards'])} cards, see above"
    parts = [f"{_title(name)}: {_in_words(value)}" for name, value in shown.items()]
    for name in event.get("priv", {}):
        is_open = (position, name) in dossier.values
        value = f"{_in_words(dossier.values[position, name])} (sealed)" if is_open else "sealed"
        parts.append(f"{_title(name)}: {value}")
    return "; ".join(parts)


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return f"({', '.join(f'{_title(name)} {_in_words(one)}' for name, one in value.items() if name != 'salt')})"
    if isinstance(value, list):
        return ", ".join(_in_words(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _moved(pub: dict[str, Any]) -> str:
    return "; ".join(
        f"{amount} {unit} from {source} to {target} (rule {rule})"
        for source, target, amount, unit, rule in pub.get("transfers", [])
    )


def _dealt(dossier: Dossier) -> Iterator[Sequence[object]]:
    """Yield a row for each deal of the hand, with the faces that the viewer may see."""
    faces = {(deck.epoch, pos): face for deck in dossier.decks.values() for _, pos, face, _ in deck.shown}
    for position, event, pub in dossier.each():
        if event["type"] == "cards_dealt" and dossier.begin.first <= position <= dossier.begin.last:
            epoch = pub["epoch"]
            given: defaultdict[Any, list[str]] = defaultdict(list)
            order = dossier.decks[epoch].order if epoch in dossier.decks else []
            for pos, to in pub["cards"]:
                given[to].append(order[pos] if order else faces.get((epoch, pos), "??"))
            named = (f"{f'seat {to}' if isinstance(to, int) else to}: {' '.join(cards)}" for to, cards in given.items())
            yield position, epoch, "; ".join(named)


def _disputed(dossier: Dossier) -> Iterator[Sequence[object]]:
    """Yield a row for each step of the table's disputes, with the texts that the viewer may read."""
    for event, text in dossier.disputes:
        shown = {name: value for name, value in event["pub"].items() if name not in {"dispute", "parties", "table"}}
        yield event["pub"]["dispute"], event["at"], event["by"], _title(event["type"]), _in_words(shown), text


def _balances(dossier: Dossier) -> Iterator[Sequence[object]]:
    """Yield a row for each account: its balance before the hand, its change, and its balance after the hand."""
    before, change = Counter[str](), Counter[str]()
    for position, _, pub in dossier.each():
        if position <= dossier.begin.last:
            counted = before if position < dossier.begin.first else change
            for source, target, amount, _, _ in pub.get("transfers", []):
                counted[source] -= amount
                counted[target] += amount
    for account in sorted({*before, *change}):
        yield account, before[account], change[account], before[account] + change[account]


# --- The program -------------------------------------------------------------------------------------------------

STEPS: tuple[tuple[str, Callable[[Dossier], str], tuple[str, ...]], ...] = (
    ("file", check_file, ()),
    ("signatures", check_signatures, ("file",)),
    ("inclusion", check_inclusion, ("signatures",)),
    ("kept", check_kept, ("signatures", "inclusion")),
    ("leaves", check_leaves, ("inclusion",)),
    ("moves", check_moves, ("leaves",)),
    ("decks", check_decks, ("leaves",)),
    ("openings", check_openings, ("decks",)),
    ("hands", check_hands, ("openings",)),
    ("transfers", check_transfers, ("leaves",)),
    ("service", check_service, ("leaves",)),
    ("disputes", check_disputes, ("leaves",)),
    ("pages", check_pages, ("openings", "transfers", "service", "disputes")),
)
"""The name of each check, the check, and the checks that must have passed before it."""
_READ_BEFORE = ("signatures", "inclusion", "leaves", "decks", "openings", "service", "disputes")
BEFORE_PAGES = tuple(check for name, check, _ in STEPS if name in _READ_BEFORE)
"""The checks that read what the pages for people show."""


def findings(data: bytes, kept: Iterable[tuple[str, bytes]] = ()) -> Iterator[Finding]:
    """Check the dossier *data* step by step; *kept* are names and contents of files that the reader kept."""
    dossier, passed = Dossier({}), set()
    dossier.data, dossier.kept = data, list(kept)
    for name, check, needs in STEPS:
        missing = [one for one in needs if one not in passed]
        reason = f"not checked, because {(missing or [''])[0]} did not pass"
        finding = Finding("-", name, "", reason) if missing else run(name, check, dossier)
        yield finding
        if finding.verdict == "ok":
            passed.add(name)


def run(name: str, check: Callable[[Dossier], str], dossier: Dossier) -> Finding:
    """Run one check."""
    try:
        return Finding("ok", name, "", check(dossier))
    except Flaw as flaw:
        return Finding("FAILED", name, flaw.place, flaw.why)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return Finding("FAILED", name, dossier.at, f"must have a value of another form ({error!r})")


def main(arguments: Sequence[str]) -> int:
    """Check the dossier that *arguments* name, print a finding for each check, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, usage="python3 verify.py dossier.zip [--kept FILE] ...")
    parser.add_argument("dossier")
    parser.add_argument("--kept", action="append", default=[], metavar="FILE", help="something that you kept")
    given = parser.parse_args(arguments)
    try:
        data = read_file(given.dossier, MOST_BYTES)
        kept = [(name, read_file(name, MOST_KEPT_BYTES)) for name in given.kept]
    except OSError as error:
        print(f"{error.filename} can't be read: {error.strerror}", file=sys.stderr)
        return 2
    has_failed = False
    for finding in findings(data, kept):
        text = f"{finding.place}: {finding.text}" if finding.place else finding.text
        tell(f"{finding.verdict:<8}{finding.step:<12}{text}")
        has_failed |= finding.verdict == "FAILED"
    tell("REFUSED" if has_failed else "Every check passed.")
    return 3 if has_failed else 0


def tell(text: str) -> None:
    """Print a line with its control characters escaped: a forger could rewrite lines on a terminal with them."""
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    try:
        print(shown.encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding), flush=True)
    except BrokenPipeError:  # The reader has stopped, as `| head -1` does; the exit code still shows the result.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_file(name: str, most: int) -> bytes:
    """Return the content of a file, or its first *most* + 1 bytes if it is larger."""
    with Path(name).open("rb") as opened:
        return opened.read(most + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
