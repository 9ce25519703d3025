"""The history of a disputed table: at each position its players, the disputed hand, and the verdict on the hand."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from service.audit.judging.adjudicate import adjudicate_hand
from service.audit.judging.audit_known import Fields
from service.audit.judging.disclosures import disclosures_of
from service.disputes.dispute_events import Evidence, MachineVerdict, Party
from service.disputes.dispute_facts import DisputedHand, TableFacts
from service.event_store.codec import RecordedEvent
from service.play.disputed_hands import facts_of
from service.projections import hand_history, projector
from service.projections.hand_history import HandItem
from service.tables.fold import TableAt
from service.tables.replay import CannotReplay, commands


class Moment(Struct, frozen=True, kw_only=True):
    """The moment of a step about hand number *hand*: the table was at *position*; *at* is the time of the step."""

    position: int
    hand: int
    at: str


class TableHistory:
    """The table after each of the events *recorded*, the first events of the stream *stream_id*.

    The history ends before the first command with an impossible event. *fields* returns the values of an event's sealed
    fields.
    """

    def __init__(self, stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields) -> None:
        self._stream_id = stream_id
        self._recorded = recorded
        self._fields = fields
        self._erased = disclosures_of(recorded).erased
        self._after: list[TableAt] = []
        self._ends: list[int] = []
        """The position of the last event of each command."""
        self._settled: dict[int, HandItem] = {}
        self._verdicts: dict[tuple[int, int], MachineVerdict] = {}
        try:
            for steps in commands(stream_id, recorded):
                self._after += [step.after for step in steps]
                self._ends.append(steps[-1].recorded.position)
                for hand, first, last in projector.hand_rows(steps):
                    self._settled[hand] = HandItem(hand=hand, first=first, last=last, is_settled=True)
        except CannotReplay:
            pass  # The audit of the table reports the impossible event.

    @property
    def last(self) -> int:
        """The last position of the history; 0: the history is empty."""
        return len(self._after)

    def facts(self, moment: Moment, verdict: MachineVerdict) -> TableFacts:
        """Return the facts on which a step at *moment* is decided; *verdict*: the service's verdict at *moment*.

        Raises:
            IndexError: no command ends at the moment's position.
        """
        if moment.position not in self._ends[bisect_left(self._ends, moment.position) :][:1]:
            raise IndexError(moment.position)
        table_at = self._at(moment.position)
        return replace(facts_of(table_at, self._hand(table_at, moment.hand, verdict)), now=moment.at)

    def verdict(self, position: int, hand: int) -> MachineVerdict:
        """Decide hand number *hand* again from the events up to *position*, the end of a command; return the verdict.

        A value that was erased later counts as erased, so this verdict may be `undecidable` where the recorded verdict
        is not. A verdict that has changed never changes back. So if two positions have the same verdict, all positions
        between these two have this verdict. A binary search then decides the hand only a few times, even for many
        steps.
        """
        low, high = bisect_left(self._ends, self._first(hand)), len(self._ends) - 1
        wanted = bisect_left(self._ends, position)
        while low < wanted < high:
            if self._judged(self._ends[low], hand) == self._judged(self._ends[high], hand):
                return self._judged(self._ends[low], hand)
            middle = (low + high) // 2
            low, high = (middle, high) if middle <= wanted else (low, middle)
            if low == wanted:
                break
        return self._judged(position, hand)

    def _first(self, hand: int) -> int:
        settled = self._settled.get(hand)
        return settled.first if settled else self._after[-1].hand_first

    def _judged(self, position: int, hand: int) -> MachineVerdict:
        if (position, hand) not in self._verdicts:
            try:
                judged = adjudicate_hand(self._stream_id, self._recorded[:position], hand, fields=self._unerased)
                found = judged.verdict.value
            except LookupError:
                found = "failed"
            self._verdicts[position, hand] = next(one for one in get_args(MachineVerdict) if one == found)
        return self._verdicts[position, hand]

    def _unerased(self, recorded: RecordedEvent) -> Mapping[str, Any]:
        values = self._fields(recorded)
        return {field: value for field, value in values.items() if (recorded.position, field) not in self._erased}

    def _at(self, position: int) -> TableAt:
        if position < 1:
            raise IndexError(position)
        return self._after[position - 1]

    def _hand(self, table_at: TableAt, hand: int, verdict: MachineVerdict) -> DisputedHand | None:
        item = self._item(table_at, hand)
        if item is None:
            return None
        began = self._at(item.first) if item.is_settled else table_at
        return DisputedHand(
            hand=hand,
            parties=tuple(Party(seat=seat, player=player) for seat, player in began.state.players.items()),
            ended_at=self._recorded[item.last - 1].at if item.is_settled else "",
            evidence=Evidence(
                first=item.first,
                last=item.last if item.is_settled else 0,
                position=table_at.position,
                leaf_hash=table_at.head.hash.hex(),
                verdict=verdict,
            ),
            is_revealed=item.is_settled and verdict != "pending",
        )

    def _item(self, table_at: TableAt, hand: int) -> HandItem | None:
        if table_at.state.hand_is_running and hand == table_at.state.hand:
            return hand_history.running(table_at)
        found = self._settled.get(hand)
        return found if found and found.last <= table_at.position else None
