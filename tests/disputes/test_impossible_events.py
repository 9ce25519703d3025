"""A forger adds an event about a dispute that was never opened: `verify` names its position, and no reader crashes."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from service.database.engines import administering, reading
from service.disputes import dispute_commands
from service.disputes.disputes_table import disputes
from service.event_store.entries import UncommittedEvent
from service.event_store.log_tables import events, sealed
from service.event_store.quarantine import StreamCorrupted
from service.play.dispute_desk import AUDITOR
from tests.disputes.disputed import Copy
from tests.http.service import refused

KINDS = ("dispute_taken", "dispute_value_erased", "verdict_changed")
WHY = "the rules can't apply the event there"


def forged(copy: Copy, kind: str) -> int:
    """Append an event of the type *kind* about a dispute that was never opened; return its position."""
    stored, parts = copy.stored(), copy.service.parts
    one = next(one for one in stored.recorded if one.type == kind)
    event = replace(one.event, dispute=9)
    log = parts.desk.log
    entry = log.entry(copy.disputes, stored.head, [UncommittedEvent(event, one.by, f"{9:032x}" if one.cmd else "")])
    with administering(parts.engine) as connection:
        log.write(connection, entry, log.generation.number)
    copy.service.keep_log()
    log.generation.end()
    return stored.head.position + 1


@pytest.mark.parametrize("step", KINDS)
def test_verify_ends_with_a_finding_at_the_forged_event(copy: Copy, step: str) -> None:
    position = forged(copy, step)
    assert ("dispute_must_be_open", copy.place, position) in copy.found()
    said = copy.instance.run("verify")
    assert (said.code, said.err) == (3, "")
    assert f"{copy.place} position {position}: dispute_must_be_open" in said.out


@pytest.mark.parametrize("step", KINDS)
def test_requests_about_disputes_with_an_impossible_event_get_409_and_its_position(copy: Copy, step: str) -> None:
    position, table = forged(copy, step), f"/v1/tables/{copy.known.table}"
    with pytest.raises(StreamCorrupted) as error:
        copy.do(copy.known.auditor, AUDITOR, dispute_commands.TakeDispute(), 1)
    assert (error.value.stream_id, error.value.position, error.value.why) == (copy.disputes, position, WHY)
    auditor = copy.service.person("audit")
    detail = f"{WHY.capitalize()}. The stream is dispute/{copy.place}."
    for path in ("disputes/1", "balances", "dossier", "hands/1/dossier"):
        answer = refused(auditor.get(f"{table}/{path}"), 409, "table_must_be_intact")
        assert (answer["position"], answer["detail"]) == (position, detail)


@pytest.mark.parametrize("step", KINDS)
def test_a_command_names_the_impossible_event_and_records_nothing(copy: Copy, step: str) -> None:
    position, table, output = forged(copy, step), copy.known.table, copy.instance.data / "dossier.zip"
    where, before = f"at position {position}: {WHY}", rows(copy)
    for arguments in (
        ("disputes", "show", table, "1"),
        ("disputes", "return", table, "1"),
        ("dossier", table, "--output", str(output)),
        ("rebuild",),
        ("erase", copy.place, "1", "statement"),
    ):
        said = copy.instance.run(*arguments)
        assert (said.code, where in said.out + said.err) == (1, True), arguments
    assert rows(copy) == before
    assert not output.exists()


def rows(copy: Copy) -> Sequence[Any]:
    """Return all rows of events, of sealed values, and of the list of disputes."""
    with reading(copy.service.parts.engine) as connection:
        return [connection.execute(select(table)).all() for table in (events, sealed, disputes)]
