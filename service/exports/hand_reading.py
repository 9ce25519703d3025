"""Reads the hands of an export, each as the reader of the export may see it at the moment of reading."""

# DECISIONS 116

from collections.abc import Callable

from msgspec import Struct
from sqlalchemy import Engine

from service.database.engines import reading
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.exports.stream_steps import CannotRead
from service.ledger import Balances
from service.projections import hand_history
from service.projections.hand_history import HandItem, HandView
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer


class HandReader(Struct, frozen=True):
    """Reads hands from the database. *seat_of* returns the seat whose cards the reader may see at a table.

    It returns 0 if the reader may see only what everybody may see, and None if the reader may not see the table.
    """

    engine: Engine
    log: Log
    tables: TableCache
    sealed_store: SealedStore
    seat_of: Callable[[TableAt], int | None]

    def __call__(self, stream_id: bytes, item: HandItem, before: Balances) -> HandView | None:
        """Return the hand of *item*, or None if the reader may not see the table.

        *before* has the balances right before the hand.

        Raises:
            CannotRead: the table's stream is damaged.
        """
        try:
            return self._read(stream_id, item, before)
        except StreamCorrupted as error:
            raise CannotRead(error.position, error.why) from error

    def _read(self, stream_id: bytes, item: HandItem, before: Balances) -> HandView | None:
        with reading(self.engine) as connection:
            table_at = self.tables.current(connection, stream_id)
            if table_at is None or (seat := self.seat_of(table_at)) is None:
                return None
            if table_at.position < item.last:
                self.log.quarantine.require_sound(stream_id)
            hidden = TableUnsealer(self.sealed_store, lambda: connection, table_at)
            return hand_history.read(connection, self.log, table_at, item, before, seat, hidden)
