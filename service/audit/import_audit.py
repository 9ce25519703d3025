"""Audits a stream that is not in the database: an import before it is written, a witness's copy (DECISIONS 69)."""

from collections.abc import Sequence

from service import deck
from service.audit.checks.conservation import ConservationCheck
from service.audit.checks.decisions import DecisionCheck
from service.audit.checks.deck_checks import DeckCheck
from service.audit.findings import Finding
from service.audit.judging.audit_known import Fields
from service.audit.judging.disclosures import disclosures_of
from service.audit.table_audit import MOST_FINDINGS, Check
from service.audit.verdicts import Verdict, worst
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.tables.fold import table_id
from service.tables.replay import CannotReplay, commands


def failures(stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields) -> tuple[Finding, ...]:
    """Check the rules, decks and balances of *recorded*, the whole stream of a table.

    Return at most MOST_FINDINGS failures. After the import is written, `table_audit.audit_table` checks the stored
    table.
    """
    return judged(stream_id, recorded, fields)[1]


def judged(
    stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields, shuffle: Shuffle = deck.shuffle
) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return the verdict on the rules, decks and balances of *recorded*, the whole stream of a table, and the failures.

    There are at most MOST_FINDINGS failures.
    """
    table, disclosures = table_id(stream_id), disclosures_of(recorded)
    rules = DecisionCheck(table, disclosures, (), shuffle, fields)
    checks: tuple[Check, ...] = (rules, DeckCheck(table, disclosures, rules.known, {}), ConservationCheck(table))
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
    return worst((rules.verdict, *(one.verdict for one in found))), failed[:MOST_FINDINGS]
