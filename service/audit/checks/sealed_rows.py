"""Compares the values in the sealed store (seeds of decks, and sealed fields) with the commitments in the leaves."""

# DECISIONS 17

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from service import deck
from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.audit.judging.audit_known import LOST, SEALED_OR_ERASED
from service.audit.judging.disclosures import DeckEvent, Disclosures
from service.deck import Deck, Shuffle, of_hex
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace, SealedField, sealed_fields
from service.event_store.entries import place_name
from service.event_store.store import Log, NotSealed
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import OpeningMustMatch
from service.tables.fold import Step, table_id
from service.tables.sealed_store import SEED


class Seeds(Struct):
    """The result of the check of a table's sealed seeds.

    *lost_epochs*: the epochs of the unrevealed decks whose seeds are lost. A seed is lost if it can't be decrypted. It
    is also lost if it is missing, the table is not imported, and no event records the erasure of the seed. *live* has,
    by epoch, the decks that are fixed and not revealed, and whose seeds the sealed store has.
    """

    findings: list[Finding] = []
    lost_epochs: set[str] = set()
    live: dict[str, Deck] = {}


def seeds(connection: Connection, log: Log, stream_id: bytes, disclosures: Disclosures, shuffle: Shuffle) -> Seeds:
    """Check the sealed seed of every deck to which the service committed.

    An imported table may lack seeds: only the service where the table was played has the unrevealed seeds.
    """
    result = Seeds()
    table, is_imported = table_id(stream_id), bool(log.imported_at(connection, stream_id))
    for epoch, deck_event in disclosures.opened.items():
        try:
            seed = log.hidden(connection, stream_id, deck_event.position, SEED)
        except NotSealed:
            if not is_imported and (deck_event.position, SEED) not in disclosures.erased:
                result.lost_epochs |= {epoch} - disclosures.ended.keys()
                result.findings.append(_missing(table, deck_event.position, SEED))
        except (Tampered, WrongKey) as error:
            result.lost_epochs |= {epoch} - disclosures.ended.keys()
            result.findings.append(_altered(table, deck_event.position, "the seed as it was sealed", str(error), SEED))
        else:
            result.findings += _of_seed(table, deck_event, epoch, seed)
            if (deck_event.position, SEED) in disclosures.erased and not is_imported:
                result.findings.append(_put_back(table, deck_event.position, SEED))
            if epoch not in disclosures.ended and (fixed := disclosures.fixed.get(epoch)):
                made = result.live[epoch] = shuffle(epoch, seed, of_hex(disclosures.clients(epoch)))
                result.findings += _of_deck(table, fixed, made)
    return result


def stored_fields(connection: Connection, log: Log, stream_id: bytes, recorded: RecordedEvent) -> Mapping[str, Any]:
    """Return the values of an event's sealed fields from the sealed store, checked against the leaf's commitments.

    The value of a field is LOST if the stored value is missing, can't be decrypted, or does not match its commitment.
    But if the table was imported, a missing value is left out.
    """
    found: dict[str, Any] = {}
    for sealed in sealed_fields(recorded):
        try:
            found[sealed.field] = log.field(connection, stream_id, sealed).value
        except NotSealed:
            if not log.imported_at(connection, stream_id):
                found[sealed.field] = LOST
        except (Tampered, WrongKey, OpeningMustMatch):
            found[sealed.field] = LOST
    return found


class SealedFieldCheck:
    """Checks the sealed values of a stream's events against the commitments in the leaves.

    *erased* has the places of all values whose erasure the stream records.
    """

    def __init__(self, connection: Connection, log: Log, stream_id: bytes, erased: Container[FieldPlace]) -> None:
        self._connection = connection
        self._erased = erased
        self._log = log
        self._stream_id = stream_id
        self._table = place_name(stream_id)
        self._is_imported = bool(log.imported_at(connection, stream_id))

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Check the events of the next command."""
        for step in steps:
            yield from self.check_event(step.recorded)

    def check_event(self, recorded: RecordedEvent) -> Iterator[Finding]:
        """Check the sealed values of one event."""
        for sealed in sorted(sealed_fields(recorded), key=lambda one: one.field):
            yield from self._of_field(sealed)

    def check_end(self) -> Iterable[Finding]:
        """Return no findings: `check_command` has checked every event."""
        return ()

    def _of_field(self, sealed: SealedField) -> Iterator[Finding]:
        position, field = sealed.position, sealed.field
        try:
            self._log.field(self._connection, self._stream_id, sealed)
            if (position, field) in self._erased and not self._is_imported:
                yield _put_back(self._table, position, field)
        except NotSealed:
            if not self._is_imported and (position, field) not in self._erased:
                yield _missing(self._table, position, field)
        except (Tampered, WrongKey, OpeningMustMatch) as error:
            yield _altered(self._table, position, "the value to which the leaf commits", str(error), field)


def _of_seed(table: str, deck_event: DeckEvent, epoch: str, seed: bytes) -> list[Finding]:
    commit = deck.server_commit(epoch, seed)
    if commit == deck_event.event.server_commit:
        return []
    expected, found = (
        f"a seed with the commitment {deck_event.event.server_commit}",
        f"a seed with the commitment {commit}",
    )
    return [_altered(table, deck_event.position, expected, found, SEED)]


def _of_deck(table: str, fixed: DeckEvent, made: Deck) -> list[Finding]:
    event: Any = fixed.event
    pairs = (("transcript", made.transcript, event.transcript), ("deck_root", made.root, event.deck_root))
    return [
        Finding(
            table=table,
            position=fixed.position,
            check="fixed_deck_must_be_the_seeds",
            expected=ours,
            found=theirs,
            detail=member,
        )
        for member, ours, theirs in pairs
        if ours != theirs
    ]


def _missing(table: str, position: int, field: str) -> Finding:
    return Finding(
        table=table,
        position=position,
        check="sealed_value_must_be_kept",
        expected=SEALED_OR_ERASED,
        found=NOTHING,
        detail=field,
    )


def _put_back(table: str, position: int, field: str) -> Finding:
    return Finding(
        table=table,
        position=position,
        check="erased_value_must_be_gone",
        expected=NOTHING,
        found="a sealed value",
        detail=field,
    )


def _altered(table: str, position: int, expected: str, found: str, field: str) -> Finding:
    return Finding(
        table=table,
        position=position,
        check="sealed_value_must_be_committed_to",
        expected=expected,
        found=found,
        detail=field,
    )
