"""Follows the events of one table, and passes its transfers and ended hands to the writer of an export."""

# DECISIONS 116

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from service.disputes.dispute_events import CorrectionApproved
from service.disputes.dispute_state import NO_DISPUTES, Account, balances_after
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Head
from service.exports.export_parts import EndedHand, ExportedTable, Moved, Opening, Selection, Writer
from service.exports.stream_steps import CannotRead
from service.games.definition import Game
from service.games.game import Event
from service.games.payouts import Payout
from service.ledger import Balances, unit_of
from service.projections.projector import hand_rows
from service.tables.fold import Step, TableAt, table_id
from service.tables.replay import commands

_UNEXPLAINED: Final = "the payouts of the event can't be explained"


class _Begun(NamedTuple):
    """A hand's first event: its time, and the balances and the owners of seats right before this event."""

    at: str
    balances: Balances
    players: Mapping[int, str]


class TableFollower:
    """Follows one table up to *head*, and writes, with *writer*, what *selected* selects."""

    def __init__(self, stream_id: bytes, head: Head, selected: Selection, writer: Writer) -> None:
        self.table: ExportedTable | None = None
        """The table; None before its first event."""
        self._stream_id = stream_id
        self._head = head
        self._selected = selected
        self._writer = writer
        self._has_begun = not selected.since
        self._in_hand: list[Event] = []
        self._hand = _Begun("", {}, {})

    def follow(self, events: Iterable[RecordedEvent]) -> Iterator[str]:
        """Yield a text, perhaps an empty one, for each command of the table; stop at the end of the chosen time.

        If the export begins after the first command, the text of the first command in the chosen time begins with the
        opening balances; without such a command, one more text has the opening balances.

        Raises:
            CannotReplay: an event is impossible at its position.
            CannotRead: *events* or the writer raised it, or the payouts of an event can't be explained.
        """
        last: Step | None = None
        damage: list[CannotRead] = []
        for steps in commands(self._stream_id, _up_to_damage(events, damage)):
            if self._selected.until and steps[0].recorded.at >= self._selected.until:
                break
            written = ""
            if last is None:
                self.table = self._opened(steps[0].after)
                written = self._writer.table(self.table)
            if not self._has_begun and steps[0].recorded.at >= self._selected.since:
                written += self._begin(steps[0].before)
            yield written + "".join(self._command(steps))
            last = steps[-1]
        if last and not self._has_begun:
            yield self._begin(last.after.state)
        for error in damage:
            raise error

    def _opened(self, table_at: TableAt) -> ExportedTable:
        state = table_at.state
        return ExportedTable(
            table=table_id(self._stream_id),
            game=table_at.game,
            currency=state.currency if state.worth_minor else "",
            worth_minor=state.worth_minor,
            head=self._head,
        )

    def _begin(self, state: Any) -> str:  # noqa: ANN401 -- each game has its own class for states
        self._has_begun = True
        assert self.table  # noqa: S101 -- this tells mypy that the table has an event
        left = {(account, unit_of(account)): balance for account, balance in state.balances.items() if balance}
        if not left:
            return ""
        return self._writer.opening(
            Opening(table=self.table, at=self._selected.since, balances=left, owners=state.players)
        )

    def _command(self, steps: tuple[Step, ...]) -> Iterator[str]:
        ended = hand_rows(steps)
        for step in steps:
            before, after = step.before, step.after
            if after.state.hand != before.hand:
                self._in_hand = []
                self._hand = _Begun(step.recorded.at, before.balances, before.players)
            is_in_hand = after.state.hand > 0 and (after.state.hand_is_running or bool(ended))
            if step.entries and self._has_begun:
                for moved in self._moved(step, after.state.hand if is_in_hand else 0):
                    yield self._writer.moved(moved)
            if is_in_hand:
                self._in_hand.append(cast("Event", step.recorded.event))
        if ended and self._has_begun:
            yield from self._hands(ended, steps[-1])

    def _moved(self, step: Step, hand: int) -> Iterator[Moved]:
        assert self.table  # noqa: S101 -- this tells mypy that the table has an event
        recorded, event = step.recorded, cast("Event", step.recorded.event)
        reasons = _reasons(self.table.game, recorded.position, event, tuple(self._in_hand) if hand else ())
        owners = {**step.before.players, **step.after.state.players}
        for ordinal, entry in enumerate(step.entries):
            transfer = entry.transfer
            yield Moved(
                table=self.table,
                position=recorded.position,
                ordinal=ordinal,
                at=recorded.at,
                type=recorded.type,
                by=recorded.by,
                source=transfer.source,
                target=transfer.target,
                amount=transfer.amount,
                unit=transfer.unit,
                rule=transfer.rule,
                ruling=_ruling(reasons, transfer.source, transfer.target, transfer.amount),
                source_balance=entry.source_balance,
                target_balance=entry.target_balance,
                hand=hand,
                owners=owners,
            )

    def _hands(self, ended: list[tuple[int, int, int]], last: Step) -> Iterator[str]:
        assert self.table  # noqa: S101 -- this tells mypy that the table has an event
        after = last.after.state
        for hand, first, position in ended:
            yield self._writer.hand(
                EndedHand(
                    table=self.table,
                    stream_id=self._stream_id,
                    hand=hand,
                    first=first,
                    last=position,
                    started_at=self._hand.at,
                    ended_at=last.recorded.at,
                    before=self._hand.balances,
                    after=after.balances,
                    owners={**self._hand.players, **after.players},
                )
            )


def _up_to_damage(events: Iterable[RecordedEvent], damage: list[CannotRead]) -> Iterator[RecordedEvent]:
    """Yield *events*; if they raise CannotRead, end, and add it to *damage*: earlier commands are still written."""
    try:
        yield from events
    except CannotRead as error:
        damage.append(error)


def _reasons(game: Game, position: int, event: Event, before: Sequence[Event]) -> list[Payout]:
    try:
        return [*game.explain(event, before)]
    except Exception as error:  # A forged event may cause any error in the rules.
        raise CannotRead(position, _UNEXPLAINED) from error


def _ruling(reasons: list[Payout], source: str, target: str, amount: int) -> str:
    """Remove the first payout in *reasons* with the same accounts and amount; return its ruling ("": none)."""
    for number, reason in enumerate(reasons):
        if (reason.source, reason.target, reason.amount) == (source, target, amount):
            return reasons.pop(number).ruling
    return ""


def corrections(
    table: ExportedTable, events: Iterable[RecordedEvent], selected: Selection, writer: Writer
) -> Iterator[str]:
    """Yield a text, perhaps an empty one, for each event of a table's disputes; stop at the end of the chosen time.

    Only approved corrections have transfers. If the export begins after the first event, the text of the first event in
    the chosen time begins with the opening balances; without such an event, one more text has the opening balances.

    Raises:
        CannotRead: *events* raised it.
    """
    balances: dict[Account, int] = {}
    has_begun = not selected.since
    for recorded in events:
        if selected.until and recorded.at >= selected.until:
            break
        written = ""
        if not has_begun and recorded.at >= selected.since:
            has_begun, written = True, _opening(table, selected.since, balances, writer)
        event = recorded.event
        if not isinstance(event, CorrectionApproved):
            yield written
            continue
        for ordinal, one in enumerate(event.transfers):
            after = balances_after(NO_DISPUTES, (one,))
            for account, added in after.items():
                balances[account] = balances.get(account, 0) + added
            source, target = Account(one.source, one.unit), Account(one.target, one.unit)
            moved = Moved(
                table=table,
                position=recorded.position,
                ordinal=ordinal,
                at=recorded.at,
                type=recorded.type,
                by=recorded.by,
                source=source.name,
                target=target.name,
                amount=one.amount,
                unit=one.unit,
                rule=one.rule,
                ruling="",
                source_balance=balances[source],
                target_balance=balances[target],
                dispute=event.dispute,
            )
            written += writer.moved(moved) if has_begun else ""
        yield written
    if not has_begun:
        yield _opening(table, selected.since, balances, writer)


def _opening(table: ExportedTable, at: str, balances: Mapping[Account, int], writer: Writer) -> str:
    left = {(account.name, account.unit): balance for account, balance in balances.items() if balance}
    if not left:
        return ""
    return writer.opening(Opening(table=table, at=at, balances=left, owners={}, is_of_disputes=True))
