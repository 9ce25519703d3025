"""The log's key: an Ed25519 key that signs checkpoints, in a file of its own; the key's name is the log's origin."""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import KeyFileError
from service.transparency import signed_note
from service.transparency.signed_note import ED25519, NoteMustBeGenuine, VerifierKey

_PREFIX: Final = "PRIVATE+KEY"
_PARTS: Final = 5
_SEED_BYTES: Final = 32


class LogKey(Struct, frozen=True):
    """The log's key: *origin* is the log's name, *private_key* signs checkpoints, *public* verifies them."""

    origin: str
    private_key: Ed25519PrivateKey
    public: VerifierKey

    def __repr__(self) -> str:
        return f"LogKey({self.public})"


def make(entropy: Entropy) -> LogKey:
    """Return a new key of a new log, with a new origin."""
    return _of(f"chiptrail/{entropy.new_id('log')}", entropy.secret())


def save(path: Path, key: LogKey, entropy: Entropy) -> None:
    """Write *key* to a new file at *path*; do not change an existing file.

    The file has one line, `PRIVATE+KEY+<origin>+<hash>+<key>`, as Go's `note.GenerateKey` makes it.

    Raises:
        KeyFileError: the file can't be created.
    """
    seed = key.private_key.private_bytes_raw()
    line = f"{_PREFIX}+{key.origin}+{key.public.key_hash.hex()}+{b64encode(bytes([ED25519]) + seed).decode()}\n"
    try:
        keyring.make_private_file(path, line.encode(), entropy)
    except OSError as error:
        raise KeyFileError(f"The log key {path} can't be created: {error.strerror}.") from error


def load(path: Path) -> LogKey:
    """Return the log's key in the file at *path*.

    Raises:
        KeyFileError: the file can't be read, other users may access the file, or the file has no key of a log.
    """
    try:
        data = keyring.read_private_file(path, "log key")
    except OSError as error:
        raise KeyFileError(f"The log key {path} can't be read: {error.strerror}.") from error
    try:
        return _parsed(data.decode().removesuffix("\n"))
    except ValueError:
        raise KeyFileError(f"{path} has no log key.") from None  # The error could quote the key.


def parse_public(text: str) -> VerifierKey:
    """Return the public key of a log in *text*, as C2SP signed-note writes it.

    Raises:
        NoteMustBeGenuine: *text* is no key, or the key of a witness.
    """
    key = signed_note.parse_key(text)
    if key.algorithm != ED25519:
        raise NoteMustBeGenuine(f"The key of {key.name} is no key of a log, because its first byte is not 01.")
    return key


def _parsed(line: str) -> LogKey:
    parts = line.split("+", _PARTS - 1)
    if len(parts) != _PARTS or "+".join(parts[:2]) != _PREFIX:
        raise NoteMustBeGenuine("This is no private key.")
    _, _, origin, key_hash, encoded = parts
    try:
        secret = b64decode(encoded, validate=True)
    except NotBase64 as error:
        raise NoteMustBeGenuine("This is no private key.") from error
    if len(secret) != 1 + _SEED_BYTES or secret[0] != ED25519:
        raise NoteMustBeGenuine("This is no Ed25519 key.")
    key = _of(origin, secret[1:])
    if key.public.key_hash.hex() != key_hash:
        raise NoteMustBeGenuine("The key's hash does not match the key.")
    return key


def _of(origin: str, seed: bytes) -> LogKey:
    private_key = Ed25519PrivateKey.from_private_bytes(seed)
    return LogKey(origin, private_key, signed_note.verifier_key(origin, private_key))
