"""Answers `add-checkpoint` (C2SP tlog-witness): cosigns a checkpoint that continues the last cosigned checkpoint."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from threading import Lock
from typing import Final

from msgspec import Struct

from service import merkle
from service.clock import Clock
from service.transparency import log_key, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.witnesses import cosignature, submission
from service.transparency.witnesses.submission import SIZE_TYPE, Submission
from service.witness.witness_file import WitnessFile

TEXT: Final = "text/plain; charset=utf-8"

Logs = Mapping[str, tuple[VerifierKey, ...]]
"""The keys of the logs whose checkpoints the witness cosigns, by origin."""


class Answer(Struct, frozen=True):
    """The answer to a request; *headers* are further headers."""

    status: int
    body: bytes
    content_type: str = TEXT
    headers: tuple[tuple[str, str], ...] = ()


class NotCosigned(Exception):
    """The witness does not cosign the checkpoint; *answer* says why."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body.decode().removesuffix("\n"))
        self.answer = answer


Look = Callable[[Submission], None]
"""Decides whether the witness cosigns a checkpoint that continues the last checkpoint; raises `NotCosigned` if not."""


def look_at_nothing(_: Submission) -> None:
    """Accept each checkpoint that continues the last checkpoint, without a further check."""


def logs_of(keys: Sequence[str]) -> Logs:
    """Return the keys of each log, by the log's origin; *keys* are public keys as C2SP signed-note writes them.

    Raises:
        NoteMustBeGenuine: one of *keys* is no key of a log.
    """
    logs: dict[str, tuple[VerifierKey, ...]] = {}
    for text in keys:
        key = log_key.parse_public(text)
        logs[key.name] = (*logs.get(key.name, ()), key)
    return logs


class Cosigner:
    """Cosigns checkpoints of *logs* with the key in *file*. Thread-safe.

    One lock covers the check against the last checkpoint and the write of the new checkpoint. The write is durable
    before the cosignature is returned. So of any two cosigned trees of a log, one continues the other.
    """

    def __init__(self, file: WitnessFile, logs: Logs, clock: Clock, look: Look = look_at_nothing) -> None:
        self._file = file
        self._logs = logs
        self._clock = clock
        self._look = look
        self._lock = Lock()

    def add_checkpoint(self, body: bytes) -> Answer:
        """Return the answer to the request with *body*.

        Raises:
            KeyFileError: the file can't be written, so nothing was cosigned.
        """
        try:
            given = _parsed(body)
            self._must_be_signed(given)
            if given.old_size > given.checkpoint.size:
                raise _refusal(HTTPStatus.BAD_REQUEST, "The old size is above the size of the checkpoint.")
            with self._lock:
                _must_continue(given, self._file.heads.get(given.checkpoint.origin))
            self._look(given)  # The look may take long, so it does not hold the lock.
            with self._lock:
                _must_continue(given, self._file.heads.get(given.checkpoint.origin))
                return self._cosigned(given)
        except NotCosigned as refusal:
            return refusal.answer

    def _must_be_signed(self, given: Submission) -> None:
        keys = self._logs.get(given.checkpoint.origin)
        if keys is None:
            raise _refusal(HTTPStatus.NOT_FOUND, "This witness does not know the log with this origin.")
        if not any(_is_signed(given, key) for key in keys):
            raise _refusal(HTTPStatus.FORBIDDEN, "No signature is by a key of the log that this witness knows.")

    def _cosigned(self, given: Submission) -> Answer:
        now, key = self._clock.now(), self._file.key
        seconds = int(datetime.fromisoformat(now).timestamp())
        line = f"{cosignature.cosign(given.note.text, key.name, self._file.private_key, seconds)}\n"
        self._file.replace(given.checkpoint, str(given.note), now)
        return Answer(HTTPStatus.OK, line.encode())


def _parsed(body: bytes) -> Submission:
    try:
        return submission.parse(body)
    except NoteMustBeGenuine as error:
        raise _refusal(HTTPStatus.BAD_REQUEST, str(error)) from error


def _is_signed(given: Submission, key: VerifierKey) -> bool:
    try:
        signed_note.must_be_signed(given.note, key)
    except NoteMustBeGenuine:
        return False
    return True


def _must_continue(given: Submission, last: Checkpoint | None) -> None:
    """Check that the checkpoint continues *last*; None: the witness has cosigned nothing of this log yet."""
    size, root = (last.size, last.root) if last else (0, merkle.EMPTY_ROOT)
    new = given.checkpoint
    if given.old_size != size:
        raise NotCosigned(Answer(HTTPStatus.CONFLICT, f"{size}\n".encode(), SIZE_TYPE))
    if size == new.size and root != new.root:
        raise _refusal(HTTPStatus.CONFLICT, f"This witness has seen another root of the tree with {size} leaves.")
    if not merkle.is_consistent(size, root, new.size, new.root, given.proof):
        why = f"The proof does not show that the tree begins with the {size} leaves that this witness has seen."
        raise _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, why)


def _refusal(status: HTTPStatus, why: str) -> NotCosigned:
    return NotCosigned(Answer(status, f"{why}\n".encode()))
