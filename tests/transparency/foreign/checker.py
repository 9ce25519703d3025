"""A second implementation of api_spec/log_format.md, "The log as a whole", that shares no code with the service.

It was written from that page, RFC 8032 and RFC 9162 alone, and needs only Python's standard library. It reads a log in
files: two checkpoints, the tiles of the new tree, and the hashes of leaves.
"""

import base64
import hashlib
from pathlib import Path

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int, int, int]


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def add(a: Point, b: Point) -> Point:
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (n - m) * (d - c) % P, (d + c) * (n + m) % P, (d - c) * (d + c) % P, (n - m) * (n + m) % P


def times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while scalar:
        total = add(total, point) if scalar & 1 else total
        scalar, point = scalar >> 1, add(point, point)
    return total


def point_of(data: bytes) -> Point:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0, "this is no point of the curve"
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(public_key: bytes, signature: bytes, text: bytes) -> bool:
    s = int.from_bytes(signature[32:], "little")
    challenge = hashlib.sha512(signature[:32] + public_key + text).digest()
    a = times(s, BASE)
    b = add(point_of(signature[:32]), times(int.from_bytes(challenge, "little") % Q, point_of(public_key)))
    return s < Q and len(signature) == 64 and (a[0] * b[2] - b[0] * a[2]) % P == (a[1] * b[2] - b[1] * a[2]) % P == 0


def checkpoint(file: Path, vkey: str) -> tuple[int, bytes]:
    origin, key_hash, key = vkey.split("+", 2)
    raw = base64.b64decode(key)
    assert sha256(origin.encode() + b"\n" + raw)[:4].hex() == key_hash, "this is no key"
    assert raw[0] == 1, "this is no key of a log"
    text, signatures = file.read_bytes().split(b"\n\n")
    data = base64.b64decode(signatures.splitlines()[0].removeprefix(f"— {origin} ".encode()))
    assert data[:4].hex() == key_hash, "another key signed this"
    assert is_signed(raw[1:], data[4:], text + b"\n"), "the signature is wrong"
    lines = text.decode().split("\n")
    assert (lines[0], len(lines)) == (origin, 3), "this is a checkpoint of another log"
    return int(lines[1]), base64.b64decode(lines[2])


def root_over(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    k = 2 ** ((len(hashes) - 1).bit_length() - 1)
    return sha256(b"\1" + root_over(hashes[:k]) + root_over(hashes[k:]))


def row(folder: Path, level: int, entries: int) -> list[bytes]:
    """Return all hashes of the tiles of one level of the tree."""
    data = b""
    for number in range(0, entries, 256):
        name = f"{number // 256:03d}" if number < 256_000 else f"x{number // 256_000:03d}/{number // 256 % 1000:03d}"
        width = min(entries - number, 256)
        part = (folder / f"tile/{level}" / (name if width == 256 else f"{name}.p/{width}")).read_bytes()
        assert len(part) == 32 * width, "a tile has another width"
        data += part
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def check(vkey: str, folder: Path) -> int:
    """Check the log in *folder*; return the number of its leaves."""
    (old_size, old_root), (size, root) = (checkpoint(folder / name, vkey) for name in ("old", "new"))
    leaves = row(folder, 0, size)
    assert root_over(leaves) == root, "the tiles belong to another tree"
    assert root_over(leaves[:old_size]) == old_root, "the new tree does not continue the old one"
    assert [leaf.hex() for leaf in leaves] == (folder / "leaves").read_text().split(), "the tree has other leaves"
    level, hashes = 1, leaves
    while len(hashes) >= 256:
        hashes = [root_over(hashes[at : at + 256]) for at in range(0, len(hashes) - 255, 256)]
        assert row(folder, level, len(hashes)) == hashes, "a tile has another hash than the tiles below it"
        level += 1
    return size
