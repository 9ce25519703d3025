"""Adjudication: judges a table, or one of its hands, from the recorded events and the public values (DECISIONS 7)."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from service import deck
from service.audit.differences import Difference
from service.audit.judging.audit_known import NO_LOST_EPOCHS, AuditKnown, Fields, Proof, no_fields
from service.audit.judging.decision import Judgement, judge, judge_broken
from service.audit.judging.disclosures import disclosures_of
from service.audit.judging.signatures import unsigned_seats
from service.audit.verdicts import Verdict, worst
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.games.common_events import CardsDealt
from service.tables.fold import Step, TableAt
from service.tables.replay import CannotReplay, commands


class HandJudgement(Struct, frozen=True, kw_only=True):
    """The judgement of hand number *hand*.

    *first* and *last* are the positions of the hand's first and last events; *last* is 0 if the hand is not settled.
    The verdict is the worst verdict on the hand's decisions and decks, and at best PENDING until the hand is settled.
    *difference* is the first difference of a failed hand. *unsigned_seats*: the seats that made unsigned decisions in
    the hand.
    """

    hand: int
    first: int
    last: int
    verdict: Verdict
    decisions: tuple[Judgement, ...]
    unsigned_seats: tuple[int, ...]
    difference: Difference | None = None


class TableJudgement(Struct, frozen=True, kw_only=True):
    """The judgements of a table's decisions and hands.

    *differences* has the difference of each failed decision and deck, without duplicates.
    """

    verdict: Verdict
    decisions: tuple[Judgement, ...]
    hands: tuple[HandJudgement, ...]
    differences: tuple[Difference, ...]


def adjudicate(
    stream_id: bytes,
    events: Iterable[RecordedEvent],
    *,
    lost_epochs: Collection[str] = NO_LOST_EPOCHS,
    shuffle: Shuffle = deck.shuffle,
    fields: Fields = no_fields,
) -> TableJudgement:
    """Decide again every decision of *events*, the whole stream of a table, up to the first event that is impossible.

    *lost_epochs*: the epochs of the unrevealed decks whose seeds are missing or altered. *shuffle* makes a deck from a
    seed. *fields* returns the values of sealed fields; the audit uses only the values that the stream has made public.
    """
    stream = tuple(events)
    known = AuditKnown(disclosures_of(stream), lost_epochs, shuffle, fields)
    decisions: list[Judgement] = []
    hands = HandCollector()
    try:
        for steps in commands(stream_id, stream):
            decisions.append(judge(steps, known))
            hands.add(steps, decisions[-1])
    except CannotReplay as failure:
        decisions.append(judge_broken(failure, known))
        hands.break_off(decisions[-1])
    parts: tuple[Judgement | Proof, ...] = (*decisions, *known.proofs())
    return TableJudgement(
        verdict=worst(one.verdict for one in parts),
        decisions=tuple(decisions),
        hands=hands.judged(known, running=True),
        differences=tuple(dict.fromkeys(one.difference for one in parts if one.difference)),
    )


def adjudicate_hand(  # noqa: PLR0913  # `adjudicate` has most of these parameters, too.
    stream_id: bytes,
    events: Iterable[RecordedEvent],
    hand: int,
    *,
    lost_epochs: Collection[str] = NO_LOST_EPOCHS,
    shuffle: Shuffle = deck.shuffle,
    fields: Fields = no_fields,
    before: TableAt | None = None,
) -> HandJudgement:
    """Decide again the decisions of hand number *hand*; `adjudicate` explains *lost_epochs*, *shuffle* and *fields*.

    *events* follow the table state *before*, which must be earlier than the commitments to the hand's decks; if
    *before* is None, *events* begin the stream. *events* should continue after the hand, because a later reveal can
    settle earlier decisions.

    Raises:
        LookupError: the table has no such hand, or an event up to the end of the hand's first command is impossible.
    """
    stream = tuple(events)
    known = AuditKnown(disclosures_of(stream), lost_epochs, shuffle, fields)
    hands = HandCollector()
    try:
        for steps in commands(stream_id, stream, before):
            if steps[0].before.hand > hand:
                break
            if steps[-1].after.state.hand == hand and is_in_hand(steps):
                hands.add(steps, judge(steps, known))
            else:
                known.heads.add(steps)
    except CannotReplay as failure:
        hands.break_off(judge_broken(failure, known))
    for judged in hands.judged(known, running=True):
        return judged
    raise LookupError(f"there is no hand {hand}")


class HandCollector:
    """Collects the hands of a table, with the judgements of their decisions."""

    def __init__(self) -> None:
        self._settled: list[_Hand] = []
        self._running: _Hand | None = None

    def add(self, steps: Sequence[Step], judgement: Judgement) -> None:
        """If the next command begins a hand or is part of the running hand, add its *judgement* to this hand."""
        if not is_in_hand(steps):
            return
        after = steps[-1].after.state
        hand = self._running = self._running or _Hand(hand=after.hand, first=judgement.position)
        hand.decisions.append(judgement)
        for step in steps:
            if isinstance(step.recorded.event, CardsDealt):
                hand.epochs.add(step.recorded.event.epoch)
        if not after.hand_is_running:
            hand.last = judgement.last
            self._settled.append(hand)
            self._running = None

    def break_off(self, judgement: Judgement) -> None:
        """If a hand is running, add to it the judgement of the first command that cannot be folded."""
        if self._running:
            self._running.decisions.append(judgement)

    def judged(self, known: AuditKnown, *, running: bool = False) -> tuple[HandJudgement, ...]:
        """Return the judgements of the hands that were settled since the last call, and forget these hands.

        With *running*, return the judgement of the running hand, too.
        """
        hands, self._settled = self._settled, []
        if running and self._running:
            hands.append(self._running)
        return tuple(hand.judged(known) for hand in hands)


class _Hand(Struct):
    hand: int
    first: int
    last: int = 0
    decisions: list[Judgement] = []
    epochs: set[str] = set()

    def judged(self, known: AuditKnown) -> HandJudgement:
        parts: tuple[Judgement | Proof, ...] = (*self.decisions, *(known.proof(epoch) for epoch in sorted(self.epochs)))
        verdict = worst(one.verdict for one in parts)
        return HandJudgement(
            hand=self.hand,
            first=self.first,
            last=self.last,
            verdict=verdict if self.last else worst((verdict, Verdict.PENDING)),
            decisions=tuple(self.decisions),
            unsigned_seats=unsigned_seats(one.recorded[0] for one in self.decisions),
            difference=next((one.difference for one in parts if one.difference), None),
        )


def is_in_hand(steps: Sequence[Step]) -> bool:
    """Return whether the command of *steps* is part of a hand: the command began a hand, or a hand was running."""
    before, after = steps[0].before, steps[-1].after.state
    return bool(before.hand_is_running) or after.hand != before.hand
