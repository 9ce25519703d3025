"""Finds and erases the sealed texts of disputes, by owner or age (D.9); the leaves with their commitments stay."""

# DECISIONS 75 and 109

from collections.abc import Callable, Iterator
from typing import Final

from sqlalchemy import Engine, select

from service.database.engines import reading
from service.database.metadata import LAST_TABLE
from service.disputes import stored_disputes
from service.disputes.dispute_commands import EraseDisputeValue
from service.disputes.dispute_events import DisputeDecision
from service.disputes.stored_disputes import StoredDisputes
from service.event_store.hash_chain import HEAD_MISSING
from service.event_store.log_tables import sealed
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import NoSuchStream, NotSealed
from service.games.common_commands import EraseValue, Ground
from service.games.game import SERVICE
from service.play.dispute_desk import DisputeDesk, DisputeOrder, DisputeRefused
from service.play.imported_erasure import ImportedEraser
from service.play.orders import KeyMustBeNew
from service.play.retention import ErasureOutcome, SealedValue, ValueFilter
from service.secrets.encryption import Tampered, WrongKey

_DAMAGED: Final = "The stream of disputes is damaged at position"


class DisputeEraser:
    """Erases texts of disputes by commands of the service; one transaction records the event and deletes the text.

    For the disputes of an imported table, the service's own stream records the erasure, because another service
    wrote their stream.
    """

    def __init__(self, engine: Engine, desk: DisputeDesk, imported: ImportedEraser, ground: Ground) -> None:
        self._engine = engine
        self._desk = desk
        self._imported = imported
        self._ground = ground

    def find(self, value_filter: ValueFilter) -> Iterator[SealedValue | StreamCorrupted]:
        """Yield the texts that *value_filter* selects, except erased texts; the owner of a text is its author.

        For a damaged stream, or a stream without a head row, yield the error.
        """
        statement = select(sealed.c.stream_id, sealed.c.position, sealed.c.field).where(sealed.c.stream_id > LAST_TABLE)
        with reading(self._engine) as connection:
            places = connection.execute(statement.order_by(sealed.c.stream_id, sealed.c.position)).all()
        for stream_id in dict.fromkeys(bytes(one.stream_id) for one in places):
            try:
                stored = self._stored(stream_id)
            except StreamCorrupted as error:
                yield error
                continue
            except NoSuchStream:
                yield StreamCorrupted(stream_id, 1, HEAD_MISSING)
                continue
            for place in places:
                if bytes(place.stream_id) == stream_id:
                    value = _value(stored, place.position, place.field)
                    if value_filter.accepts(value):
                        yield value

    def erase(self, value: SealedValue) -> ErasureOutcome:
        """Erase the text *value*; return the outcome, with the reason if the text can't be erased.

        Raises:
            ErasureNeedsOneNode: as for `ImportedEraser.record`.
        """
        return _outcome(value, lambda: self._erase(value))

    def dry_run(self, value: SealedValue) -> ErasureOutcome:
        """Return the outcome that `erase` would return now, perhaps with other words for the reason; record nothing.

        `erase` may still raise ErasureNeedsOneNode.
        """
        return _outcome(value, lambda: self._check(value))

    def _erase(self, value: SealedValue) -> bool:
        """Erase *value*; return whether it was erased before."""
        if self._is_imported(value.stream_id):
            self._imported.record(value.stream_id, self._of_import(value))
            return False
        return self._desk.do(self._order(value)).replayed

    def _check(self, value: SealedValue) -> bool:
        """Check that *value* can be erased now; a text that was erased before fails the check.

        Return False, which means, as in `_erase`, that the text was not erased before.
        """
        if self._is_imported(value.stream_id):
            with reading(self._engine) as connection:
                self._desk.log.hidden(connection, value.stream_id, value.position, value.field)
        else:
            self._desk.check(self._order(value))
        return False

    def _is_imported(self, stream_id: bytes) -> bool:
        with reading(self._engine) as connection:
            return bool(self._desk.log.imported_at(connection, stream_id))

    def _of_import(self, value: SealedValue) -> EraseValue:
        return EraseValue(by=SERVICE, position=value.position, field=value.field, ground=self._ground)

    def _order(self, value: SealedValue) -> DisputeOrder:
        stored = self._stored(value.stream_id)
        number = stored.number_at(value.position) if value.position <= stored.head.position else 1
        return DisputeOrder(
            table_stream=bytes.fromhex(stored.state.table.removeprefix("tbl_")),
            owner="",
            role=SERVICE,
            key=f"erase/{value.position}/{value.field}",
            command=EraseDisputeValue(position=value.position, field=value.field, ground=self._ground),
            number=number,
        )

    def _stored(self, stream_id: bytes) -> StoredDisputes:
        """Return the disputes in the stream.

        Raises:
            NoSuchStream: there is no such stream, or its head row is missing.
            StreamCorrupted: the stream is damaged.
        """
        with reading(self._engine) as connection:
            self._desk.log.head(connection, stream_id)
            table_stream = stored_disputes.table_stream_of(connection, self._desk.log, stream_id)
            return stored_disputes.read_disputes(connection, self._desk.log, table_stream)


def _value(stored: StoredDisputes, position: int, field: str) -> SealedValue:
    recorded = stored.recorded[position - 1]
    owner = recorded.event.owner if isinstance(recorded.event, DisputeDecision) else ""
    return SealedValue(stream_id=stored.stream_id, position=position, field=field, owner=owner, at=recorded.at)


def _outcome(value: SealedValue, erase: Callable[[], bool]) -> ErasureOutcome:
    try:
        is_repeat = erase()
    except DisputeRefused as error:
        return ErasureOutcome(value=value, why_not=error.refusal.detail)
    except NoSuchStream:
        return ErasureOutcome(value=value, why_not="There are no such disputes.")
    except (KeyMustBeNew, NotSealed):
        is_repeat = True
    except (Tampered, WrongKey):
        return ErasureOutcome(value=value, why_not=f"The sealed text at position {value.position} was altered.")
    except StreamCorrupted as error:
        return ErasureOutcome(value=value, why_not=f"{_DAMAGED} {error.position}: {error.why}.")
    return ErasureOutcome(value=value, why_not="The text was erased before." if is_repeat else "")
