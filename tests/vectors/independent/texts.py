"""Hashes, canonical JSON and Ed25519, as log_format.md describes them; nothing of the service is imported here."""

# ruff: noqa: ANN401 -- JSON may be any value

import hashlib
import hmac
import json
import re
from base64 import b64decode, b64encode
from typing import Any, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST_LEAF_BYTES = 65_535
NO_HASH = "0" * 64


class Refused(Exception):
    """A check failed: *finding* names it as the vectors do, and *place* says where."""

    def __init__(self, finding: str, place: str = "") -> None:
        super().__init__(f"{finding} {place}".strip())
        self.finding = finding
        self.place = place


def must(holds: object, finding: str, place: str = "") -> None:
    if not holds:
        raise Refused(finding, place)


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, "sha256").digest()


def lines(*each: object) -> bytes:
    return "".join(f"{one}\n" for one in each).encode()


def leaf_hash(leaf: bytes) -> bytes:
    return sha256(b"\x00" + leaf)


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def read_canonical(data: bytes, finding: str, place: str = "") -> Any:
    """Return the value that *data* encodes; *data* must be canonical JSON."""
    try:
        value = json.loads(data.decode(), parse_float=_no_number, parse_constant=_no_number, object_pairs_hook=_members)
        is_same = canonical(value) == data
    except (ValueError, RecursionError):
        raise Refused(finding, place) from None
    must(is_same and _has_only_small_numbers(value), finding, place)
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if not all(name.isascii() for name, _ in pairs) or len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _has_only_small_numbers(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_has_only_small_numbers, value.values()))
    if isinstance(value, list):
        return all(map(_has_only_small_numbers, value))
    return not isinstance(value, int) or abs(value) < 2**53


def is_signed(public_key: bytes, signature: bytes, data: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_hex(text: Any, size: int, finding: str, place: str = "") -> bytes:
    must(isinstance(text, str) and re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text), finding, place)
    return bytes.fromhex(text)


def from_base64(text: str, finding: str, place: str = "") -> bytes:
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise Refused(finding, place) from None
    must(b64encode(data).decode() == text, finding, place)
    return data
