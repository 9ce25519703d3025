"""Sends the newest checkpoint to one witness, and stores the cosignature (DECISIONS 101)."""

from typing import Final

import structlog
from msgspec import Struct
from sqlalchemy import Engine

from service.clock import Clock
from service.database.engines import administering, reading
from service.transparency import checkpoint, published, signed_note, tree
from service.transparency.signed_note import Note, NoteMustBeGenuine, Signature, VerifierKey
from service.transparency.tree import TreeDamaged
from service.transparency.witnesses import cosignature, cosigned, submission
from service.transparency.witnesses.cosigned import WitnessReport
from service.transparency.witnesses.submission import SIZE_TYPE, Submission
from service.transparency.witnesses.witness_client import Asks, Witness, WitnessAnswer, WitnessSilent

_LOG: Final = structlog.get_logger("service.witnesses")
_ATTEMPTS: Final = 3
_OK: Final = 200
_CONFLICT: Final = 409
_MOST_SHOWN: Final = 300


class NotCosigned(Exception):
    """The witness has not cosigned the checkpoint; the message says why."""


class _Sent(Struct, frozen=True):
    """The newest checkpoint: its *size*, and its *note*, with the signature of the log only."""

    size: int
    note: Note


class WitnessSender:
    """Sends the newest checkpoint of the log with *log_key* to *witness*, unless *witness* has cosigned it already.

    Not thread-safe.
    """

    def __init__(self, engine: Engine, log_key: VerifierKey, witness: Witness, asks: Asks, clock: Clock) -> None:
        self._engine = engine
        self._log_key = log_key
        self._witness = witness
        self._asks = asks
        self._clock = clock
        self._has_size: int | None = None
        self._report: WitnessReport | None = None

    def look(self) -> bool:
        """Send the newest checkpoint, unless the witness has cosigned it; return False if this fails, otherwise True.

        Raises:
            Exception: anything that the database raises; a later look may succeed.
        """
        try:
            self._send()
        except (NotCosigned, WitnessSilent, NoteMustBeGenuine, TreeDamaged) as error:
            self._tell(str(error))
            return False
        return True

    def _send(self) -> None:
        origin, key = self._log_key.name, self._witness.key
        with reading(self._engine) as connection:
            note = published.newest(connection, origin)
            if note is None:
                return
            newest, parsed = checkpoint.opened(note.encode(), self._log_key)
            done = cosigned.newest_size(connection, origin, key)
        if done >= newest.size:
            return
        sent = _Sent(newest.size, parsed)
        line = self._cosignature(sent, done if self._has_size is None else self._has_size)
        with administering(self._engine) as connection:
            cosigned.add(connection, origin, sent.size, key, line)
        self._has_size = sent.size
        self._tell("")

    def _cosignature(self, sent: _Sent, old_size: int) -> Signature:
        """Return the cosignature of *sent* by the witness, whose last cosigned tree probably has *old_size* leaves."""
        for _ in range(_ATTEMPTS):
            answer = self._asks(self._submission(sent, min(old_size, sent.size)))
            if answer.status == _OK:
                return self._verified(sent, answer)
            if answer.status != _CONFLICT or answer.content_type != SIZE_TYPE:
                raise NotCosigned(f"It answers with status {answer.status}: {_shown(answer.body)}")
            witness_size = submission.recorded_size(answer.body)
            if witness_size > sent.size:
                raise NotCosigned(
                    f"It has cosigned a tree with {witness_size:,} leaves, and the newest checkpoint here covers only"
                    f" {sent.size:,}: this database lacks leaves that the log key signed, or the witness lies."
                )
            if witness_size == old_size:
                break
            self._has_size = old_size = witness_size
        raise NotCosigned("It refuses the old size for which it asks.")

    def _submission(self, sent: _Sent, old_size: int) -> Submission:
        head = checkpoint.parsed(sent.note)
        with reading(self._engine) as connection:
            proof = tuple(tree.checked_consistency(connection, old_size, sent.size, head.root))
        return Submission(old_size, proof, head, sent.note)

    def _verified(self, sent: _Sent, answer: WitnessAnswer) -> Signature:
        key = self._witness.key
        note = signed_note.parse(f"{sent.note.text}\n".encode() + answer.body)
        of_witness = [one for one in note.signatures if (one.name, one.key_hash) == (key.name, key.key_hash)]
        if note.text != sent.note.text or len(of_witness) != 1:
            raise NotCosigned("Its answer must have exactly one cosignature by its key.")
        cosignature.cosigned_at(sent.note.text, of_witness[0], key)
        return of_witness[0]

    def _tell(self, problem: str) -> None:
        """Report *problem* if it is new: in the log lines, and in the database for the metrics and `doctor`."""
        key = self._witness.key
        if self._report is None:
            with reading(self._engine) as connection:
                self._report = cosigned.reports(connection).get(str(key))
        if self._report is not None and self._report.problem == problem:
            return
        found = WitnessReport(self._clock.now(), problem)
        with administering(self._engine) as connection:
            cosigned.report(connection, key, found)
        self._report = found
        if problem:
            _LOG.error("witness_does_not_cosign", witness=key.name, cause=problem)
        else:
            _LOG.warning("witness_cosigns", witness=key.name)


def _shown(body: bytes) -> str:
    """Return the beginning of *body*, which somebody else wrote, as one line of ASCII; say so if it has no text."""
    text = "".join(char if " " <= char <= "~" else " " for char in body[:_MOST_SHOWN].decode(errors="replace"))
    return " ".join(text.split()) or "without a reason."
