"""Audits a stream that grows. The audit does not repeat a judgement that later events cannot change."""

# DECISIONS 101

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs

from service import deck
from service.audit.checks.conservation import ConservationCheck
from service.audit.checks.decisions import DecisionCheck
from service.audit.checks.deck_checks import DeckCheck
from service.audit.checks.seed_checks import SeedCheck
from service.audit.findings import Finding
from service.audit.judging.adjudicate import HandCollector
from service.audit.judging.audit_known import NO_LOST_EPOCHS, AuditKnown, Fields, no_fields
from service.audit.judging.disclosures import Disclosures
from service.audit.judging.signatures import Heads
from service.audit.table_audit import Check
from service.audit.verdicts import Verdict, worst
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.tables.fold import TableAt, table_id
from service.tables.replay import CannotReplay, commands

_WITH_STATE: Final = (
    AuditKnown,
    ConservationCheck,
    DeckCheck,
    DecisionCheck,
    HandCollector,
    Heads,
    SeedCheck,
)
"""The classes whose objects change with each event: the checks, and some of their parts.

Besides objects of these classes, `_copied` copies only containers, and Structs that are not frozen.
"""

_FOR_GOOD: Final = frozenset({Verdict.CLEAN, Verdict.UNDECIDABLE})


class Judged(Struct, frozen=True):
    """The *verdict* on a stream, and the *findings* about failed checks."""

    verdict: Verdict
    findings: tuple[Finding, ...]


class GrowingAudit:
    """Audits the rules, decks and balances of the stream *stream_id*, again and again while it grows.

    A command is judged for good if another command follows, if no check up to this command has failed, and if no check
    up to this command still waits for a deck or for a value. Later events can't change such a verdict. The audit keeps
    the table and the checks as they are after the last command that is judged for good, and judges only later commands
    again. If a value is erased after its command was judged for good, the verdict stays.
    """

    def __init__(self, stream_id: bytes, shuffle: Shuffle = deck.shuffle) -> None:
        self.position = 0
        self.disclosures: Final = Disclosures()
        self._stream_id = stream_id
        self._table_at: TableAt | None = None
        self._read = 0
        self._verdict = Verdict.CLEAN
        self._fields: Fields = no_fields
        table = table_id(stream_id)
        rules = DecisionCheck(table, self.disclosures, NO_LOST_EPOCHS, shuffle, self._values_of)
        self._checks: tuple[Check, ...] = (
            rules,
            DeckCheck(table, self.disclosures, rules.known, {}),
            SeedCheck(table),
            ConservationCheck(table),
        )

    def read(self, recorded: Sequence[RecordedEvent]) -> None:
        """Add the new events of *recorded* to `disclosures`."""
        for one in recorded:
            if one.position > self._read:
                self.disclosures.add(one)
                self._read = one.position

    def audit(self, recorded: Sequence[RecordedEvent], fields: Fields, *, missing_at: int = 0) -> Judged:
        """Return the verdict on the stream up to the last event of *recorded*.

        *recorded* has the events after `position`; `read` must have been called for these events. *fields* returns the
        values of their sealed fields. *missing_at*: the position of the first event with a public value that is not
        available yet; 0: no value is missing. If the call judges commands for good, it increases `position`.
        """
        self._fields = fields
        _rules(self._checks).known.forget_unproven()
        ahead = _copied(self._checks, [(self.disclosures, self.disclosures)])
        rules, verdict, found = _rules(ahead), self._verdict, list[Finding]()
        settled, last, is_settled = self.position, self.position, True
        try:
            for steps in commands(self._stream_id, recorded, self._table_at):
                settled = last if is_settled else settled
                rules.verdict = Verdict.CLEAN
                for check in ahead:
                    found += check.check_command(steps)
                verdict = worst((verdict, rules.verdict))
                is_settled = is_settled and not found and rules.verdict in _FOR_GOOD
                last = steps[-1].recorded.position
                is_settled = is_settled and not 0 < missing_at <= last
            for check in ahead:
                found += check.check_end()
        except CannotReplay as failure:
            found += rules.break_off(failure)
        self._settle([one for one in recorded if one.position <= settled])
        failed = tuple(one for one in found if one.verdict is Verdict.FAILED)
        return Judged(worst((verdict, rules.verdict, *(one.verdict for one in found))), failed)

    def _values_of(self, recorded: RecordedEvent) -> Mapping[str, Any]:
        return self._fields(recorded)

    def _settle(self, recorded: Sequence[RecordedEvent]) -> None:
        """Judge *recorded* for good."""
        rules = _rules(self._checks)
        for steps in commands(self._stream_id, recorded, self._table_at):
            rules.verdict = Verdict.CLEAN
            for check in self._checks:
                list(check.check_command(steps))
            self._verdict = worst((self._verdict, rules.verdict))
            self._table_at = steps[-1].after
            self.position = steps[-1].recorded.position


def _rules(checks: Sequence[Check]) -> DecisionCheck:
    found = checks[0]
    assert isinstance(found, DecisionCheck)  # noqa: S101  # mypy can't infer this.
    return found


def _copied(value: Any, made: list[tuple[object, Any]]) -> Any:  # noqa: ANN401 -- any object of a check
    """Return a copy of *value* whose changes do not change *value*; objects that never change are not copied.

    *made* pairs each copied object of a class in `_WITH_STATE` with its copy, so that checks that share an object share
    its copy. An object that *made* pairs with itself is not copied.
    """
    for old, new in made:
        if old is value:
            return new
    match value:
        case dict():
            return type(value)((key, _copied(one, made)) for key, one in value.items())
        case list() | tuple() if type(value) in {list, tuple}:
            return type(value)(_copied(one, made) for one in value)
        case set():
            return set(value)
        case Struct() if not value.__struct_config__.frozen:
            return structs.replace(
                value, **{name: _copied(getattr(value, name), made) for name in value.__struct_fields__}
            )
        case _ if isinstance(value, _WITH_STATE):
            new = copy.copy(value)
            made.append((value, new))
            for name, one in vars(value).items():
                setattr(new, name, _copied(one, made))
            return new
        case _:
            return value
