"""Decides every decision of a table again, and gives every hand a verdict."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from service.audit.findings import Finding, of_difference
from service.audit.judging.adjudicate import HandCollector
from service.audit.judging.audit_known import SEALED_OR_ERASED, AuditKnown, Fields
from service.audit.judging.decision import Judgement, judge, judge_broken
from service.audit.judging.disclosures import Disclosures
from service.audit.verdicts import Verdict, worst
from service.deck import Shuffle
from service.tables.fold import Step
from service.tables.replay import CannotReplay


class HandVerdict(Struct, frozen=True, kw_only=True):
    """The verdict on hand number *hand*.

    *first* and *last* are the positions of the hand's first and last events; *last* is 0 if the hand is not settled.
    *unsigned_seats*: the seats that made unsigned decisions in the hand.
    """

    hand: int
    first: int
    last: int
    verdict: Verdict
    unsigned_seats: tuple[int, ...]


class DecisionCheck:
    """Decides the decisions of one table again, and collects the verdicts on the table and on its hands."""

    def __init__(
        self, table: str, disclosures: Disclosures, lost_epochs: Collection[str], shuffle: Shuffle, fields: Fields
    ) -> None:
        self.known = AuditKnown(disclosures, lost_epochs, shuffle, fields)
        self.verdict = Verdict.CLEAN
        self.decisions = 0
        self.signed = 0
        self._table = table
        self._gathered = HandCollector()
        self._hands: list[HandVerdict] = []

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Decide the decision of the next command again."""
        judgement = judge(steps, self.known)
        self.signed += steps[0].recorded.sig is not None
        self._gathered.add(steps, judgement)
        self._settle()
        yield from self._judged(judgement)

    def check_end(self) -> Iterator[Finding]:
        """Include the verdicts on the decks in the table's verdict. `DeckCheck` yields the findings about decks."""
        self.verdict = worst((self.verdict, *(proof.verdict for proof in self.known.proofs())))
        yield from ()

    def break_off(self, failure: CannotReplay) -> Iterator[Finding]:
        """Judge the first command that cannot be folded."""
        judgement = judge_broken(failure, self.known)
        self._gathered.break_off(judgement)
        yield from self._judged(judgement)

    def hands(self, failed: Collection[int]) -> Iterator[HandVerdict]:
        """Yield the verdicts of the hands; *failed* are the positions at which checks failed.

        A hand is FAILED if a check failed at the position of one of its events. A hand that is not settled has all
        events from its first event on.
        """
        self._settle(running=True)
        for hand in self._hands:
            upto = hand.last or max(failed, default=0)
            if any(hand.first <= position <= upto for position in failed):
                yield replace(hand, verdict=Verdict.FAILED)
            else:
                yield hand

    def _settle(self, *, running: bool = False) -> None:
        """Add the verdicts on the hands settled since the last call; with *running*, also on the running hand."""
        for hand in self._gathered.judged(self.known, running=running):
            verdict = HandVerdict(
                hand=hand.hand,
                first=hand.first,
                last=hand.last,
                verdict=hand.verdict,
                unsigned_seats=hand.unsigned_seats,
            )
            self._hands.append(verdict)

    def _judged(self, judgement: Judgement) -> Iterator[Finding]:
        self.decisions += 1
        self.verdict = worst((self.verdict, judgement.verdict))
        difference = judgement.difference
        # `SealedFieldCheck` reports a sealed value that is missing or altered, so this method does not report it.
        is_reported = difference is not None and difference.expected == SEALED_OR_ERASED
        if (
            difference
            and not is_reported
            and not any(difference is self.known.proof(epoch).difference for epoch in self.known.asked)
        ):
            where = f"decision at position {judgement.position}"
            yield of_difference(self._table, "rules_must_make_the_same", difference, where)
