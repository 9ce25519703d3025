"""The audit of stored tables of Insurance Hearts finds the changes of an administrator."""

from functools import cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine, delete, insert, select, text

from service.audit.checks.sealed_rows import stored_fields
from service.audit.database_report import Report
from service.audit.findings import Finding
from service.audit.judging.adjudicate import TableJudgement, adjudicate
from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.canonical import canonical
from service.database import schema_check
from service.database.engines import administering, make_engine, reading
from service.event_store.codec import RecordedEvent
from service.event_store.leaf import leaf_hash
from service.event_store.log_tables import events, sealed, streams
from service.projections.rebuild.projection_rebuild import rebuild
from service.tables.fold import table_id
from service.tables.sealed_store import SEED
from tests.audit.forging import ALL_TABLES, CODEC, DROPPINGS, SeededEntropy
from tests.play.hearts import begun, play_on
from tests.play.tables import House

Rows = dict[str, list[dict[str, Any]]]

OVER, LIVE, CANCELLED = (number.to_bytes(16, "big") for number in (1, 2, 3))
"""Three tables: one has a finished game, one is in the middle of its tricks, and one has a cancelled hand."""


@cache
def played() -> Rows:
    """Return every row of a database with three tables, which are played once in each process of the tests."""
    with TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'played.db'}")
        schema_check.migrate(engine)
        house = House(engine, SeededEntropy(5))
        play_on(house, begun(house, 1, target=1).stream_id, Random(1))
        play_on(house, begun(house, 2).stream_id, Random(2), lambda state: sum(state.tricks.values()) == 5)
        play_on(house, begun(house, 3).stream_id, Random(3), lambda state: state.hand == 2, feet={1})
        with reading(engine) as connection:
            rows = {
                table.name: [dict(row) for row in connection.execute(select(table)).mappings()] for table in ALL_TABLES
            }
        engine.dispose()
    return rows


@pytest.fixture
def house(engine: Engine) -> House:
    """Return a service with tables of Insurance Hearts; the database of this service has no triggers."""
    if engine.dialect.name == "sqlite":
        driver = engine.raw_connection()
        driver.cursor().execute("PRAGMA foreign_keys=OFF")
        driver.close()
    with administering(engine) as connection:
        for dropping in connection.execute(text(DROPPINGS[engine.dialect.name])).scalars().all():
            connection.execute(text(dropping))
        for table in ALL_TABLES:
            connection.execute(insert(table), played()[table.name])
    return House(engine)


def report_of(house: House, stream_id: bytes) -> Report:
    return verify(house.engine, house.log, CODEC, stream_id=stream_id)


def events_of(house: House, stream_id: bytes) -> tuple[RecordedEvent, ...]:
    with reading(house.engine) as connection:
        return house.log.reader.read(connection, stream_id)


def judged(house: House, stream_id: bytes) -> TableJudgement:
    with reading(house.engine) as connection:
        fields = partial(stored_fields, connection, house.log, stream_id)
        return adjudicate(stream_id, house.log.reader.read(connection, stream_id), fields=fields)


def position_of(house: House, stream_id: bytes, kind: str) -> int:
    return next(one.position for one in events_of(house, stream_id) if one.type == kind)


def remove(house: House, stream_id: bytes, position: int, field: str) -> None:
    """Delete the sealed value of *field* at *position*, without recording an erasure."""
    columns = sealed.c
    there = (columns.stream_id == stream_id, columns.position == position, columns.field == field)
    with administering(house.engine) as connection:
        assert connection.execute(delete(sealed).where(*there)).rowcount == 1


def alter(house: House, stream_id: bytes, position: int, field: str) -> None:
    """Flip a bit of the sealed value of *field* at *position*."""
    columns = sealed.c
    there = (columns.stream_id == stream_id, columns.position == position, columns.field == field)
    with administering(house.engine) as connection:
        ciphertext = bytearray(connection.execute(select(columns.ciphertext).where(*there)).scalar_one())
        ciphertext[0] ^= 1
        connection.execute(sealed.update().where(*there).values(ciphertext=bytes(ciphertext)))


def found(report: Report) -> list[tuple[int, str, str, Verdict]]:
    return [(one.position, one.check, one.detail, one.verdict) for one in report.findings]


def said(findings: tuple[Finding, ...]) -> str:
    return " ".join(f"{one.expected} {one.found} {one.detail}" for one in findings)


@pytest.mark.walk
def test_the_audit_decides_tables_again_with_the_recorded_results(house: House) -> None:
    for stream_id, verdict in ((OVER, Verdict.CLEAN), (LIVE, Verdict.PENDING), (CANCELLED, Verdict.PENDING)):
        report, judgement = report_of(house, stream_id), judged(house, stream_id)
        assert (report.findings, judgement.verdict, dict(report.tables)) == ((), verdict, {verdict: 1})
        for decision in judgement.decisions:
            if decision.verdict is Verdict.CLEAN:
                assert decision.expected == tuple(one.event for one in decision.recorded)
        rebuild(house.engine, house.log, house.entropy)
        assert report_of(house, stream_id) == report


def test_a_hand_that_was_called_off_is_clean_and_its_sealed_numbers_are_kept(house: House) -> None:
    hand = judged(house, CANCELLED).hands[0]
    assert (hand.verdict, hand.last > 0) == (Verdict.CLEAN, True)
    position = position_of(house, CANCELLED, "slip_written")
    remove(house, CANCELLED, position, "insurance")
    assert judged(house, CANCELLED).hands[0].verdict is Verdict.FAILED
    assert (position, "sealed_value_must_be_kept", "insurance", Verdict.FAILED) in found(report_of(house, CANCELLED))


@pytest.mark.parametrize(
    ("kind", "field"),
    [("slip_written", "insurance"), ("slip_written", "foot"), ("pass_chosen", "cards"), ("bid_written", "bid")],
)
def test_an_opened_value_that_is_missing_is_an_alarm(house: House, kind: str, field: str) -> None:
    position = position_of(house, OVER, kind)
    remove(house, OVER, position, field)
    report, judgement = report_of(house, OVER), judged(house, OVER)
    assert (position, "sealed_value_must_be_kept", field, Verdict.FAILED) in found(report)
    assert dict(report.hands)[Verdict.FAILED] == 1
    assert report.has_failed
    first = next(one for one in judgement.decisions if one.verdict is not Verdict.CLEAN)
    assert (first.position, first.verdict) == (position, Verdict.FAILED)


@pytest.mark.parametrize(("kind", "field"), [("slip_written", "insurance"), ("slip_written", "foot")])
def test_an_altered_value_fails_by_its_name_and_its_neighbour_does_not_fail(
    house: House, kind: str, field: str
) -> None:
    position = position_of(house, OVER, kind)
    alter(house, OVER, position, field)
    report = report_of(house, OVER)
    assert found(report) == [(position, "sealed_value_must_be_committed_to", field, Verdict.FAILED)]
    assert dict(report.hands)[Verdict.FAILED] == 1


def test_two_exchanged_sealed_values_fail_the_audit(house: House) -> None:
    position = position_of(house, OVER, "slip_written")
    columns = sealed.c
    there = (columns.stream_id == OVER, columns.position == position)
    with administering(house.engine) as connection:
        row = dict(connection.execute(select(sealed).where(*there, columns.field == "foot")).mappings().one())
        other = {name: row[name] for name in ("key_id", "nonce", "ciphertext")}
        connection.execute(sealed.update().where(*there, columns.field == "insurance").values(**other))
    assert found(report_of(house, OVER)) == [
        (position, "sealed_value_must_be_committed_to", "insurance", Verdict.FAILED)
    ]


@pytest.mark.parametrize("sealed_instead", [b'{"salt":"00","value":["2c","3c","4c"]}', b'{"salt":1}', b"[]", b"cards"])
def test_a_wrongly_sealed_value_is_found_and_no_card_is_shown(house: House, sealed_instead: bytes) -> None:
    position = position_of(house, LIVE, "pass_chosen")
    with reading(house.engine) as connection:
        kept = house.log.openings(connection, LIVE, house.log.reader.read(connection, LIVE, position - 1, 1))
    remove(house, LIVE, position, "cards")
    with administering(house.engine) as connection:
        house.log.seal_imported_value(connection, LIVE, position, "cards", sealed_instead)
    report = report_of(house, LIVE)
    assert found(report) == [(position, "sealed_value_must_be_committed_to", "cards", Verdict.FAILED)]
    assert not any(card in said(report.findings) for card in ("2c", *kept[0].value))


def test_a_live_table_is_judged_by_public_values_alone(house: House) -> None:
    before = judged(house, LIVE)
    opened = {"foot", "bid"}  # All slips and bids are written, so these fields are open.
    with reading(house.engine) as connection:
        recorded = house.log.reader.read(connection, LIVE)

        def opened_ones(one: RecordedEvent) -> dict[str, Any]:
            found = stored_fields(connection, house.log, LIVE, one)
            return {field: value for field, value in found.items() if field in opened}

        assert adjudicate(LIVE, recorded, fields=opened_ones) == before


def test_a_rewritten_hand_is_an_alarm_even_without_its_sealed_values(house: House) -> None:
    # Slips, passes and bids get other commitments, the hash chain is made valid, and the sealed values are deleted.
    last = next(one.position for one in events_of(house, OVER) if one.type == "hand_scored")
    prev = "0" * 64
    with administering(house.engine) as connection:
        for one in house.log.reader.read(connection, OVER):
            found = msgspec.json.decode(one.leaf)
            for kept in found.get("priv", {}).values() if one.position <= last else ():
                kept["c"] = sha256(kept["c"].encode()).hexdigest()
            data = canonical({**found, "prev": prev})
            there = (events.c.stream_id == OVER, events.c.position == one.position)
            connection.execute(events.update().where(*there).values(leaf=data))
            prev = leaf_hash(data).hex()
        connection.execute(streams.update().where(streams.c.stream_id == OVER).values(head_hash=bytes.fromhex(prev)))
        gone = (sealed.c.stream_id == OVER, sealed.c.position <= last, sealed.c.field != SEED)
        assert connection.execute(delete(sealed).where(*gone)).rowcount > 8
    report = report_of(house, OVER)
    assert report.has_failed
    assert {one.check for one in report.findings} == {"sealed_value_must_be_kept"}
    assert dict(report.hands)[Verdict.FAILED] == 1
    assert judged(house, OVER).hands[0].verdict is Verdict.FAILED


def test_a_value_that_is_not_open_yet_must_be_stored(house: House) -> None:
    position = position_of(house, LIVE, "pass_chosen")
    remove(house, LIVE, position, "cards")
    decision = next(one for one in judged(house, LIVE).decisions if one.position == position)
    assert decision.verdict is Verdict.FAILED
    assert decision.difference is not None
    assert (decision.difference.member, decision.difference.found) == ("priv.cards", "missing, or altered")


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(chosen, id=str(chosen), marks=() if len(set(chosen)) == 1 else pytest.mark.full)
        for chosen in product((False, True), repeat=3)
    ],
)
def test_a_table_with_any_of_the_rules_is_clean_in_a_database(chosen: tuple[bool, ...], tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'played.db'}")
    schema_check.migrate(engine)
    house = House(engine, SeededEntropy(9))
    options = dict(zip(("insurance", "bidding", "foot"), chosen, strict=True))
    table = begun(house, 1, **options, target=60)
    play_on(house, table.stream_id, Random(4), feet={2})
    report = report_of(house, table.stream_id)
    assert (report.findings, dict(report.tables), set(report.hands)) == ((), {Verdict.CLEAN: 1}, {Verdict.CLEAN})
    recorded = [event for one in judged(house, table.stream_id).decisions for event in one.expected]
    assert recorded == [one.event for one in events_of(house, table.stream_id)]
    engine.dispose()


def test_the_report_names_why_a_table_is_pending(house: House) -> None:
    with reading(house.engine) as connection:
        recorded = house.log.reader.read(connection, LIVE)
    open_now = {"foot", "bid"}  # the score will open `insurance`, and the revealed deck `cards`
    reasons = {one.table: one for one in verify(house.engine, house.log, CODEC).pending}
    live = reasons[table_id(LIVE)]
    assert table_id(OVER) not in reasons
    assert live.decks == tuple(f"{table_id(LIVE)}/{k}" for k in (2, 3)), "the draw's is revealed"
    assert {(one.position, one.field) for one in live.fields} == {
        (one.position, field) for one in recorded for field in one.priv if field not in open_now
    }
    assert {one.field for one in live.fields} == {"insurance", "cards"}
    assert "'cards' of position" in str(live)
