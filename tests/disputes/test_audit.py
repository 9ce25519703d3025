"""The audit decides disputes again: it finds each forged step, and shows a failed hand whatever the outcome says."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, insert, select, update

from service.audit.disputes.dispute_audit import unbalanced
from service.audit.disputes.step_check import steps_findings
from service.audit.disputes.table_history import TableHistory
from service.audit.judging.adjudicate import adjudicate_hand
from service.audit.verdicts import Verdict
from service.database.engines import administering, reading
from service.disputes.dispute_events import DISPUTE_EVENTS, MachineVerdict, Party
from service.disputes.dispute_state import NO_DISPUTES, Account
from service.disputes.disputes_table import disputes
from service.event_store.codec import RecordedEvent
from service.event_store.log_tables import sealed
from tests.damage import alter, flipped
from tests.disputes.disputed import Copy

Recorded: TypeAlias = tuple[RecordedEvent, ...]
OTHER = f"own_{99:032x}"


@pytest.fixture(scope="module")
def history(original: Copy) -> TableHistory:
    return TableHistory(original.stream, of_table(original), lambda _: {})  # The game seals nothing but decks.


def test_every_kind_of_step_is_decided_again(original: Copy) -> None:
    report = original.verified()
    assert {one.type for one in original.stored().recorded} == DISPUTE_EVENTS.keys()
    assert (report.findings, report.failed_hands, report.has_failed) == ((), (), False)
    assert (report.disputes, report.dispute_events) == ({Verdict.CLEAN: 4}, len(original.stored().recorded))


def test_verify_of_a_table_includes_its_disputes(original: Copy) -> None:
    said = original.instance.run("verify", "--table", original.known.table, "--json")
    report = json.loads(said.out)
    assert said.code == 0
    assert report["disputes"] == {"clean": 4, "pending": 0, "undecidable": 0, "failed": 0}
    assert report["log"]["indexed"] == report["events"] + report["dispute_events"]
    assert "disputes: 4 clean" in original.instance.run("verify").out


def changed(kind: str, **members: Any) -> Callable[[RecordedEvent], RecordedEvent | None]:  # noqa: ANN401 -- of any event
    """Return a forger that changes *members* of the first event of the type *kind*."""
    return lambda one: replace(one, event=replace(one.event, **members)) if one.type == kind else None


def said_by(kind: str, **members: Any) -> Callable[[RecordedEvent], RecordedEvent | None]:  # noqa: ANN401
    """Return a forger that changes *members* of a step outside its event, such as the actor `by`."""
    return lambda one: replace(one, **members) if one.type == kind else None


def of_evidence(kind: str, **members: Any) -> Callable[[RecordedEvent], RecordedEvent | None]:  # noqa: ANN401
    def forge(one: RecordedEvent) -> RecordedEvent | None:
        if one.type != kind:
            return None
        event: Any = one.event
        return replace(one, event=replace(event, evidence=replace(event.evidence, **members)))

    return forge


def of_transfers(kind: str) -> Callable[[RecordedEvent], RecordedEvent | None]:
    def forge(one: RecordedEvent) -> RecordedEvent | None:
        if one.type != kind:
            return None
        event: Any = one.event
        return replace(one, event=replace(event, transfers=(replace(event.transfers[0], amount=99),)))

    return forge


def shown_to_others(one: RecordedEvent) -> RecordedEvent | None:
    if "statement" not in one.priv:
        return None
    return replace(one, priv={"statement": replace(one.priv["statement"], to=(1,))})


ALLOWED, DECIDED = "dispute_step_must_be_allowed", "dispute_step_must_be_as_decided"
BY = "dispute_step_must_be_by_its_role"
VERDICT = "machine_verdict_must_be_possible"
OTHER_HEAD = {"leaf_hash": "ab" * 32}
OPENED, TAKEN, CLOSED = "dispute_opened", "dispute_taken", "dispute_decided"
ERASED, APPROVED, CHANGE = "dispute_value_erased", "correction_approved", "verdict_changed"
FORGERIES = {
    "other parties": (changed(OPENED, parties=(Party(seat=1, player=OTHER),)), DECIDED, "parties"),
    "another host": (changed(OPENED, host=OTHER), DECIDED, "host"),
    "a number left out": (changed(OPENED, dispute=7), DECIDED, "dispute"),
    "another table": (changed(OPENED, table=f"tbl_{9:032x}"), DECIDED, "table"),
    "other events of the hand": (of_evidence(OPENED, first=1), DECIDED, "evidence"),
    "another head": (of_evidence(OPENED, **OTHER_HEAD), DECIDED, "evidence"),
    "another head when decided": (of_evidence(CLOSED, **OTHER_HEAD), DECIDED, "evidence"),
    "a hand that is not there": (changed(OPENED, hand=99), ALLOWED, "disputed_hand_must_exist"),
    "an owner who did not play": (changed(OPENED, owner=OTHER), ALLOWED, "complainant_must_be_party"),
    "a dispute to follow": (changed(OPENED, follows=3), ALLOWED, "followed_dispute_must_be_corrected"),
    "an auditor who did not take it": (changed(CLOSED, owner=OTHER), ALLOWED, "auditor_must_have_taken"),
    "a rule of no game": (changed(CLOSED, rule="Z.9"), ALLOWED, "rule_must_be_the_games"),
    "a contradiction": (changed(CLOSED, contradicts=True), ALLOWED, "contradiction_must_be_declared"),
    "another amount": (of_transfers(APPROVED), DECIDED, "transfers"),
    "another proposal": (changed(APPROVED, proposal=2), ALLOWED, "correction_must_be_proposed"),
    "nothing erased": (changed(ERASED, position=1, field="reason"), ALLOWED, "dispute_value_must_be_sealed"),
    "a position within a command": (changed(TAKEN, table_position=7), "disputed_position_must_exist", ""),
    "a position to come": (changed(TAKEN, table_position=9_999), "disputed_position_must_exist", ""),
    "an answer by the auditor": (said_by("dispute_answered", by="auditor"), BY, ""),
    "an approval by the auditor": (said_by(APPROVED, by="auditor"), BY, ""),
    "an approval by nobody": (changed(APPROVED, owner=""), BY, ""),
    "an erasure by a player": (said_by(ERASED, by="player"), BY, ""),
    "an erasure about no dispute": (changed(ERASED, dispute=9), "dispute_must_be_open", ""),
    "a change about no dispute": (changed(CHANGE, dispute=9), "dispute_must_be_open", ""),
    "no command": (said_by(TAKEN, cmd=""), "dispute_step_must_have_a_command", ""),
    "a verdict too early": (of_evidence(OPENED, verdict="clean"), VERDICT, "hand 3"),
    "a verdict too late": (of_evidence(CLOSED, verdict="pending"), ALLOWED, "decks_must_be_revealed"),
    "a change of other events": (of_evidence(CHANGE, first=1), "dispute_evidence_must_be_the_tables", ""),
    "a change by the host": (said_by(CHANGE, by="host"), BY, ""),
    "fewer readers": (shown_to_others, "sealed_text_must_name_its_readers", "statement"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_step_is_found(original: Copy, history: TableHistory, name: str) -> None:
    forge, check, detail = FORGERIES[name]
    recorded = list(original.stored().recorded)
    place, forged = next((place, made) for place, one in enumerate(recorded) if (made := forge(one)))
    found = steps_findings("dsp", history, [*recorded[:place], forged, *recorded[place + 1 :]])
    assert [one for one in found if one.position == place + 1 and check == one.check and one.detail == detail], found


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("dispute_opened", "dispute_must_be_open"),
        ("dispute_taken", "dispute_step_must_be_allowed"),
        ("correction_proposed", "dispute_step_must_be_allowed"),
        ("verdict_changed", "machine_verdict_must_be_possible"),
    ],
)
def test_a_step_that_was_left_out_is_found(original: Copy, history: TableHistory, kind: str, check: str) -> None:
    recorded = original.stored().recorded
    left = next(one for one in recorded if one.type == kind)
    assert check in {one.check for one in steps_findings("dsp", history, [one for one in recorded if one is not left])}


def test_a_change_of_the_verdict_follows_its_own_step(original: Copy, history: TableHistory) -> None:
    recorded = list(original.stored().recorded)
    change = next(one for one in recorded if one.type == "verdict_changed")
    later = [*recorded, replace(change, position=len(recorded) + 1)]
    assert [one.check for one in steps_findings("dsp", history, later)] == ["changed_verdict_must_follow_a_step"]


class Judging(TableHistory):
    """The history of a table, each of whose hands has the verdict `judged` now."""

    judged: MachineVerdict = "clean"

    def verdict(self, position: int, hand: int) -> MachineVerdict:  # noqa: ARG002 -- as the method that it replaces
        return self.judged


def test_a_verdict_that_needs_an_erased_value_is_not_an_alarm(original: Copy) -> None:
    """If all hands are `undecidable` now, each recorded verdict is possible; with any other verdict, some are not."""
    judging = Judging(original.stream, of_table(original), lambda _: {})
    recorded, found = original.stored().recorded, {}
    for verdict in ("clean", "pending", "undecidable", "failed"):
        judging.judged = verdict
        found[verdict] = {one.check for one in steps_findings("dsp", judging, recorded)}
    impossible = {"machine_verdict_must_be_possible"}
    assert found == {"clean": impossible, "pending": impossible, "undecidable": set(), "failed": impossible}


def test_many_positions_need_few_verdicts_and_each_gets_its_own_verdict(original: Copy) -> None:
    """The hand was pending until its deck was revealed; each position gets its own verdict."""
    recorded = of_table(original)
    history = TableHistory(original.stream, recorded, lambda _: {})
    event: Any = next(one.event for one in original.stored().recorded if one.event.hand == 3)  # type: ignore[attr-defined]
    ends = [at for at in history._ends if at >= event.table_position]
    found = [history.verdict(position, 3) for position in ends]
    assert len(history._verdicts) < 2 * len(ends).bit_length() + 3
    assert {found[0], found[-1]} == {"pending", "clean"}
    change = found.index("clean")
    assert found == ["pending"] * change + ["clean"] * (len(ends) - change)
    for position, verdict in ((ends[change - 1], "pending"), (ends[change], "clean")):
        assert adjudicate_hand(original.stream, recorded[:position], 3).verdict.value == verdict


def of_table(copy: Copy) -> Recorded:
    parts = copy.service.parts
    with reading(parts.engine) as connection:
        return parts.log.reader.read(connection, copy.stream)


def test_a_lost_text_without_an_erasure_fails_the_dispute(copy: Copy) -> None:
    position = copy.position("dispute_decided")
    alter(copy.service.parts.engine, str(LOSE), stream_id=copy.disputes, position=position)
    assert copy.found() == [("sealed_value_must_be_kept", copy.place, position)]
    assert copy.verified().disputes == {Verdict.FAILED: 4}
    said = copy.instance.run("verify")
    assert said.code == 3
    assert copy.place in said.out


LOSE = "DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position"


def test_an_altered_or_restored_text_fails_the_dispute(copy: Copy) -> None:
    engine = copy.service.parts.engine
    position, erased = copy.position("dispute_decided"), copy.position("dispute_withdrawn") - 3
    with reading(engine) as connection:
        row = connection.execute(select(sealed).where(sealed.c.stream_id == copy.disputes)).first()
        assert row
    swap = "UPDATE sealed SET ciphertext = :other WHERE stream_id = :stream_id AND position = :position"
    alter(engine, swap, other=bytes(80), stream_id=copy.disputes, position=position)
    with administering(engine) as connection:
        connection.execute(insert(sealed).values(**row._asdict() | {"position": erased}))
    assert copy.found() == [
        ("sealed_value_must_be_committed_to", copy.place, position),
        ("sealed_value_must_be_committed_to", copy.place, erased),
    ]


def test_a_broken_chain_of_disputes_is_found(copy: Copy) -> None:
    engine, second = copy.service.parts.engine, copy.stored().recorded[1]
    change = "UPDATE events SET leaf = :leaf WHERE stream_id = :stream_id AND position = 2"
    alter(engine, change, leaf=flipped(second.leaf), stream_id=copy.disputes)
    assert ("next_leaf_must_name_this_one", copy.place, 2) in copy.found()
    doctor = copy.instance.run("doctor")
    assert f"{copy.place} at position 2" in doctor.out


def test_rows_that_differ_from_the_stream_are_found_and_rebuilt(copy: Copy) -> None:
    engine = copy.service.parts.engine
    assert copy.instance.run("rebuild").out.count("0 rows of the list of disputes were missing or wrong") == 1
    before = rows(copy)
    with administering(engine) as connection:
        connection.execute(update(disputes).where(disputes.c.dispute == 1).values(status="taken"))
        connection.execute(delete(disputes).where(disputes.c.dispute == 2))
        connection.execute(insert(disputes).values(**before[2]._asdict() | {"dispute": 9}))
        connection.execute(insert(disputes).values(**before[2]._asdict() | {"stream_id": bytes(15) + b"x"}))
    found = [one for one in copy.verified().findings if one.check == "disputes_must_equal_a_rebuild"]
    assert [one.detail for one in found] == ["dispute 1", "dispute 2", "dispute 9", ""]
    assert found[0].expected == "status open"
    assert "4 rows of the list of disputes were missing or wrong" in copy.instance.run("rebuild").out
    assert rows(copy) == before
    assert copy.found() == []


def rows(copy: Copy) -> Sequence[Any]:
    with reading(copy.service.parts.engine) as connection:
        return connection.execute(select(disputes).order_by(disputes.c.stream_id, disputes.c.dispute)).all()


def test_disputes_without_their_table_are_found(copy: Copy) -> None:
    engine = copy.service.parts.engine
    other = copy.disputes[:-1] + bytes([copy.disputes[-1] ^ 1])
    with reading(engine) as connection:
        leaf = copy.service.parts.desk.log.reader.read(connection, copy.disputes, limit=1)[0].leaf
    with administering(engine) as connection:
        copy.service.parts.desk.log.create(connection, other)
    alter(engine, "UPDATE streams SET head = 1 WHERE stream_id = :stream_id", stream_id=other)
    add = "INSERT INTO events (stream_id, position, leaf) VALUES (:stream_id, 1, :leaf)"
    alter(engine, add, stream_id=other, leaf=leaf)
    checks = {(one.check, one.table) for one in copy.verified().findings}
    assert checks == {("disputes_must_belong_to_a_table", f"dsp_{other.hex()}")}
    assert copy.verified().has_failed


def test_no_outcome_hides_a_hand_that_fails_now(copy: Copy) -> None:
    """The hand of a corrected dispute is altered: the report shows the failed hand, in words and in JSON."""
    engine = copy.service.parts.engine
    first = next(one for one in copy.stored().state.disputes.values() if one.hand == 1).evidence.first
    with reading(engine) as connection:
        leaf = copy.service.parts.log.reader.read(connection, copy.stream, first, 1)[0].leaf
    change = "UPDATE events SET leaf = :leaf WHERE stream_id = :stream_id AND position = :position"
    alter(engine, change, leaf=flipped(leaf), stream_id=copy.stream, position=first + 1)
    (shown,) = [one for one in copy.verified().failed_hands if one.dispute == 2]
    assert (shown.hand, shown.status, shown.outcome, shown.recorded) == (1, "corrected", "fault", "clean")
    said = copy.instance.run("verify")
    assert "hand 1: dispute 2 (payout) is corrected fault, but the hand fails its audit" in said.out
    listed = json.loads(copy.instance.run("verify", "--json").out)["failed_hands"]
    assert ("failed", 1) in {(one["hand_verdict"], one["hand"]) for one in listed}


def test_adjustments_balance_in_each_unit() -> None:
    balances = {Account("a", "chips"): 5, Account("b", "chips"): -5, Account("a", "points"): 1}
    (found,) = unbalanced("dsp", 3, replace(NO_DISPUTES, balances=balances))
    assert (found.check, found.position, found.found, found.detail) == ("adjustments_must_balance", 3, "1", "points")


def test_disputes_are_recorded_in_the_service_that_recorded_their_table(copy: Copy) -> None:
    claim = "UPDATE streams SET imported_at = :at WHERE stream_id = :stream_id"
    alter(copy.service.parts.engine, claim, at="2026-01-01T00:00:00.000Z", stream_id=copy.disputes)
    assert copy.found() == [("disputes_must_be_recorded_with_the_table", copy.place, 0)]
