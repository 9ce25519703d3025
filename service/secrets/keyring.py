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
from msgspec import Meta, Struct, structs

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
    derived from *api_secret*. The ids of commands, tables, keys and owners, and the marks of sign-ins, are derived from
    *derivation_secret*.

    *key_id* ("svk_" and 32 hex digits) is the name of the service key. Two service keys with different secrets have
    different *fingerprints* (64 hex digits). Only *key_id* and *fingerprint* may be shown. *others* are the sealing
    keys of the other service keys in the same file: this process opens values with *others*, but seals no values with
    *others*.
    """

    key_id: str
    fingerprint: str
    sealing_key: bytes
    signing_key: bytes
    api_secret: bytes
    derivation_secret: bytes
    others: tuple["SealingKey", ...] = ()

    def __repr__(self) -> str:
        return f"ServiceKey(key_id={self.key_id!r}, fingerprint={self.fingerprint!r})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("key_id", self.key_id), ("fingerprint", self.fingerprint)]


class SealingKey(Struct, frozen=True):
    """The key with which the service key *key_id* sealed values."""

    key_id: str
    key: bytes

    def __repr__(self) -> str:
        return f"SealingKey(key_id={self.key_id!r})"


def load_or_make(path: Path, entropy: Entropy, bound_to: bytes | None = None) -> ServiceKey:
    """Return the service key in the file at *path*; if there is no file, create it with a new key.

    After a rotation the file has several keys: return the key to which the database is bound, which has the fingerprint
    *bound_to* (DECISIONS 121). If no key in the file has this fingerprint, return the newest key.

    If several processes start at the same time, one of them creates the file, and all of them use this file.

    Raises:
        KeyFileError: the file can't be created or read, or as for `read`.
    """
    try:
        if not path.exists():
            content = KeyFile(v=1, id=entropy.new_id("svk"), secret=entropy.secret().hex())
            make_private_file(path, encoded(content), entropy)
        found = keys_of(read(path))
    except OSError as error:
        raise KeyFileError(f"The service key {path} can't be used: {error.strerror}.") from error
    return next((key for key in found if bound_to == bytes.fromhex(key.fingerprint)), found[0])


class LastingSecrets(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The secrets that never change, in hex. After a rotation the key file has these secrets, too."""

    api_secret: Hex
    derivation_secret: Hex

    def __repr__(self) -> str:
        return "LastingSecrets(…)"


def derive(key_id: str, secret: bytes, lasting: LastingSecrets | None = None) -> ServiceKey:
    """Return the keys derived from *secret* (32 bytes): one key for each use. No key reveals another key.

    *lasting* has the secrets that never change. If *lasting* is None, the service key was never rotated, and the
    secrets that never change are derived from *secret*, too.

    Raises:
        ValueError: *secret* does not have 32 bytes.
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


def make_private_file(path: Path, content: bytes, clock: Clock) -> bool:
    """Create a file that only its owner may read. The file appears at *path* with all its content, or not at all.

    Return whether the file was created: if there is a file at *path* already, that file stays unchanged.

    If the file's folder is missing, create it, accessible only to its owner. Missing parents of the folder are created
    with the usual permissions.

    Raises:
        OSError: the file can't be created, or may not be durable.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{clock.new_id('draft')}")
    is_new = False
    try:
        _write_private(temporary, content)
        with suppress(FileExistsError):
            os.link(temporary, path)  # Unlike a rename, a link never replaces an existing file.
            is_new = True
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
    return is_new


def replace_private_file(path: Path, content: bytes, clock: Clock) -> None:
    """Replace the content of the file at *path* as a whole or not at all; the file keeps its owner.

    Raises:
        OSError: the file can't be replaced, or the new file may not be durable.
    """
    target = path.resolve()  # If *path* is a symbolic link, a rename to *path* would replace the link.
    owner = target.stat()
    temporary = target.with_name(f".{target.name}.{clock.new_id('draft')}")
    try:
        _write_private(temporary, content)
        if (made := temporary.stat()).st_uid != owner.st_uid or made.st_gid != owner.st_gid:
            os.chown(temporary, owner.st_uid, owner.st_gid)  # Root may run this for a file of the server's user.
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


class KeyInFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A service key in a key file; if *lasting* is None, the lasting secrets are derived from *secret*."""

    id: Annotated[str, Meta(pattern=r"^svk_[0-9a-f]{32}\Z")]
    secret: Hex
    lasting: LastingSecrets | None = None

    def __repr__(self) -> str:
        return f"KeyInFile(id={self.id!r})"


class KeyFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A key file: the newest key (*id*, *secret*, *lasting*), and the *earlier* keys, the oldest first."""

    v: Literal[1]
    id: Annotated[str, Meta(pattern=r"^svk_[0-9a-f]{32}\Z")]
    secret: Hex
    lasting: LastingSecrets | None = None
    earlier: tuple[KeyInFile, ...] = ()

    def __repr__(self) -> str:
        return f"KeyFile(id={self.id!r})"


def read(path: Path) -> KeyFile:
    """Return the content of the key file at *path*.

    Raises:
        KeyFileError: as for `read_private_file` and `parse`.
        OSError: the file can't be read.
    """
    return parse(read_private_file(path, "service key"), str(path))


def parse(data: bytes, name: str) -> KeyFile:
    """Return the content of a key file from its bytes; error messages call the file *name*.

    Raises:
        KeyFileError: the file has no service key, or its keys do not belong together.
    """
    try:
        content = msgspec.json.decode(data, type=KeyFile)
    except ValueError:
        raise KeyFileError(f"{name} has no service key.") from None  # The decoder may quote the secret.
    of_each = {(key.api_secret, key.derivation_secret) for key in keys_of(content)}
    if len(of_each) > 1:
        raise KeyFileError(f"{name} has service keys that do not belong together: their lasting secrets differ.")
    return content


def encoded(content: KeyFile) -> bytes:
    """Return the bytes of a key file."""
    return msgspec.json.encode(content) + b"\n"


def keys_of(content: KeyFile) -> tuple[ServiceKey, ...]:
    """Return all keys of a key file, the newest first; each key can open the values that the other keys sealed."""
    newest = KeyInFile(id=content.id, secret=content.secret, lasting=content.lasting)
    in_file = (newest, *reversed(content.earlier))
    derived = [derive(one.id, bytes.fromhex(one.secret), one.lasting) for one in in_file]
    sealing = [SealingKey(key.key_id, key.sealing_key) for key in derived]
    return tuple(
        structs.replace(key, others=tuple(other for other in sealing if other.key_id != key.key_id)) for key in derived
    )


def read_private_file(path: Path, content: str) -> bytes:
    """Return the bytes of the private file at *path*; *content* says in error messages what the file has.

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
