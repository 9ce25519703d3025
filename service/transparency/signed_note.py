"""Signed notes as C2SP signed-note defines them: a text, and one line for each signature by an Ed25519 key."""

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

ED25519: Final = 0x01
COSIGNATURE: Final = 0x04
MOST_BYTES: Final = 1_000_000
_MOST_SIGNATURES: Final = 100
_KEY_HASH_BYTES: Final = 4
_KEY_BYTES: Final = 32
_NAME: Final = re.compile(r"[^\s+]+")
_SIGNATURE: Final = re.compile("\N{EM DASH} (?P<name>[^\\s+]+) (?P<base64>[A-Za-z0-9+/]+=*)")


class NoteMustBeGenuine(ValueError):
    """A note, a key or a signature is malformed, or a signature that must be there is missing or wrong."""


class VerifierKey(Struct, frozen=True):
    """The public key of a signer: its *name*, its *algorithm*, and 32 bytes of an Ed25519 key."""

    name: str
    algorithm: int
    public_key: bytes

    @property
    def key_hash(self) -> bytes:
        """The four bytes that distinguish keys of the same name in signature lines."""
        named = self.name.encode() + b"\n" + bytes([self.algorithm]) + self.public_key
        return sha256(named).digest()[:_KEY_HASH_BYTES]

    def __str__(self) -> str:
        """Return the key as text, `<name>+<hash>+<key>`, as C2SP signed-note writes it."""
        encoded = b64encode(bytes([self.algorithm]) + self.public_key).decode()
        return f"{self.name}+{self.key_hash.hex()}+{encoded}"


class Signature(Struct, frozen=True):
    """One signature line of a note: the signer's *name*, the hash of its key, and the *signature* itself."""

    name: str
    key_hash: bytes
    signature: bytes

    def __str__(self) -> str:
        """Return the line, without its line feed."""
        return f"\N{EM DASH} {self.name} {b64encode(self.key_hash + self.signature).decode()}"


class Note(Struct, frozen=True):
    """A note: its *text*, which ends with a line feed, and its *signatures*."""

    text: str
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        """Return the whole note."""
        return self.text + "\n" + "".join(f"{signature}\n" for signature in self.signatures)


def parse_key(text: str) -> VerifierKey:
    """Return the verifier key in *text*.

    Raises:
        NoteMustBeGenuine: *text* is not a key, or the key's hash does not match the key.
    """
    name, _, rest = text.partition("+")
    key_hash, _, encoded = rest.partition("+")
    data = _decoded(encoded)
    if not _NAME.fullmatch(name) or len(data) != 1 + _KEY_BYTES or data[0] not in (ED25519, COSIGNATURE):
        # The message does not quote *text*: *text* may be a secret.
        raise NoteMustBeGenuine("This is no public Ed25519 key of a signed note.")
    key = VerifierKey(name, data[0], data[1:])
    if key.key_hash.hex() != key_hash:
        raise NoteMustBeGenuine(f"The hash of the key {name} does not match the key.")
    return key


def parse(data: bytes) -> Note:
    """Return the note in *data*; its signatures are not verified.

    Raises:
        NoteMustBeGenuine: *data* is not a note.
    """
    if len(data) > MOST_BYTES:
        raise NoteMustBeGenuine(f"A note has at most {MOST_BYTES:,} bytes.")
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        raise NoteMustBeGenuine("A note is UTF-8 text.") from None
    text, separator, lines = whole.rpartition("\n\n")
    if not separator or not lines.endswith("\n") or any(char < " " and char != "\n" for char in whole):
        raise NoteMustBeGenuine("A note is a text, an empty line, and signature lines.")
    each = lines[:-1].split("\n")
    if len(each) > _MOST_SIGNATURES:
        raise NoteMustBeGenuine(f"A note has at most {_MOST_SIGNATURES} signatures.")
    return Note(text + "\n", tuple(_parsed_signature(line) for line in each))


def sign(text: str, name: str, key: Ed25519PrivateKey) -> Signature:
    """Return the signature of *text*, which ends with a line feed, by the signer *name*."""
    return Signature(name, verifier_key(name, key).key_hash, key.sign(text.encode()))


def verifier_key(name: str, key: Ed25519PrivateKey) -> VerifierKey:
    """Return the public part of *key*, whose signer has this *name*.

    Raises:
        NoteMustBeGenuine: the name is empty, or has a space or a plus sign.
    """
    if not _NAME.fullmatch(name):
        raise NoteMustBeGenuine("The name of a signer has no space and no plus sign.")
    return VerifierKey(name, ED25519, key.public_key().public_bytes_raw())


def must_be_signed(note: Note, key: VerifierKey) -> None:
    """Check that the owner of *key* signed *note*.

    Raises:
        NoteMustBeGenuine: the note does not have exactly one signature by *key*, or the signature is wrong.
    """
    found = [each for each in note.signatures if each.name == key.name and each.key_hash == key.key_hash]
    if len(found) != 1:
        raise NoteMustBeGenuine(f"The note must have one signature by {key.name}.")
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(found[0].signature, note.text.encode())
    except InvalidSignature:
        raise NoteMustBeGenuine(f"The note's signature by {key.name} is wrong.") from None


def with_signatures(note: Note, added: Iterable[Signature]) -> Note:
    """Return *note* with further signatures."""
    return Note(note.text, (*note.signatures, *added))


def _parsed_signature(line: str) -> Signature:
    found = _SIGNATURE.fullmatch(line)
    data = _decoded(found["base64"]) if found else b""
    if found is None or len(data) <= _KEY_HASH_BYTES:
        raise NoteMustBeGenuine("A note has a line that is no signature line.")
    return Signature(found["name"], data[:_KEY_HASH_BYTES], data[_KEY_HASH_BYTES:])


def _decoded(text: str) -> bytes:
    try:
        data = b64decode(text, validate=True)
    except (NotBase64, ValueError):
        return b""
    return data if b64encode(data).decode() == text else b""
