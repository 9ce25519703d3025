"""A stream that is not in the database yet: audited before anything of it is written."""

from collections.abc import Sequence

from service import deck
from service.audit.checks.conservation import Balances
from service.audit.checks.deck_checks import Decks
from service.audit.checks.rules import Rules
from service.audit.findings import Finding
from service.audit.judging.chance import chance
from service.audit.judging.known import Fields
from service.audit.one_table import MOST_FINDINGS, Check
from service.audit.verdicts import Verdict
from service.event_store.codec import RecordedEvent
from service.tables.fold import table_id
from service.tables.replay import CannotFollow, commands


def findings(stream_id: bytes, recorded: Sequence[RecordedEvent], fields: Fields) -> tuple[Finding, ...]:
    """Return what fails of *recorded*, a table's stream from its first event on: by rules, decks and balances.

    What the database adds to a stream, `integrity.inspect` checks where it stands.
    """
    table, told = table_id(stream_id), chance(recorded)
    rules = Rules(table, told, (), deck.shuffle, fields)
    checks: tuple[Check, ...] = (rules, Decks(table, told, rules.known, {}), Balances(table))
    found: list[Finding] = []
    try:
        for steps in commands(stream_id, recorded):
            for check in checks:
                found += check.see(steps)
        for check in checks:
            found += check.end()
    except CannotFollow as failure:
        found += rules.break_off(failure)
    return tuple(one for one in found if one.verdict is Verdict.FAILED)[:MOST_FINDINGS]
