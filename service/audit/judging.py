"""One decision, decided again: the rules must make of it exactly what was recorded."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from service.audit import differences
from service.audit.differences import NOTHING, Difference
from service.audit.known import AuditKnown, NotYetOpen
from service.audit.verdicts import Verdict, worst
from service.games.commands import OpenTable
from service.games.faces import shown
from service.games.game import HOST, SERVICE, Command, Event, Game, Refusal
from service.games.seating import author
from service.log.codec import Recorded
from service.projections.replay import CannotFollow
from service.projections.situations import Step


class Judgement(Struct, frozen=True, kw_only=True, gc=False):
    """The decision at *position* with its consequences, as *recorded* and as the rules have them.

    *expected* is empty where the rules refuse the decision or cannot say yet. A *difference*
    is there where the verdict is FAILED, and only there.
    """

    position: int
    verdict: Verdict
    recorded: tuple[Recorded, ...]
    expected: tuple[Event, ...] = ()
    difference: Difference | None = None

    @property
    def last(self) -> int:
        """The position of its last consequence."""
        return self.recorded[-1].position


class _Again(Struct, frozen=True, gc=False):
    """What the rules made of a decision: events, or that they cannot say, or why it could not be."""

    expected: tuple[Event, ...] = ()
    is_open: bool = True
    difference: Difference | None = None


def judge(steps: Sequence[Step], known: AuditKnown) -> Judgement:
    """Decide again the decision of *steps*, which are it and what was recorded with it."""
    recorded = tuple(step.recorded for step in steps)
    again = _decided_again(steps[0].after.game, steps[0].before, recorded, known)
    proofs = [known.proof(epoch) for epoch in sorted(known.asked)]
    differences_ = (
        again.difference,
        None if again.is_open else _left_undecided(steps),
        *(p.difference for p in proofs),
    )
    difference = next((found for found in differences_ if found), None)
    verdict = worst((Verdict.CLEAN if again.is_open else Verdict.PENDING, *(one.verdict for one in proofs)))
    return Judgement(
        position=recorded[0].position,
        verdict=Verdict.FAILED if difference else verdict,
        recorded=recorded,
        expected=again.expected,
        difference=difference,
    )


def judge_broken(failure: CannotFollow, known: AuditKnown) -> Judgement:
    """Judge a decision with an event that cannot come where it stands: an earlier one may be why."""
    *_, culprit = recorded = failure.recorded
    again = _Again()
    if failure.before:
        again = _decided_again(failure.before.game, failure.before.state, recorded, known)
    difference = again.difference
    if difference is None or difference.position > culprit.position:
        found = f"{culprit.type}, which cannot: {failure.cause!r}"
        difference = Difference(
            position=culprit.position, member="event", expected="one that can come here", found=found
        )
    return Judgement(
        position=recorded[0].position,
        verdict=Verdict.FAILED,
        recorded=recorded,
        expected=again.expected,
        difference=difference,
    )


def _decided_again(game: Game, before: Any, recorded: tuple[Recorded, ...], known: AuditKnown) -> _Again:  # noqa: ANN401 -- a state is its game's own
    for one in recorded:
        event: Any = one.event
        for card in shown(event):
            known.show(card)
    known.listen()
    decision: Any = recorded[0].event
    try:
        command = game.command_of(decision, recorded[0].by)
        expected = game.decide(before, command, known)
    except NotYetOpen:
        return _Again(is_open=False)
    except Refusal as refusal:
        return _Again(difference=_must_not_be(recorded[0], f"refused, {refusal}"))
    except Exception as error:  # noqa: BLE001  # Whatever a forged event does to the rules is a finding, not a crash.
        return _Again(difference=_must_not_be(recorded[0], f"one that the rules know what to do with: {error!r}"))
    return _Again(
        expected,
        difference=_sheet_differs(game, command)
        or differences.between(expected, recorded)
        or _by_differs(command, expected[0], recorded)
        or _cmd_differs(recorded),
    )


def _left_undecided(steps: Sequence[Step]) -> Difference | None:
    """Find out whether consequences are missing, though nobody can say yet which: then nobody's decision is due."""
    after = steps[-1].after
    if after.state.status != "playing" or after.game.due(after.state):
        return None
    last = steps[-1].recorded
    return Difference(
        position=last.position + 1, member="event", expected=f"what follows from {last.type}", found=NOTHING
    )


def _must_not_be(decision: Recorded, expected: str) -> Difference:
    return Difference(position=decision.position, member="decision", expected=expected, found=decision.type)


def _by_differs(command: Command, decision: Event, recorded: Sequence[Recorded]) -> Difference | None:
    wanted = HOST if isinstance(command, OpenTable) else author(command, decision)
    for one in recorded:
        if one.by != wanted:
            return Difference(position=one.position, member="by", expected=wanted, found=one.by)
        wanted = SERVICE  # All but the first are consequences.
    return None


def _sheet_differs(game: Game, command: Command) -> Difference | None:
    """Compare the sheet that the table pins with that of its game's edition (G.2)."""
    if not isinstance(command, OpenTable) or command.sheet == game.sheet.sha256:
        return None
    return Difference(position=1, member="sheet", expected=game.sheet.sha256, found=command.sheet)


def _cmd_differs(recorded: Sequence[Recorded]) -> Difference | None:
    decision, *consequences = recorded
    if not decision.cmd:
        return Difference(position=decision.position, member="cmd", expected="a command's id", found=NOTHING)
    for one in consequences:
        if one.cmd:
            return Difference(position=one.position, member="cmd", expected=NOTHING, found=one.cmd)
    return None
