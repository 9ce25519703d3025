"""The command handler of disputes: decides one command, and records its events in the stream of disputes."""

# DECISIONS 73 and 105

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.clock import Clock
from service.database.durability import durability_barrier
from service.database.engines import administering, reading
from service.disputes import dispute_rules, disputes_table, repeated_commands, stored_disputes
from service.disputes.dispute_commands import DisputeCommand, OpenDispute
from service.disputes.dispute_events import DisputeOpened, DisputeValueErased, MachineVerdict, VerdictChanged
from service.disputes.dispute_facts import TableFacts
from service.disputes.dispute_rules import DecidedStep
from service.disputes.dispute_state import Dispute
from service.disputes.dispute_step import Asked
from service.disputes.stored_disputes import StoredDisputes
from service.event_store import queries
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Head, Secret, UncommittedEvent, disputes_stream, stream_name
from service.event_store.leaf import Until
from service.event_store.store import Log, StreamExists
from service.games.game import HOST, PLAYER, SERVICE, Refusal
from service.play.disputed_hands import DisputedHands
from service.play.orders import KeyMustBeNew, NoSuchTable
from service.projections.swap_guard import retry_after_swap
from service.secrets.derivation import Derivation
from service.secrets.receipts import Receipt, Signer
from service.tables.cache import TableCache

AUDITOR: Final = "auditor"
APPROVER: Final = "approver"
_FAILED: Final = "failed"
_NEVER: Final = Until(never=(), open=())
"""No event changes who may read a sealed text; `dispute_readers` has the rule."""


class DisputeOrder(Struct, frozen=True, kw_only=True):
    """A *command* of *owner* about the dispute *number* of a table (0: a new dispute), under an idempotency *key*.

    *role* is PLAYER, AUDITOR, APPROVER or SERVICE. A PLAYER who hosts the table acts as HOST.
    """

    table_stream: bytes
    owner: str
    role: str
    key: str
    command: DisputeCommand
    number: int = 0


class DisputeResult(Struct, frozen=True, kw_only=True):
    """A recorded command: its events, the dispute after all events so far, and the receipt for its last event.

    *stored* has all disputes of the table. *replayed*: the command is a repeat, and this is its earlier result.
    """

    recorded: tuple[RecordedEvent, ...]
    dispute: Dispute
    stored: StoredDisputes
    receipt: Receipt
    replayed: bool


class DisputeRefused(Exception):
    """The rules refused a command about a dispute; *refusal* says which condition does not hold."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class DisputeDesk:
    """Handles commands about disputes.

    *log* reads and writes the streams of disputes. *tables* has the card tables. *hands* reads the facts of a disputed
    hand, and decides the hand again.
    """

    def __init__(  # noqa: PLR0913  # The write path needs all of these parts.
        self,
        engine: Engine,
        log: Log,
        tables: TableCache,
        hands: DisputedHands,
        clock: Clock,
        signer: Signer,
        derivation: Derivation,
    ) -> None:
        self._engine = engine
        self.log: Final = log
        self._tables = tables
        self._hands = hands
        self._clock = clock
        self._signer = signer
        self._derivation = derivation

    def do(self, order: DisputeOrder) -> DisputeResult:
        """Record *order*'s command and return its result. If the command is a repeat, return its earlier result.

        The facts of the table are read first. Then one transaction locks the stream of disputes, reads this stream
        again, decides and writes. So the commands about the disputes of one table are decided one after the other. No
        such command locks the table itself. If the table is damaged, the facts are those of the table right before the
        damage, and the step may be recorded.

        Raises:
            NoSuchTable, DisputeRefused, KeyMustBeNew: nothing was recorded.
            StreamCorrupted: the stream of disputes or the first event of the table is damaged; or the cache has the
                table with an event that was damaged later and that the facts need; or the order is a repeat and a text
                that its command sealed was altered; or a text that the order erases is missing. Nothing was recorded.
            StreamReplaced: nothing was recorded; the caller may repeat the order.
            WriteLockNotAcquired, SQLAlchemyError: nothing was recorded.
            UnknownCommit: the command may be recorded; the caller finds out by repeating the order.
        """
        facts = self._facts(order)
        with administering(self._engine) as connection:
            stored = self._locked(connection, order.table_stream, is_new=isinstance(order.command, OpenDispute))
            cmd = self._derivation.command_id(order.owner or SERVICE, stream_name(stored.stream_id), order.key)
            if recorded := _of_command(stored, cmd):
                return self._repeat(connection, order, stored, recorded)
            with _refusing():
                return self._record(connection, order, cmd, stored, replace(facts, now=self._clock.now()))

    def check(self, order: DisputeOrder) -> None:
        """Check that the rules allow *order*'s command now; record nothing.

        Raises:
            NoSuchTable, DisputeRefused, StreamCorrupted, StreamReplaced: as for `do`.
        """
        facts = self._facts(order)
        with reading(self._engine) as connection:
            stored = stored_disputes.read_disputes(connection, self.log, order.table_stream)
        with _refusing():
            _decided(order, stored, replace(facts, now=self._clock.now()))

    def machine_verdict(self, connection: Connection, table_stream: bytes, hand: int) -> MachineVerdict:
        """Decide a hand again, and return the verdict that the service has now.

        The verdict is `failed` if an event from which the hand is judged is damaged, if the damage is before the hand,
        or if the table has no such hand.

        Raises:
            NoSuchTable: there is no such table.
            StreamCorrupted: the first event of the table is damaged.
        """
        table_at = self._tables.current(connection, table_stream)
        if table_at is None:
            raise NoSuchTable(stream_name(table_stream))
        try:
            return self._hands.judge(connection, table_at, hand)
        except LookupError:
            return _FAILED

    def played(self, connection: Connection, table_stream: bytes, hand: int, owner: str) -> bool:
        """Return whether *owner* had a seat during the hand number *hand*; False if there is no such table or hand."""
        table_at = self._tables.current(connection, table_stream)
        parties = self._hands.parties(connection, table_at, hand) if table_at else ()
        return owner in {party.player for party in parties}

    @retry_after_swap
    def _facts(self, order: DisputeOrder) -> TableFacts:
        """Return the facts on which *order* is decided.

        The evidence in a recorded event has the position of the table, so that an audit can read the same facts again.
        """
        with reading(self._engine) as connection:
            table_at = self._tables.current(connection, order.table_stream)
            if table_at is None:
                raise NoSuchTable(stream_name(order.table_stream))
            hand = order.command.hand if isinstance(order.command, OpenDispute) else 0
            if not hand:
                stored = stored_disputes.read_disputes(connection, self.log, order.table_stream)
                dispute = stored.state.disputes.get(order.number)
                hand = dispute.hand if dispute else 0
            return self._hands.facts(connection, table_at, hand)

    def _locked(self, connection: Connection, table_stream: bytes, *, is_new: bool) -> StoredDisputes:
        """Return the disputes of a table; no other command changes them until the transaction ends."""
        stream_id = disputes_stream(table_stream)
        if is_new and queries.HEAD.run(connection, {"stream_id": stream_id}).first() is None:
            try:
                with connection.begin_nested():
                    self.log.create(connection, stream_id)
            except StreamExists:
                pass  # Another process opened the table's first dispute in the meantime.
        return stored_disputes.locked(connection, self.log, table_stream)

    def _record(
        self, connection: Connection, order: DisputeOrder, cmd: str, stored: StoredDisputes, facts: TableFacts
    ) -> DisputeResult:
        decided = _decided(order, stored, facts)
        entry = self.log.entry(
            stored.stream_id, stored.head, _uncommitted(order, cmd, decided, stored, facts), facts.now
        )
        self.log.write(connection, entry, self.log.generation.number)
        last = entry.recorded[-1]
        recorded = (*stored.recorded, *entry.recorded)
        after = StoredDisputes(
            stored.stream_id, Head(last.position, last.hash), recorded, stored_disputes.fold(recorded)
        )
        disputes_table.write_row(connection, order.table_stream, after.state.disputes[decided.event.dispute])
        return self._result(after, entry.recorded, replayed=False)

    def _repeat(
        self, connection: Connection, order: DisputeOrder, stored: StoredDisputes, recorded: tuple[RecordedEvent, ...]
    ) -> DisputeResult:
        """Return the earlier result, and make the commit of this transaction wait until this result is durable.

        The process that recorded the command may have died before its commit was durable. On a spread database the
        barrier works at the coordinator; at the node of the stream, the commit waits because a row was locked there.
        """
        found = stored_disputes.openings_of(connection, self.log, stored.stream_id, recorded[:1])
        texts = {one.field: str(one.value) for one in found}
        member = repeated_commands.difference(recorded[0], texts, order.command, order.number)
        if member:
            raise KeyMustBeNew(member, "another value", "this one")
        durability_barrier(connection)
        return self._result(stored, recorded, replayed=True)

    def _result(self, stored: StoredDisputes, recorded: tuple[RecordedEvent, ...], *, replayed: bool) -> DisputeResult:
        last, cmd = recorded[-1], recorded[0].cmd
        receipt = self._signer.receipt(stream_name(stored.stream_id), last.position, last.hash, cmd)
        dispute = stored.state.disputes[stored.number_at(recorded[0].position)]
        return DisputeResult(recorded=recorded, dispute=dispute, stored=stored, receipt=receipt, replayed=replayed)


def _decided(order: DisputeOrder, stored: StoredDisputes, facts: TableFacts) -> DecidedStep:
    sealed = {(one.position, field) for one in stored.recorded for field in one.priv}
    asked = Asked(owner=order.owner, number=order.number, facts=facts, sealed=sealed.__contains__)
    return dispute_rules.decide(stored.state, asked, order.command)


def _uncommitted(
    order: DisputeOrder, cmd: str, decided: DecidedStep, stored: StoredDisputes, facts: TableFacts
) -> list[UncommittedEvent]:
    """Return the event of the step, and perhaps a further event: the service's changed verdict on the hand."""
    event = decided.event
    dispute = stored.state.disputes.get(event.dispute)
    parties = dispute.parties if dispute else event.parties if isinstance(event, DisputeOpened) else ()
    secret = Secret(decided.text, tuple(party.seat for party in parties), _NEVER)
    by = HOST if order.role == PLAYER and order.owner == facts.host else order.role
    secrets = {decided.field: secret} if decided.field else {}
    erases = (event.position, event.field) if isinstance(event, DisputeValueErased) else None
    events = [UncommittedEvent(event, by, cmd, secrets=secrets, erases=erases)]
    # No event may follow an erasure: the database deletes a value only if the erasure is the last event of the stream.
    if dispute and facts.hand and not erases and not hasattr(event, "evidence"):
        new = facts.hand.evidence
        if new.verdict != dispute.verdict.verdict:
            events.append(UncommittedEvent(VerdictChanged(dispute=event.dispute, evidence=new), SERVICE))
    return events


def _of_command(stored: StoredDisputes, cmd: str) -> tuple[RecordedEvent, ...]:
    """Return the step that the command *cmd* recorded, with its consequences; empty: it recorded none."""
    for number, one in enumerate(stored.recorded):
        if one.cmd == cmd:
            return (one, *takewhile(lambda other: not other.cmd, stored.recorded[number + 1 :]))
    return ()


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        raise DisputeRefused(refusal) from refusal
