"""The newest checkpoint that a client keeps, and the check that each checkpoint of the server agrees with it."""

# DECISIONS 119

from typing import Final

from service import merkle
from service.client.client import Client
from service.client.client_errors import KeptFileError, Problem
from service.client.kept.kept_file import KeptFile
from service.transparency import checkpoint, tlog_proof
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.tlog_proof import ProofMustBeWhole

_NO_CHECKPOINT: Final = "checkpoint_must_exist"


class KeptCheckpoint:
    """The newest checkpoint of the log with *key*, in *file*."""

    def __init__(self, file: KeptFile, key: VerifierKey) -> None:
        self._file = file
        self._key = key

    @property
    def size(self) -> int:
        """How many leaves the kept checkpoint covers; 0: there is no checkpoint yet."""
        kept = self._kept(self._file.checkpoint())
        return kept.size if kept else 0

    def renew(self, client: Client) -> None:
        """Get the newest checkpoint of the server, if it has one, and check and keep it as `advance` does.

        Raises:
            LogContradiction, KeptFileError, Problem, ServerGone: as for `advance`; `LogContradiction` also if the
                server has no checkpoint, although one is kept.
        """
        try:
            note = client.download("/v1/log/checkpoint")
        except Problem as problem:
            if problem.code != _NO_CHECKPOINT:
                raise
            if old := self._file.checkpoint():
                why = "The server has no checkpoint of the log, but it has signed one before."
                raise self._file.contradiction("log_must_not_shrink", why, old) from problem
        else:
            self.advance(client, note.decode(errors="replace"))

    def advance(self, client: Client, note: str) -> Checkpoint:
        """Check that *note* is a checkpoint of the log and agrees with the kept checkpoint; keep the newer of the two.

        Return the checkpoint in *note*.

        Raises:
            LogContradiction: the log was cut, rewritten or forked, or the checkpoint is not signed with the log's key.
            KeptFileError: the file can't be used, or is damaged.
            Problem, ServerGone: the server refused a request, or did not answer.
        """
        new = self._opened(note)
        while True:
            old_note = self._file.checkpoint()
            old = self._kept(old_note)
            if old is None:
                if self._file.replace_checkpoint("", note):
                    return new
            elif new.size == old.size:
                if new.root != old.root:
                    why = f"The server has signed two different logs with {new.size:,} leaves."
                    raise self._file.contradiction("log_must_continue", why, f"{old_note}\n{note}")
                return new
            elif new.size < old.size:  # This is no contradiction if the server still has the newer log.
                why = (
                    f"The log had {old.size:,} leaves, and has {new.size:,} now: it was cut, or an older database was"
                    " restored."
                )
                self._must_continue(client, new, old, ("log_must_not_shrink", why, f"{old_note}\n{note}"))
                return new
            else:
                why = (
                    f"The log with {new.size:,} leaves does not begin with the {old.size:,} leaves of the kept"
                    " checkpoint: it was rewritten."
                )
                self._must_continue(client, old, new, ("log_must_continue", why, f"{old_note}\n{note}"))
                if self._file.replace_checkpoint(old_note, note):
                    return new

    def _must_continue(self, client: Client, old: Checkpoint, new: Checkpoint, found: tuple[str, str, str]) -> None:
        """Check that the log of *new* begins with all leaves of *old*; if not, raise the contradiction *found*."""
        try:
            answer = client.download(f"/v1/log/consistency/{old.size}/{new.size}").decode(errors="replace")
            proof = tlog_proof.parse_consistency(answer).hashes
        except Problem as problem:
            if problem.code != _NO_CHECKPOINT:
                raise
            raise self._file.contradiction(*found) from problem
        except ProofMustBeWhole as error:
            raise self._file.contradiction(*found) from error
        if not merkle.is_consistent(old.size, old.root, new.size, new.root, proof):
            raise self._file.contradiction(*found)

    def _opened(self, note: str) -> Checkpoint:
        try:
            return checkpoint.opened(note.encode(), self._key)[0]
        except NoteMustBeGenuine as error:
            why = f"The checkpoint is not signed by the log's key {self._key}. {error}"
            raise self._file.contradiction("checkpoint_must_be_signed", why, note) from error

    def _kept(self, note: str) -> Checkpoint | None:
        try:
            return checkpoint.opened(note.encode(), self._key)[0] if note else None
        except NoteMustBeGenuine as error:
            raise KeptFileError(f"{self._file.path} is damaged: its checkpoint was changed. {error}") from error
