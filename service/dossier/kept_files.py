"""Compares a dossier with what its reader kept: checkpoints, proofs, receipts, and the public keys of the log."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from service import merkle
from service.dossier.archive import DossierFlaw
from service.dossier.log_evidence import LogEvidence
from service.event_store.codec import RecordedEvent
from service.secrets import receipts
from service.secrets.receipts import Receipt
from service.transparency import checkpoint, signed_note, tlog_proof
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import NoteMustBeGenuine
from service.transparency.tlog_proof import ConsistencyProof, ProofMustBeWhole, TlogProof

_MOST_BYTES: Final = 2**20
_KEY: Final = re.compile(r"[^\s+]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+")
_RECEIPT_KEY: Final = re.compile("^receipt_key +([0-9a-f]{64})$", re.MULTILINE)


class KeptFile(Struct, frozen=True):
    """A file that the reader kept: its *name*, and its content *data*."""

    name: str
    data: bytes


class _Answer(Struct, frozen=True):
    """The response to a command; only its receipt is read."""

    receipt: Receipt


class _Keys(Struct, frozen=True):
    """The public keys as `GET /v1/log/key` and `chiptrail log key --json` return them."""

    receipt_key: str
    log_key: str = ""
    vkey: str = ""


class KeptFiles:
    """The content of the files that the reader kept, by kind; the dossier's log has signed all their checkpoints."""

    def __init__(self, evidence: LogEvidence) -> None:
        self._evidence = evidence
        self._checkpoints: list[tuple[str, Checkpoint]] = []
        self._continuations: list[tuple[ConsistencyProof, Checkpoint]] = []
        self._proofs: list[tuple[str, TlogProof, Checkpoint]] = []
        self._receipts: list[tuple[str, Receipt]] = []
        self._receipt_keys: list[str] = []
        self._log_keys = 0

    def add(self, kept: KeptFile) -> None:
        """Read a file.

        Raises:
            DossierFlaw: the file can't be compared with a dossier, or belongs to another log.
        """
        if len(kept.data) > _MOST_BYTES:
            raise DossierFlaw(kept.name, f"must have at most {_MOST_BYTES:,} bytes")
        try:
            self._add(kept.name, kept.data.decode().replace("\r\n", "\n"))
        except (NoteMustBeGenuine, ProofMustBeWhole, UnicodeDecodeError, msgspec.DecodeError) as error:
            raise DossierFlaw(kept.name, f"must be something to compare with. {error}") from error

    def compare(self, recorded: Sequence[RecordedEvent], stream: str) -> str:
        """Compare the files with the dossier; return a sentence that says how many files agree with it.

        The sentence counts checkpoints, proofs of leaves, receipts and log keys, but no proofs of consistency.
        *recorded* are the events of the dossier, and *stream* is the name of their stream.

        Raises:
            DossierFlaw: something differs, or can't be compared.
        """
        for name, old in self._checkpoints:
            self._compare_checkpoint(name, old)
        for name, proof, old in self._proofs:
            proves = (
                merkle.is_included(one.hash, proof.leaf_index, old.size, proof.hashes, old.root) for one in recorded
            )
            if not any(proves):
                raise DossierFlaw(name, "must prove a leaf of the dossier; a later dossier has more leaves")
        for name, receipt in self._receipts:
            self._compare_receipt(name, receipt, recorded, stream)
        counts = (len(self._checkpoints), len(self._proofs), len(self._receipts), self._log_keys)
        return "{} checkpoints, {} proofs, {} receipts and {} log keys agree".format(*counts)

    def _add(self, name: str, text: str) -> None:
        if text.startswith("c2sp.org/tlog-proof@"):
            proof = tlog_proof.parse(text)
            self._proofs.append((name, proof, self._opened(proof.checkpoint)))
        elif text.startswith("old "):
            consistency = tlog_proof.parse_consistency(text)
            self._continuations.append((consistency, self._opened(consistency.checkpoint)))
        elif text.lstrip().startswith("{"):
            self._add_object(name, text)
        elif "\N{EM DASH} " in text:
            self._checkpoints.append((name, self._opened(text)))
        elif keys := _KEY.findall(text):
            self._must_be_the_key(name, keys[0])
            self._receipt_keys += _RECEIPT_KEY.findall(text)
        else:
            raise DossierFlaw(name, "must be a checkpoint, a proof, a receipt, or the keys of a log")

    def _add_object(self, name: str, text: str) -> None:
        value: Any = msgspec.json.decode(text)
        if "receipt" in value:
            self._receipts.append((name, msgspec.convert(value, _Answer).receipt))
        elif "leaf_hash" in value:
            self._receipts.append((name, msgspec.convert(value, Receipt)))
        else:
            keys = msgspec.convert(value, _Keys)
            self._must_be_the_key(name, keys.log_key or keys.vkey)
            self._receipt_keys.append(keys.receipt_key)

    def _opened(self, note: str) -> Checkpoint:
        return checkpoint.opened(note.encode(), self._evidence.key)[0]

    def _must_be_the_key(self, name: str, key: str) -> None:
        if str(signed_note.parse_key(key)) != str(self._evidence.key):
            raise DossierFlaw(name, f"the log key must be the key of the dossier, {self._evidence.key}")
        self._log_keys += 1

    def _compare_checkpoint(self, name: str, old: Checkpoint) -> None:
        less, more = sorted((old, self._evidence.head), key=lambda one: one.size)
        if less.size in (0, more.size):
            fitting: list[tuple[bytes, ...]] = [()]
        else:
            fitting = [
                proof.hashes
                for proof, newer in self._continuations
                if (proof.old_size, newer.size, newer.root) == (less.size, more.size, more.root)
            ]
        if not fitting:
            why = f"can be compared only with the log's proof of consistency from {less.size} to {more.size}"
            raise DossierFlaw(name, f"{why}, as another --kept")
        if not any(merkle.is_consistent(less.size, less.root, more.size, more.root, one) for one in fitting):
            why = f"the tree of {more.size:,} leaves must begin with the tree of {less.size:,} leaves"
            raise DossierFlaw(name, why)

    def _compare_receipt(self, name: str, receipt: Receipt, recorded: Sequence[RecordedEvent], stream: str) -> None:
        # The kept files may have several keys for receipts, because a rotation changes this key.
        signed = [receipts.verify(receipt, key) for key in self._receipt_keys]
        if signed and not any(signed):
            raise DossierFlaw(name, "the signature of a receipt must be right")
        if receipt.stream != stream or not 1 <= receipt.position <= len(recorded):
            raise DossierFlaw(name, f"must be a receipt of {stream}, up to position {len(recorded)}")
        before = recorded[: receipt.position]
        cmd = next((one.cmd for one in reversed(before) if one.cmd), "")
        if (receipt.leaf_hash, receipt.cmd) != (before[-1].hash.hex(), cmd):
            raise DossierFlaw(f"position {receipt.position}", f"must be the leaf of the receipt in {name}")


def read(path: Path) -> KeptFile:
    """Return the content of the file *path*, or its beginning if the file is too large.

    Raises:
        OSError: the file can't be read.
    """
    with path.open("rb") as opened:
        return KeptFile(str(path), opened.read(_MOST_BYTES + 1))
