"""Decides one decision again: the rules must return exactly the recorded events (DECISIONS 49)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from msgspec import Struct

from service.audit import differences
from service.audit.differences import NOTHING, Difference
from service.audit.judging import leaf_members, signatures
from service.audit.judging.audit_known import (
    SEALED_OR_ERASED,
    AuditKnown,
    Erased,
    Lost,
    NotYetOpen,
    open_value,
)
from service.audit.verdicts import Verdict, worst
from service.event_store.codec import RecordedEvent
from service.games.common_commands import OpenTable
from service.games.common_events import SHOWING_EVENTS, ValueErased, shown_faces
from service.games.definition import Game
from service.games.game import HOST, SERVICE, Command, Event, Refusal
from service.games.seating import author
from service.ledger import Entries
from service.tables import sealed_fields
from service.tables.fold import ApplyEvent, Step
from service.tables.replay import CannotReplay


class Judgement(Struct, frozen=True, kw_only=True, gc=False):
    """The judgement of the decision at *position*.

    *recorded*: the decision and its consequences in the log. *expected*: the events that the rules return; empty if the
    rules refuse or cannot decide the decision, or if the decision was not decided again. *difference* is None unless
    the verdict is FAILED.
    """

    position: int
    verdict: Verdict
    recorded: tuple[RecordedEvent, ...]
    expected: tuple[Event, ...] = ()
    difference: Difference | None = None

    @property
    def last(self) -> int:
        """The position of the decision's last consequence, or of the decision if it has no consequences."""
        return self.recorded[-1].position


class _Redecision(Struct, frozen=True, gc=False):
    """The result of deciding again: the *expected* events, and the first *difference* from the recorded events.

    The result is clean only if *verdict* is CLEAN and *difference* is None.
    """

    expected: tuple[Event, ...] = ()
    verdict: Verdict = Verdict.CLEAN
    difference: Difference | None = None

    @property
    def is_clean(self) -> bool:
        return self.verdict is Verdict.CLEAN and self.difference is None

    @property
    def is_open(self) -> bool:
        return self.verdict is Verdict.CLEAN


def judge(steps: Sequence[Step], known: AuditKnown) -> Judgement:
    """Decide the first event of *steps* again; the other events are its consequences."""
    recorded = tuple([step.recorded for step in steps])
    again = _decide_again(steps[0].after.game, steps[0].before, recorded, known, RecordedFold(steps))
    known.remember(recorded[0])
    unsigned = signatures.difference_of(steps, known.heads)
    known.heads.add(steps)
    running_since = steps[0].after.hand_first if steps[0].before.hand_is_running else 0
    if again.is_clean and not known.asked and not unsigned and not isinstance(recorded[0].event, ValueErased):
        return Judgement(
            position=recorded[0].position, verdict=again.verdict, recorded=recorded, expected=again.expected
        )
    proofs = [known.proof(epoch) for epoch in sorted(known.asked)]
    differences_ = (
        known.erased_too_soon(recorded[0], running_since),
        again.difference,
        unsigned,
        None if again.is_open else _left_undecided(steps),
        *(p.difference for p in proofs),
    )
    difference = next((found for found in differences_ if found), None)
    verdict = worst((again.verdict, *(one.verdict for one in proofs)))
    return Judgement(
        position=recorded[0].position,
        verdict=Verdict.FAILED if difference else verdict,
        recorded=recorded,
        expected=again.expected,
        difference=difference,
    )


def judge_broken(failure: CannotReplay, known: AuditKnown) -> Judgement:
    """Judge a command with an event that cannot be folded; an earlier event of the command may be the cause."""
    *_, culprit = recorded = failure.recorded
    again = _Redecision()
    if failure.before:
        again = _decide_again(failure.before.game, failure.before.state, recorded, known, failure.before.game.step)
    difference = again.difference
    if difference is None or difference.position > culprit.position:
        found = f"{culprit.type}, which cannot be folded: {failure.cause!r}"
        difference = Difference(
            position=culprit.position, member="event", expected="an event that can be folded here", found=found
        )
    return Judgement(
        position=recorded[0].position,
        verdict=Verdict.FAILED,
        recorded=recorded,
        expected=again.expected,
        difference=difference,
    )


class RecordedFold:
    """Folds events from the state before *steps*.

    If the next recorded step begins with the same state and has the same event, `RecordedFold` returns the state and
    the entries of that step instead of folding the event. Judging hands is then 1.07 times as fast.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._step = steps[0].after.game.step
        self._left = iter(steps)

    def __call__(self, state: Any, event: Event) -> tuple[Any, Entries]:  # noqa: ANN401 -- each game has its own class for states
        """Return the state after *event*, and the entries of the event's transfers."""
        step = next(self._left, None)
        if step is not None and step.before is state and step.recorded.event == event:
            return step.after.state, step.entries
        return self._step(state, event)


def _decide_again(
    game: Game,
    before: Any,  # noqa: ANN401 -- each game has its own class for states
    recorded: tuple[RecordedEvent, ...],
    known: AuditKnown,
    step: ApplyEvent,
) -> _Redecision:
    for one in recorded:
        if isinstance(one.event, SHOWING_EVENTS):
            for card in shown_faces(one.event):
                known.show(card)
    known.forget_asked()
    first = recorded[0]
    if limit := _limit_differs(before, first):
        return _Redecision(difference=limit)
    values = known.values_of(first)
    if values and (lost := _lost(first, values)):
        return _Redecision(verdict=Verdict.UNDECIDABLE, difference=lost)
    try:
        command = game.command_of(cast("Event", first.event), first.by, partial(open_value, values))
        decided = game.decide(before, command, known, step)
    except NotYetOpen:
        late = _is_overdue(recorded[0], known)
        return _Redecision(verdict=Verdict.PENDING, difference=late or leaf_members.sealing_consequence(recorded))
    except Erased:
        return _Redecision(verdict=Verdict.UNDECIDABLE, difference=leaf_members.sealing_consequence(recorded))
    except Refusal as refusal:
        return _Redecision(difference=_must_not_be(recorded[0], f"refused, {refusal}"))
    except Exception as error:  # noqa: BLE001  # An error that a forged event causes is a finding, not a crash.
        return _Redecision(difference=_must_not_be(recorded[0], f"a decision that the rules can decide: {error!r}"))
    expected, secrets = decided.events, sealed_fields.secrets(decided.secrets)
    return _Redecision(
        expected,
        difference=_sheet_differs(game, command)
        or differences.between(expected, recorded)
        or leaf_members.difference_of(_author(command, expected[0]), recorded, secrets, values),
    )


def _limit_differs(before: Any, decision: RecordedEvent) -> Difference | None:  # noqa: ANN401 -- each game has its own class for states
    """Return a difference if *decision* names the time limit as its cause, but the table has no time limit (G.3)."""
    if decision.by != SERVICE or before.time_limit_seconds or getattr(decision.event, "called", "") != "limit":
        return None
    host, limit = map(differences.in_words, ("host", "limit"))
    return Difference(position=decision.position, member="called", expected=host, found=limit)


def _lost(decision: RecordedEvent, values: Mapping[str, Any]) -> Difference | None:
    """Return a difference if a sealed value of *decision* is missing or altered, and no erasure is recorded."""
    for field, value in sorted(values.items()):
        if isinstance(value, Lost):
            return Difference(
                position=decision.position,
                member=f"priv.{field}",
                expected=SEALED_OR_ERASED,
                found="missing, or altered",
            )
    return None


def _is_overdue(decision: RecordedEvent, known: AuditKnown) -> Difference | None:
    """Return a difference if a sealed field of *decision* is overdue: the decision would stay pending forever."""
    field = known.overdue(decision)
    if not field:
        return None
    found = differences.in_words(decision.priv[field].until)
    expected = "made public, or closed for good, by the end of the hand"
    return Difference(position=decision.position, member=f"priv.{field}.until", expected=expected, found=found)


def _left_undecided(steps: Sequence[Step]) -> Difference | None:
    """Return a difference if the game goes on but nobody is due: some consequences of the last decision are missing."""
    after = steps[-1].after
    if after.state.status != "playing" or after.game.due(after.state):
        return None
    last = steps[-1].recorded
    return Difference(
        position=last.position + 1, member="event", expected=f"a consequence after {last.type}", found=NOTHING
    )


def _must_not_be(decision: RecordedEvent, expected: str) -> Difference:
    return Difference(position=decision.position, member="decision", expected=expected, found=decision.type)


def _author(command: Command, decision: Event) -> str:
    return HOST if isinstance(command, OpenTable) else author(command, decision)


def _sheet_differs(game: Game, command: Command) -> Difference | None:
    """Return a difference if an opened table names another rule sheet than its game's edition has (G.2)."""
    if not isinstance(command, OpenTable) or command.sheet == game.sheet.sha256:
        return None
    return Difference(position=1, member="sheet", expected=game.sheet.sha256, found=command.sheet)
