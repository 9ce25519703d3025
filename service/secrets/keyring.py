"""The service key: one secret in a file outside the database, and the keys derived from it (DECISIONS 48)."""

import os
import shlex
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Meta, Struct

from service.clock import Clock
from service.entropy import Entropy

_SECRET_BYTES: Final = 32
_OTHER_USERS: Final = stat.S_IRWXG | stat.S_IRWXO
_API_USE: Final = b"chiptrail/api-keys/v1\n"
_DERIVATION_USE: Final = b"chiptrail/derivation/v1\n"

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes in hexadecimal."""


class KeyFileError(Exception):
    """The file of a key can't be used. The message has the reason and, if there is one, the remedy."""


class ServiceKey(Struct, frozen=True, kw_only=True):
    """The keys derived from the service key: one key of 32 bytes for each use. The secret itself is not kept in memory.

    *api_secret* and *derivation_secret* do not change when the other keys are rotated. The secrets of API keys are
    derived from *api_secret*; the ids of commands, tables, keys and owners, from *derivation_secret*.

    *key_id* ("svk_" and 32 hex digits) is the name of the service key. Two service keys with different secrets have
    different *fingerprints* (64 hex digits). Only *key_id* and *fingerprint* may be shown.
    """

    key_id: str
    fingerprint: str
    sealing_key: bytes
    signing_key: bytes
    api_secret: bytes
    derivation_secret: bytes

    def __repr__(self) -> str:
        return f"ServiceKey(key_id={self.key_id!r}, fingerprint={self.fingerprint!r})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("key_id", self.key_id), ("fingerprint", self.fingerprint)]


def load_or_make(path: Path, entropy: Entropy) -> ServiceKey:
    """Return the service key in the file at *path*; if there is no file, create it with a new key.

    If several processes start at the same time, one of them creates the file, and all of them use this file.

    Raises:
        KeyFileError: the file can't be created or read, other users may access the file, or it has no service key.
    """
    try:
        if not path.exists():
            content = _Content(v=1, id=entropy.new_id("svk"), secret=entropy.secret().hex())
            make_private_file(path, msgspec.json.encode(content) + b"\n", entropy)
        data = read_private_file(path, "service key")
    except OSError as error:
        raise KeyFileError(f"The service key {path} can't be used: {error.strerror}.") from error
    try:
        content = msgspec.json.decode(data, type=_Content)
    except ValueError:
        raise KeyFileError(f"{path} has no service key.") from None  # The cause could quote the secret.
    return derive(content.id, bytes.fromhex(content.secret), content.lasting)


class LastingSecrets(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The secrets that never change, in hex. After a rotation of the service key, its file has these secrets, too."""

    api_secret: Hex
    derivation_secret: Hex

    def __repr__(self) -> str:
        return "LastingSecrets(…)"


def derive(key_id: str, secret: bytes, lasting: LastingSecrets | None = None) -> ServiceKey:
    """Return the keys derived from *secret* (32 bytes): one key for each use. No key reveals another key.

    *lasting* has the secrets that never change. If it is None, the key was never rotated, and the secrets that never
    change are derived from *secret*, too.
    """
    if len(secret) != _SECRET_BYTES:
        raise ValueError(f"The secret has {_SECRET_BYTES} bytes, not {len(secret)}.")
    if lasting is None:
        named, api_secret, derivation_secret = "", _derived(secret, _API_USE), _derived(secret, _DERIVATION_USE)
    else:
        named = f"{lasting.api_secret}\n{lasting.derivation_secret}\n"  # The fingerprint covers both secrets.
        api_secret, derivation_secret = bytes.fromhex(lasting.api_secret), bytes.fromhex(lasting.derivation_secret)
    return ServiceKey(
        key_id=key_id,
        fingerprint=sha256(f"chiptrail/service-key/v1\n{secret.hex()}\n{named}".encode("ascii")).hexdigest(),
        sealing_key=_derived(secret, b"chiptrail/sealing/v1\n"),
        signing_key=_derived(secret, b"chiptrail/signing/v1\n"),
        api_secret=api_secret,
        derivation_secret=derivation_secret,
    )


def make_private_file(path: Path, content: bytes, clock: Clock) -> None:
    """Create a file that only its owner may read. It appears with all its content or not at all.

    An existing file is not changed.

    If the file's folder is missing, create it, accessible only to its owner. Missing parents of the folder are created
    with the usual permissions.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{clock.new_id('draft')}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)  # Unlike a rename, a link never replaces an existing file.
    finally:
        temporary.unlink()
    sync_folder(path.parent)


class _Content(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    v: Literal[1]
    id: Annotated[str, Meta(pattern=r"^svk_[0-9a-f]{32}\Z")]
    secret: Hex
    lasting: LastingSecrets | None = None


def read_private_file(path: Path, content: str) -> bytes:
    """Return the bytes of the file at *path*, which only its owner may be able to access; messages call it *content*.

    Raises:
        KeyFileError: *path* is no regular file, or other users may access the file.
        OSError: the file can't be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # Opening a pipe must not block.
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise KeyFileError(f"{path} is not a regular file, so no {content} can be read from it.")
        if mode & _OTHER_USERS:
            cure = f"chmod 600 {shlex.quote(str(path))}"
            raise KeyFileError(f"The {content} {path} is accessible to users other than its owner. The cure: {cure}")
        return file.read()


def sync_folder(folder: Path) -> None:
    """Wait until the names of the files in *folder* are durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _derived(secret: bytes, use: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=_SECRET_BYTES, salt=None, info=use).derive(secret)
