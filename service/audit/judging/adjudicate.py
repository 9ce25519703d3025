"""Adjudication: a table, or one hand of it, judged from its recorded events alone (DECISIONS 7)."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from service import deck
from service.audit.differences import Difference
from service.audit.judging.audit_known import NO_LOST_EPOCHS, AuditKnown, Fields, Proof, Shuffle, no_fields
from service.audit.judging.decision import Judgement, judge, judge_broken
from service.audit.judging.disclosures import disclosures_of
from service.audit.verdicts import Verdict, worst
from service.event_store.codec import RecordedEvent
from service.games.common_events import CardsDealt
from service.tables.fold import Step, TableAt
from service.tables.replay import CannotReplay, commands


class HandJudgement(Struct, frozen=True, kw_only=True):
    """The hand number *hand*, from its *first* event to its *last* (0: it is not settled), and its decisions.

    Its verdict is the worst of its decisions and of its decks. *difference* is the first that makes it fail; it is set
    only where the verdict is FAILED.
    """

    hand: int
    first: int
    last: int
    verdict: Verdict
    decisions: tuple[Judgement, ...]
    difference: Difference | None = None


class TableJudgement(Struct, frozen=True, kw_only=True):
    """All decisions of a table, and its hands. *differences* has all that fails, decks included."""

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
    """Decide again all of *events*, the stream of a table from its first event on.

    *lost_epochs*: the epochs whose seeds are missing. *shuffle* makes a deck of a seed. *fields* returns the values of
    sealed fields, of which only those count that the stream has opened to everybody.
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


def adjudicate_hand(  # noqa: PLR0913  # As `adjudicate`.
    stream_id: bytes,
    events: Iterable[RecordedEvent],
    hand: int,
    *,
    lost_epochs: Collection[str] = NO_LOST_EPOCHS,
    shuffle: Shuffle = deck.shuffle,
    fields: Fields = no_fields,
    before: TableAt | None = None,
) -> HandJudgement:
    """Decide again the hand number *hand* alone; all else as in `adjudicate`.

    *events* come after *before*, which must be before the opening of every deck in use. They include what comes after
    the hand, since a later reveal settles earlier decisions.

    Raises:
        LookupError: there is no such hand, or the stream is broken before it.
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
    except CannotReplay as failure:
        hands.break_off(judge_broken(failure, known))
    for judged in hands.judged(known, running=True):
        return judged
    raise LookupError(f"there is no hand {hand}")


class HandCollector:
    """Collects the hands of a table, with their judgements."""

    def __init__(self) -> None:
        self._settled: list[_Hand] = []
        self._running: _Hand | None = None

    def add(self, steps: Sequence[Step], judgement: Judgement) -> None:
        """Add the next command to its hand, if it is part of one."""
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
        """Add the command from which on the stream cannot be folded."""
        if self._running:
            self._running.decisions.append(judgement)

    def judged(self, known: AuditKnown, *, running: bool = False) -> tuple[HandJudgement, ...]:
        """Return and forget the hands that were settled since the last call; with *running*, the running one too."""
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
            difference=next((one.difference for one in parts if one.difference), None),
        )


def is_in_hand(steps: Sequence[Step]) -> bool:
    """Tell whether the command of *steps* is part of a hand: it began one, or one was running."""
    before, after = steps[0].before, steps[-1].after.state
    return bool(before.hand_is_running) or after.hand != before.hand
