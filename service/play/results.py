"""Results of recorded commands, for the first request and for every repeat (DECISIONS 85)."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final, cast

from sqlalchemy import Connection

from service.database.engines import Connect
from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState
from service.event_store.entries import stream_name
from service.event_store.store import Log, NotSealed
from service.games.game import Event
from service.games.table_state import seat_of
from service.play import orders
from service.play.orders import CommandResult, Order
from service.projections import hand_positions
from service.secrets.receipts import Signer
from service.tables import visibility
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer, Unsealer

_PAGE: Final = 64


class Results:
    """Makes the results of commands, with a receipt that *signer* signs."""

    def __init__(self, log: Log, sealed_store: SealedStore, signer: Signer) -> None:
        self._log = log
        self._sealed_store = sealed_store
        self._signer = signer

    def of_events(  # noqa: PLR0913  # The result depends on all of these.
        self,
        order: Order,
        table_at: TableAt,
        recorded: tuple[RecordedEvent, ...],
        sealed: DisclosureState,
        unsealer: Unsealer,
        *,
        replayed: bool = False,
    ) -> CommandResult:
        """Return the result of *order*, which made the events *recorded*.

        *sealed* is the disclosure state before these events.
        """
        last, cmd = recorded[-1], recorded[0].cmd
        seat = seat_of(table_at.state, order.caller) if order.sees_cards else 0
        return CommandResult(
            recorded=recorded,
            openings=visibility.card_openings(recorded, seat, unsealer),
            fields=visibility.disclosed_fields(recorded, sealed, seat, unsealer),
            receipt=self._signer.receipt(stream_name(order.stream_id), last.position, last.hash, cmd),
            replayed=replayed,
        )

    def of_repeat(self, connect: Connect, order: Order, table_at: TableAt, decision: RecordedEvent) -> CommandResult:
        """Return the earlier result of *order*, whose *decision* is recorded.

        Raises:
            KeyMustBeNew: the caller used the same key for another command, or for the same command with another
                signature.
            StreamCorrupted: the decision, one of its consequences, or a value that the decision sealed is damaged.
            NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.field`.
        """
        values = self._sealed_values(connect, table_at, decision)
        if values is not None:
            command = table_at.game.command_of(cast("Event", decision.event), decision.by, values.get)
            orders.must_be_the_same(command, order.command, may_show=order.sees_cards or not decision.priv)
        orders.must_be_signed_the_same(decision.sig, order.signature)
        recorded = (decision, *self._consequences(connect(), table_at, decision))
        sealed = hand_positions.disclosure_before(connect(), self._log, table_at, decision.position)
        unsealer = TableUnsealer(self._sealed_store, connect, table_at)
        return self.of_events(order, table_at, recorded, sealed, unsealer, replayed=True)

    def _sealed_values(self, connect: Connect, table_at: TableAt, decision: RecordedEvent) -> dict[str, Any] | None:
        """Return the values that *decision* sealed, by field, or None if a value was erased.

        Without the erased value, the recorded command cannot be compared with the repeat.

        Raises:
            StreamCorrupted: a value is missing or altered, and no event erased the value.
            NoSuchStream, StalePosition, StreamReplaced: as for `SealedStore.field`.
        """
        try:
            return {
                sealed_field.field: self._sealed_store.field(connect, table_at, sealed_field).value
                for sealed_field in disclosure.sealed_fields(decision)
            }
        except NotSealed:
            return None

    def _consequences(self, connection: Connection, table_at: TableAt, last: RecordedEvent) -> Iterable[RecordedEvent]:
        while page := self._log.reader.read(connection, table_at.stream_id, last, _PAGE, head=table_at.head):
            consequences = tuple(takewhile(lambda one: not one.cmd, page))
            yield from consequences
            if len(consequences) < _PAGE:
                return
            last = page[-1]
