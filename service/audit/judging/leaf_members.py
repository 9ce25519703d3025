"""Compares the members `by`, `cmd` and `priv` of recorded leaves with the members that the leaves must have."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from service.audit import differences
from service.audit.differences import NOTHING, Difference
from service.audit.judging.audit_known import STAYS_SEALED
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Secret
from service.games.game import SERVICE


def difference_of(
    by: str, recorded: Sequence[RecordedEvent], secrets: Mapping[str, Secret], values: Mapping[str, Any]
) -> Difference | None:
    """Return the first difference in `by`, `cmd` or `priv`; *by* is the expected author of the first event."""
    decision, *consequences = recorded
    if decision.by == by and decision.cmd and not (decision.priv or secrets):
        for one in consequences:
            if one.by != SERVICE or one.cmd or one.priv:
                break
        else:
            return None
    return (
        _by_differs(by, recorded)
        or _cmd_differs(recorded)
        or _sealed_differs(secrets, values, decision)
        or sealing_consequence(recorded)
    )


def sealing_consequence(recorded: Sequence[RecordedEvent]) -> Difference | None:
    """Return a difference if a consequence seals a field: only decisions may seal fields."""
    for one in recorded[1:]:
        if one.priv:
            found = ", ".join(sorted(one.priv))
            return Difference(position=one.position, member="priv", expected=NOTHING, found=found)
    return None


def _by_differs(wanted: str, recorded: Sequence[RecordedEvent]) -> Difference | None:
    for one in recorded:
        if one.by != wanted:
            return Difference(position=one.position, member="by", expected=wanted, found=one.by)
        wanted = SERVICE  # All events after the first are consequences.
    return None


def _sealed_differs(
    expected: Mapping[str, Secret], values: Mapping[str, Any], decision: RecordedEvent
) -> Difference | None:
    """Compare the fields that a decision must seal with the recorded fields: readers, conditions and public values."""
    if not expected and not decision.priv:
        return None
    for field in sorted({*expected, *decision.priv}):
        wanted, sealed = expected.get(field), decision.priv.get(field)
        pairs: list[tuple[str, object, object]] = [("", bool(wanted), bool(sealed))]
        if wanted and sealed:
            value = values[field]
            pairs = [(".to", wanted.to, sealed.to), (".until", wanted.until, sealed.until)]
            pairs += [] if value is STAYS_SEALED or isinstance(value, Exception) else [(".value", wanted.value, value)]
        for member, ours, theirs in pairs:
            if _as_json(ours) != _as_json(theirs):
                return Difference(
                    position=decision.position,
                    member=f"priv.{field}{member}",
                    expected=differences.in_words(ours),
                    found=differences.in_words(theirs),
                )
    return None


def _as_json(value: object) -> bytes:
    """Return *value* as JSON, in which `false`, 0 and `null` differ."""
    return msgspec.json.encode(value, order="sorted")


def _cmd_differs(recorded: Sequence[RecordedEvent]) -> Difference | None:
    decision, *consequences = recorded
    if not decision.cmd:
        return Difference(position=decision.position, member="cmd", expected="a command's id", found=NOTHING)
    for one in consequences:
        if one.cmd:
            return Difference(position=one.position, member="cmd", expected=NOTHING, found=one.cmd)
    return None
