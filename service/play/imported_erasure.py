"""Erases sealed values of imported tables; the service's own stream, not the table's, records each erasure."""

# DECISIONS 99 and 129

from sqlalchemy import Connection, Engine

from service.database.engines import administering, reading
from service.database.metadata import SERVICE_STREAM
from service.database.spread import nodes
from service.database.spread.spread_check import is_spread
from service.event_store.entries import place_name, stream_name
from service.event_store.store import Log, NotSealed
from service.games.common_commands import EraseValue
from service.games.game import Refusal
from service.play import orders
from service.play.orders import NoSuchTable
from service.service_log.service_events import ValueErasedAt
from service.service_log.service_log import ServiceLog
from service.tables import erasable
from service.tables.cache import TableCache


class ErasureNeedsOneNode(Exception):
    """The value is on another node than the service's own stream, so the database can't see the event that erases it.

    Nothing was recorded, and nothing was erased.
    """


class ImportedEraser:
    """Erases values of imported tables: one transaction records the erasure and deletes the value."""

    def __init__(self, engine: Engine, log: Log, service_log: ServiceLog) -> None:
        self._engine = engine
        self._log = log
        self._tables = TableCache(log)
        self._service_log = service_log

    def erase(self, stream_id: bytes, command: EraseValue) -> None:
        """Erase the value that *command* names.

        Raises:
            NoSuchTable: there is no such table.
            Refused: the value can't be erased; nothing was recorded.
            StreamCorrupted: the table is damaged; nothing was recorded.
            NotSealed: the value was erased after the check; nothing was recorded.
            WrongKey, Tampered: as for `Log.hidden`; nothing was recorded.
            ErasureNeedsOneNode: as for `record`.
        """
        self.check(stream_id, command)
        self.record(stream_id, command)

    def record(self, stream_id: bytes, command: EraseValue) -> None:
        """Erase the value that *command* names; the rules do not check *command*.

        *stream_id* is the stream of a table, or the stream of a table's disputes.

        Raises:
            NotSealed: the sealed store does not have the value; nothing was recorded.
            ErasureNeedsOneNode: the database is spread, and another node has the service's own stream.
        """
        event = ValueErasedAt(
            table=place_name(stream_id), position=command.position, field=command.field, ground=command.ground
        )
        with administering(self._engine) as connection:
            if is_spread(connection) and not nodes.are_together(connection, SERVICE_STREAM, stream_id):
                raise ErasureNeedsOneNode(
                    f"{place_name(stream_id)} is on another node than the service's own stream; nothing was erased"
                )
            self._service_log.open_if_needed(connection)
            self._service_log.append(connection, [event])
            self._log.erase_imported_value(connection, stream_id, command.position, command.field)

    def check(self, stream_id: bytes, command: EraseValue) -> None:
        """Check that the value that *command* names can be erased; record nothing.

        Raises:
            NoSuchTable, Refused, StreamCorrupted, WrongKey, Tampered: as for `erase`.
        """
        with reading(self._engine) as connection:
            table_at = self._tables.current(connection, stream_id)
            if table_at is None:
                raise NoSuchTable(stream_name(stream_id))
            self._log.quarantine.require_sound(stream_id)
            with orders.refusing(table_at, command):
                erasable.must_be_erasable(lambda: connection, self._log, table_at, command)
                self._must_be_here(connection, stream_id, command)

    def _must_be_here(self, connection: Connection, stream_id: bytes, command: EraseValue) -> None:
        try:
            self._log.hidden(connection, stream_id, command.position, command.field)
        except NotSealed as error:
            why = f"{command.field} of position {command.position} was erased before, or was never imported."
            raise Refusal(erasable.VALUE_MUST_NOT_BE_ERASED_YET, why) from error
