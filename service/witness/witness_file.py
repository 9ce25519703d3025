"""The file of a witness: its key, and for each log the last checkpoint that the witness cosigned (DECISIONS 101)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta, Struct, structs

from service.database.write_lock import FileLock
from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import Hex, KeyFileError
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.witnesses import cosignature, submission

_INDENT: Final = 2


class Cosigned(Struct, frozen=True, forbid_unknown_fields=True):
    """The last cosigned checkpoint of a log: the lines of the note, and the time of the cosignature."""

    at: str
    checkpoint: tuple[str, ...]


class _Content(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["chiptrail-witness/v1"] = "chiptrail-witness/v1"
    vkey: str
    secret: Hex
    logs: Annotated[dict[str, Cosigned], Meta(max_length=10_000)] = {}


class WitnessFile:
    """The file at *path*, which only one process at a time may have open. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            KeyFileError: the file can't be read, other users may access it, or it is no valid file of a witness.
        """
        self._path = path
        self._content = _read(path)
        self.private_key: Final = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self._content.secret))
        self.key: Final = _key(path, self._content, self.private_key)
        self._heads = {origin: _head(path, origin, one) for origin, one in self._content.logs.items()}

    @property
    def heads(self) -> Mapping[str, Checkpoint]:
        """The last cosigned checkpoint of each log, by origin."""
        return self._heads

    def replace(self, head: Checkpoint, note: str, at: str) -> None:
        """Write *head*, the checkpoint in *note*, as the last checkpoint of its log, durably.

        Raises:
            KeyFileError: the file can't be written; then `heads` does not change.
        """
        logs = {**self._content.logs, head.origin: Cosigned(at, tuple(note.removesuffix("\n").split("\n")))}
        content = structs.replace(self._content, logs=logs)
        _write(self._path, content)
        self._content = content
        self._heads[head.origin] = head


def make(path: Path, name: str, entropy: Entropy) -> None:
    """Make the file of a new witness with this *name*; an existing file is not changed.

    Raises:
        KeyFileError: the file can't be created.
        NoteMustBeGenuine: the name is empty, or has a space or a plus sign.
    """
    secret = entropy.secret()
    key = cosignature.witness_key(name, Ed25519PrivateKey.from_private_bytes(secret))
    try:
        keyring.make_private_file(path, _encoded(_Content(vkey=str(key), secret=secret.hex())), entropy)
    except OSError as error:
        raise KeyFileError(f"The witness's file {path} can't be created: {error.strerror}.") from error


@contextmanager
def exclusively(path: Path, seconds: float) -> Iterator[None]:
    """Run the block while no other process has the witness's file open; wait for this at most *seconds*.

    Raises:
        KeyFileError: another process has the file open, or the file for the lock can't be opened.
    """
    lock = FileLock(path, "lock")
    try:
        if not lock.acquire(seconds):
            raise KeyFileError(f"Another witness uses {path}.")
    except OSError as error:
        raise KeyFileError(f"{error.filename} can't be opened: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()


def _read(path: Path) -> _Content:
    try:
        data = keyring.read_private_file(path, "witness's key")
    except OSError as error:
        raise KeyFileError(f"The witness's file {path} can't be read: {error.strerror}.") from error
    try:
        return msgspec.json.decode(data, type=_Content)
    except ValueError:
        raise KeyFileError(f"{path} is no file of a witness.") from None  # The decoder may quote the secret.


def _key(path: Path, content: _Content, private_key: Ed25519PrivateKey) -> VerifierKey:
    try:
        key = cosignature.parse_witness_key(content.vkey)
        if key != cosignature.witness_key(key.name, private_key):
            raise KeyFileError(f"In {path} the public key does not belong to the secret.")
    except NoteMustBeGenuine as error:
        raise KeyFileError(f"In {path} the public key is malformed. {error}") from error
    return key


def _head(path: Path, origin: str, one: Cosigned) -> Checkpoint:
    note = "".join(f"{line}\n" for line in one.checkpoint)
    try:
        found = submission.parse(f"old 0\n\n{note}".encode()).checkpoint
    except NoteMustBeGenuine as error:
        raise KeyFileError(f"In {path} the last checkpoint of {origin} is malformed. {error}") from error
    if found.origin != origin:
        raise KeyFileError(f"In {path} the last checkpoint of {origin} is of {found.origin}.")
    return found


def _encoded(content: _Content) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=_INDENT) + b"\n"


def _write(path: Path, content: _Content) -> None:
    draft = path.with_name(f"{path.name}.new")
    try:
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_encoded(content))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        keyring.sync_folder(path.parent)
    except OSError as error:
        raise KeyFileError(f"The witness's file {path} can't be written: {error.strerror}.") from error
