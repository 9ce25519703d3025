"""The signer of checkpoints: it signs a tree only if the tree begins with the last signed tree (DECISIONS 97)."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from service import merkle
from service.database.write_lock import FileLock
from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import KeyFileError
from service.transparency import checkpoint, log_key, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_key import LogKey
from service.transparency.signed_note import Note, NoteMustBeGenuine
from service.transparency.tree import TreeHead

_LOCK_SECONDS: Final = 10.0


class TreeMustContinue(Exception):
    """The tree does not begin with the tree that was signed last: the log was changed, or restored from a backup."""


class AnotherWasSigned(Exception):
    """Another process has signed a checkpoint in the meantime."""


class HeadFileError(Exception):
    """The file with the last checkpoint is missing or can't be used, so the signer signs nothing."""


class LogSigner:
    """Signs checkpoints with the log's *key*. The file at *head_file* has the last signed checkpoint.

    The signer returns a signature only after the new content of this file is durable. So nobody who changes the
    database, even with its password, gets a signature for a tree that contradicts an earlier checkpoint. Several
    processes may share the key and this file.
    """

    def __init__(self, key: LogKey, head_file: Path) -> None:
        self.key: Final = key
        self.head_file: Final = head_file

    def last(self) -> Checkpoint:
        """Return the checkpoint that was signed last.

        Raises:
            HeadFileError: the file is missing, can't be read, or has no checkpoint that this key signed.
        """
        try:
            found, _ = checkpoint.opened(self.last_note(), self.key.public)
        except NoteMustBeGenuine as error:
            raise HeadFileError(f"{self.head_file} has no checkpoint that this log key signed.") from error
        return found

    def last_note(self) -> bytes:
        """Return the signed note with the checkpoint that was signed last, unchecked.

        Raises:
            HeadFileError: the file is missing or can't be read.
        """
        try:
            return self.head_file.read_bytes()
        except OSError as error:
            raise HeadFileError(f"The last checkpoint {self.head_file} can't be read: {error.strerror}.") from error

    def sign(self, head: TreeHead, since: Checkpoint, proof: Sequence[bytes]) -> Note:
        """Return the signed checkpoint of *head*; *proof* proves that the tree continues the last checkpoint, *since*.

        Raises:
            TreeMustContinue: *proof* does not prove this.
            AnotherWasSigned: *since* is not the last checkpoint any more.
            HeadFileError: the file with the last checkpoint can't be locked, read or written.
        """
        with _locked(self.head_file):
            last = self.last()
            if last != since:
                raise AnotherWasSigned(f"A tree with {last.size} leaves was signed in the meantime.")
            if not merkle.is_consistent(last.size, last.root, head.size, head.root, proof):
                raise TreeMustContinue(
                    f"The log with {head.size:,} leaves does not begin with the {last.size:,} leaves that the last"
                    " checkpoint covers."
                )
            note = checkpoint.signed(Checkpoint(self.key.origin, head.size, head.root), self.key.private_key)
            _replace(self.head_file, str(note).encode())
        return note


def set_aside(key_file: Path, head_file: Path) -> tuple[Path, ...]:
    """Rename the files of a log key and of its last checkpoint, as far as they exist; return their new names.

    The key is renamed first, so that the old key is never in use with the checkpoint of a new log.

    Raises:
        HeadFileError: a file can't be renamed, or the lock is not free.
    """
    with _locked(head_file):
        there = [path for path in (key_file, head_file) if path.exists()]
        number = next(n for n in count(1) if not any(_old(path, n).exists() for path in (key_file, head_file)))
        try:
            for path in there:
                path.rename(_old(path, number))
                keyring.sync_folder(path.parent)
        except OSError as error:
            raise HeadFileError(f"{error.filename} can't be renamed: {error.strerror}.") from error
    return tuple(_old(path, number) for path in there)


def _old(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.old-{number}")


def load(key_file: Path, head_file: Path) -> LogSigner:
    """Return the signer with the key and the last checkpoint in these files, which must exist.

    Raises:
        KeyFileError: the file of the key can't be used.
        HeadFileError: as for `LogSigner.last`.
    """
    signer = LogSigner(log_key.load(key_file), head_file)
    signer.last()
    return signer


def load_or_make(key_file: Path, head_file: Path, entropy: Entropy) -> LogSigner:
    """Return the signer with the key and the last checkpoint in these files; without a key file, make both files.

    A new key begins with the checkpoint of the empty tree. If the last checkpoint of an existing key is missing, this
    function makes none: after a checkpoint of the empty tree, the signer would sign any tree.

    Raises:
        KeyFileError: the key's file can't be created or used, or it is missing although a checkpoint was signed.
        HeadFileError: the file for the last checkpoint can't be locked or written, or its folder can't be created.
    """
    try:
        head_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise HeadFileError(f"{head_file.parent} can't be created: {error.strerror}.") from error
    with _locked(head_file):
        if not key_file.exists():
            if _has_signed(head_file):
                raise KeyFileError(
                    f"The log key {key_file} is missing, but its last checkpoint {head_file} exists. Restore the key:"
                    " a new key would begin a new log."
                )
            key = log_key.make(entropy)
            first = checkpoint.signed(Checkpoint(key.origin, 0, merkle.EMPTY_ROOT), key.private_key)
            # The checkpoint is written before the key: with a key but no checkpoint, the signer would sign nothing.
            _replace(head_file, str(first).encode())
            log_key.save(key_file, key, entropy)
        return LogSigner(log_key.load(key_file), head_file)


def _has_signed(head_file: Path) -> bool:
    """Return False if the file is missing or has the checkpoint of the empty tree; otherwise True."""
    try:
        return checkpoint.parsed(signed_note.parse(head_file.read_bytes())).size > 0
    except FileNotFoundError:
        return False
    except (OSError, NoteMustBeGenuine):
        return True


@contextmanager
def _locked(head_file: Path) -> Iterator[None]:
    lock = FileLock(head_file, "lock")
    try:
        if not lock.acquire(_LOCK_SECONDS):
            raise HeadFileError(
                f"The lock of {head_file} was not free within 10 seconds: another process or thread has it."
            )
    except OSError as error:
        raise HeadFileError(f"{error.filename} can't be opened: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()


def _replace(path: Path, content: bytes) -> None:
    """Replace the file at *path*; its new content is durable when this function returns."""
    draft = path.with_name(f"{path.name}.new")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        keyring.sync_folder(path.parent)
    except OSError as error:
        raise HeadFileError(f"The last checkpoint {path} can't be written: {error.strerror}.") from error
