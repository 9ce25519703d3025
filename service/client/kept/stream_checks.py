"""Compares what the server shows now with the receipts of a table, or of the table's disputes."""

# DECISIONS 140

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Raw, Struct

from service import merkle
from service.client.client import Client
from service.client.client_errors import KeptFileError, Problem
from service.client.kept.acknowledgement import TABLES, disputes_of
from service.client.kept.event_chain import HistoryDiffers, checked_leaf, leaf_hashes
from service.client.kept.kept_checkpoint import KeptCheckpoint
from service.client.kept.kept_file import KeptFile, KeptReceipt
from service.secrets.receipts import Receipt
from service.transparency import tlog_proof
from service.transparency.tlog_proof import ProofMustBeWhole

_NOT_COVERED: Final = "proof_must_exist"


class _About(Struct, frozen=True):
    dispute: int


class _StepLeaf(Struct, frozen=True):
    pub: _About


class _Step(Struct, frozen=True):
    leaf: Raw


class _Dispute(Struct, frozen=True):
    steps: tuple[_Step, ...]


class StreamChecks:
    """Compares streams, as *client* gets them from its server, with receipts in *file*, and proves events.

    An event is proven if it is in the tree of a checkpoint that agrees with *newest*.
    """

    def __init__(
        self, file: KeptFile, client: Client, newest: KeptCheckpoint, is_signed: Callable[[Receipt], bool]
    ) -> None:
        self._file = file
        self._client = client
        self._newest = newest
        self._is_signed = is_signed

    @property
    def size(self) -> int:
        """How many leaves the kept checkpoint covers; 0: there is no checkpoint yet."""
        return self._newest.size

    def check(self, stream: str) -> None:
        """Check that the log has the event of each receipt of *stream*; prove the events that a checkpoint covers.

        Raises:
            LogContradiction: the log contradicts what the server has acknowledged.
            KeptFileError: the file can't be used, or is damaged.
            Problem, ServerGone: the server refused a request, or did not answer.
        """
        kept = self._file.receipts(stream)
        for one in kept:
            if not self._is_signed(one.receipt):
                raise KeptFileError(f"{self._file.path} is damaged: a receipt of {stream} was changed.")
        if stream.startswith("table/"):
            self._compare(stream, kept)
            self._prove_newest(stream, kept)
        else:
            self._prove_each(stream, kept)

    def check_dispute(self, table: str, number: int) -> int:
        """Check that the log has each event of a dispute as the server shows it; return how many have no proof yet.

        Raises:
            LogContradiction: the log does not have a shown event, or the steps that the server shows are not of the
                dispute, or are out of order.
            KeptFileError, Problem, ServerGone: as for `check`.
        """
        stream = disputes_of(table)
        steps = self._client.get(f"{TABLES}/{table}/disputes/{number}", _Dispute).steps
        try:
            shown = _leaves_of(steps, stream, number)
        except (HistoryDiffers, msgspec.DecodeError, UnicodeDecodeError) as error:
            evidence = msgspec.json.encode(steps).decode(errors="replace")
            raise self._file.contradiction("event_must_stay", str(error), evidence) from error
        for number_of_proven, (position, found) in enumerate(shown):
            if not self._is_proven(stream, table, position, found):
                return len(shown) - number_of_proven  # Later events wait, too.
        return 0

    def _compare(self, stream: str, kept: Sequence[KeptReceipt]) -> None:
        """Check that the table has the event of each receipt, and that its events form one chain."""
        first, last = kept[0].receipt.position, kept[-1].receipt.position
        try:
            found = leaf_hashes(self._client, self._file.table_of(stream), first, last)
        except HistoryDiffers as error:
            evidence = as_text(*(one.receipt for one in kept))
            raise self._file.contradiction("event_must_stay", str(error), evidence) from error
        for one in kept:
            if found[one.receipt.position] != one.receipt.leaf_hash:
                why = (
                    f"The server has acknowledged another event at position {one.receipt.position} of {stream} than the"
                    " event that it shows now: the event was changed or replaced."
                )
                raise self._file.contradiction("event_must_stay", why, as_text(one.receipt))

    def _prove_newest(self, stream: str, kept: Sequence[KeptReceipt]) -> None:
        """Prove the event of the last receipt in *kept*, or an earlier event if no checkpoint covers the last one yet.

        After the last receipt the one in the middle is tried, then the one in the middle of the first half, and so on.
        The leaf of the proven event commits to all earlier leaves, and `_compare` has compared these with the receipts.
        """
        number = len(kept) - 1
        while number >= 0 and not kept[number].is_proven:
            if self._is_receipt_proven(kept[number].receipt):
                break
            number = number // 2 if number else -1  # The newest events may wait for the next checkpoint.
        if number >= 0:
            # Receipts that were kept in the meantime are left out: they were not compared.
            bound = [one.receipt.position for one in kept]
            self._file.prove(stream, kept[number].receipt.position, bound)

    def _prove_each(self, stream: str, kept: Sequence[KeptReceipt]) -> None:
        """Prove each event of a table's disputes by itself: in between may be events that the client may not see."""
        proven: list[int] = []
        for one in kept:
            if not one.is_proven and not self._is_receipt_proven(one.receipt):
                break  # The newer events wait for the next checkpoint, too.
            proven.append(one.receipt.position)
        if proven:
            self._file.prove(stream, proven[-1], proven)

    def _is_receipt_proven(self, receipt: Receipt) -> bool:
        table = self._file.table_of(receipt.stream)
        return self._is_proven(receipt.stream, table, receipt.position, receipt.leaf_hash, receipt)

    def _is_proven(
        self, stream: str, table: str, position: int, leaf_hash: str, receipt: Receipt | None = None
    ) -> bool:
        """Return True if the log has the leaf with *leaf_hash*, and False if no checkpoint covers the leaf yet.

        *receipt*: the receipt of the event, if this client got one; it is the evidence of a contradiction.
        """
        evidence = as_text(receipt) if receipt else f"The leaf {leaf_hash} at position {position} of {stream}"
        events = "events" if stream.startswith("table/") else "disputes/events"
        try:
            data = self._client.download(f"{TABLES}/{table}/{events}/{position}/proof")
            proof = tlog_proof.parse(data.decode(errors="replace"))
        except ProofMustBeWhole as error:
            why = f"A proof is malformed. {error}"
            raise self._file.contradiction("event_must_stay", why, evidence) from error
        except Problem as problem:
            if problem.code != _NOT_COVERED:
                raise
            return False
        tree = self._newest.advance(self._client, proof.checkpoint)
        leaf = bytes.fromhex(leaf_hash)
        if not merkle.is_included(leaf, proof.leaf_index, tree.size, proof.hashes, tree.root):
            which = "acknowledged event" if receipt else "event"
            why = f"The log does not have the {which} at position {position} of {stream}."
            raise self._file.contradiction("event_must_stay", why, f"{evidence}\n{proof}")
        return True


def _leaves_of(steps: Sequence[_Step], stream: str, number: int) -> list[tuple[int, str]]:
    """Return the position and the leaf's hash of each of *steps*, which must be of the dispute *number* of *stream*.

    Raises:
        HistoryDiffers, msgspec.DecodeError, UnicodeDecodeError: a step is malformed, out of order, or of another
            dispute or stream; or there is no step.
    """
    found: list[tuple[int, str]] = []
    for step in steps:
        found.append(checked_leaf(bytes(step.leaf), stream, after=found[-1][0] if found else 0))
        if msgspec.json.decode(step.leaf, type=_StepLeaf).pub.dispute != number:
            raise HistoryDiffers(f"The server shows an event of another dispute than dispute {number} of {stream}.")
    if not found:
        raise HistoryDiffers(f"The server shows no event of dispute {number} of {stream}.")
    return found


def as_text(*found: Receipt) -> str:
    """Return receipts as lines of JSON."""
    return "\n".join(msgspec.json.encode(one).decode() for one in found)
