"""Audits a stream that is not in the database, but in an import or a dossier (DECISIONS 69)."""

from collections.abc import Sequence

from msgspec import Struct

from service import deck
from service.audit.checks.conservation import ConservationCheck
from service.audit.checks.decisions import DecisionCheck, HandVerdict
from service.audit.checks.deck_checks import DeckCheck
from service.audit.checks.seed_checks import SeedCheck
from service.audit.findings import Finding
from service.audit.judging.audit_known import Fields
from service.audit.judging.disclosures import disclosures_of
from service.audit.table_audit import MOST_FINDINGS, Check
from service.audit.verdicts import Verdict, worst
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.tables.fold import table_id
from service.tables.replay import CannotReplay, commands


class StreamAudit(Struct, frozen=True):
    """The *verdict* on one stream, its first MOST_FINDINGS failures (*findings*), and the verdicts on its *hands*."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    hands: tuple[HandVerdict, ...]


def failures(stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields) -> tuple[Finding, ...]:
    """Return the first MOST_FINDINGS failures that `audit` finds.

    After the import is written, `table_audit.audit_table` checks the stored table.
    """
    return audit(stream_id, recorded, fields).findings


def audit(
    stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields, shuffle: Shuffle = deck.shuffle
) -> StreamAudit:
    """Return the audit of the rules, decks and balances of *recorded*, a stream from its first event on."""
    table, disclosures = table_id(stream_id), disclosures_of(recorded)
    rules = DecisionCheck(table, disclosures, (), shuffle, fields)
    checks: tuple[Check, ...] = (
        rules,
        DeckCheck(table, disclosures, rules.known, {}),
        SeedCheck(table),
        ConservationCheck(table),
    )
    found: list[Finding] = []
    try:
        for steps in commands(stream_id, recorded):
            for check in checks:
                found += check.check_command(steps)
        for check in checks:
            found += check.check_end()
    except CannotReplay as failure:
        found += rules.break_off(failure)
    failed = tuple(one for one in found if one.verdict is Verdict.FAILED)
    return StreamAudit(
        worst((rules.verdict, *(one.verdict for one in found))),
        failed[:MOST_FINDINGS],
        tuple(rules.hands({one.position for one in failed})),
    )
