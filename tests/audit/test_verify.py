"""The audit of a whole database: its counts and progress; honest games are clean."""

import random
from threading import Event as Flag, Thread

import pytest
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, text

from service.audit import database_report, log_audit
from service.audit.checks.sealed_rows import SealedFieldCheck
from service.audit.database_report import Report
from service.audit.log_audit import NoSuchTable, Workers, verify
from service.audit.pending import Pending
from service.audit.verdicts import Verdict
from service.database.engines import administering, reading, writing
from service.event_store.codec import Codec
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import Secret, UncommittedEvent
from service.event_store.leaf import Until
from service.event_store.store import Log
from service.games import common_commands
from service.games.bankrupt.commands import Resign
from service.secrets.encryption import Sealer
from service.tables.fold import Step, table_id
from tests.audit.forging import CODEC, DROPPINGS, FINISHED, LIVE, Forger, SeededEntropy
from tests.event_store.streams import append_events
from tests.play.tables import HOST, SERVICE_KEY, House, Table, owner, play_on

STREAM = bytes(15) + b"\1"


class Noted(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An event of no game, recorded with a sealed field."""

    number: int


GAMES = [  # seats, buy-in, moves, further options
    (2, 9, 10_000, {}),
    (3, 12, 120, {"show_one_card": True}),
    (5, 9, 150, {"max_dead_rounds": 1}),
    (9, 9, 150, {"max_throw_ins_in_a_row": 0}),
    (17, 9, 150, {}),
]


def of(engine: Engine, house: House) -> Report:
    return verify(engine, house.log, CODEC)


@pytest.mark.parametrize(("seats", "buy_in", "most", "options"), GAMES)
def test_an_honest_game_has_no_findings(
    engine: Engine, seats: int, buy_in: int, most: int, options: dict[str, int]
) -> None:
    house = House(engine, SeededEntropy(seats))
    table = Table(house).started(seats, buy_in=buy_in, **options)
    play_on(table, random.Random(seats), most=most)
    report = of(engine, house)
    assert report.findings == ()
    assert set(report.tables) == {Verdict.CLEAN if table.state.status == "finished" else Verdict.PENDING}
    assert report.events == table.table_at.position
    assert sum(report.hands.values()) == table.state.hand
    assert report.decks == table.state.decks_opened
    assert len(report.pending) == report.tables.get(Verdict.PENDING, 0)


def test_called_times_and_resignations_are_judged_like_other_decisions(engine: Engine) -> None:
    house = House(engine, SeededEntropy(4))
    table = Table(house).started(3, buy_in=100)
    for _ in range(20):
        table.do(HOST, common_commands.CallTime(by=""))
    while table.state.hand_is_running:
        table.do(HOST, common_commands.CallTime(by=""))
    for seat in (1, 2):
        table.do(owner(seat), Resign(by=""))
    with reading(engine) as connection:
        recorded = house.log.reader.read(connection, table.stream_id)
    assert sum(one.by == "service" and bool(one.cmd) for one in recorded) >= 20
    report = of(engine, house)
    assert report.findings == ()
    assert dict(report.tables) == {Verdict.CLEAN: 1}


def test_a_table_closed_before_its_game_is_clean_and_an_open_table_is_pending(engine: Engine) -> None:
    house = House(engine, SeededEntropy(1))
    table = Table(house).seated(2)
    report = of(engine, house)
    assert dict(report.tables) == {Verdict.PENDING: 1}
    name = table_id(table.stream_id)
    assert report.pending == (Pending(table=name, decks=(f"{name}/1",), fields=()),)
    assert str(report.pending[0]) == "deck 1 not revealed yet"
    table.do(HOST, common_commands.CloseTable(by=""))
    report = of(engine, house)
    assert (dict(report.tables), report.pending) == ({Verdict.CLEAN: 1}, ())


def test_an_empty_database_has_no_findings(engine: Engine) -> None:
    report = of(engine, House(engine))
    assert (report.events, report.findings, dict(report.tables), report.has_failed) == (0, (), {}, False)


@pytest.mark.walk
def test_one_table_is_checked_alone(engine: Engine) -> None:
    forger = Forger(engine)
    forger.sql("UPDATE tables SET status = 'open' WHERE stream_id = :id", id=LIVE)
    assert not verify(engine, forger.house.log, CODEC, stream_id=FINISHED).has_failed
    assert verify(engine, forger.house.log, CODEC, stream_id=LIVE).has_failed


def test_a_table_that_does_not_exist_is_not_clean(engine: Engine) -> None:
    with pytest.raises(NoSuchTable):
        verify(engine, House(engine).log, CODEC, stream_id=bytes(16))


def test_the_progress_is_reported_while_somebody_waits(engine: Engine) -> None:
    forger = Forger(engine)
    told: list[tuple[int, int]] = []
    report = verify(engine, forger.house.log, CODEC, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (report.events, report.events)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {report.events}


def test_several_processes_find_the_same_as_one_process(engine: Engine) -> None:
    forger = Forger(engine)
    for stream_id in (FINISHED, LIVE):
        forger.sql("UPDATE transfers SET amount = amount + 1 WHERE stream_id = :id AND position = 3", id=stream_id)
    told: list[tuple[int, int]] = []
    shared = verify(engine, forger.house.log, CODEC, workers=WORKERS, progress=lambda *so_far: told.append(so_far))
    assert shared == forger.verify()
    assert len(shared.findings) == 2
    assert told[-1] == (shared.events, shared.events)


def test_the_end_of_a_process_leaves_no_table_unchecked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    forger = Forger(engine)
    forger.sql("UPDATE transfers SET amount = amount + 1 WHERE stream_id = :id AND position = 3", id=LIVE)
    monkeypatch.setattr(log_audit, "_verify_partition", _leave)
    assert verify(engine, forger.house.log, CODEC, workers=WORKERS) == forger.verify()


WORKERS = Workers(2, SERVICE_KEY, least=1)


def _leave(*_arguments: object) -> None:
    """Check nothing and send nothing, like a process that dies."""


def test_findings_above_the_limit_are_counted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    forger = Forger(engine)
    with administering(engine) as connection:
        moved = connection.execute(text("UPDATE transfers SET amount = amount + 1")).rowcount
    monkeypatch.setattr(database_report, "MOST_FINDINGS", 7)
    report = forger.verify()
    assert len(report.findings) == 7
    assert len(report.findings) + report.left_out == moved


def test_a_hand_has_not_failed_if_only_a_projection_is_wrong(engine: Engine) -> None:
    forger = Forger(engine)
    clean = forger.verify().hands
    forger.sql("UPDATE hands SET last = last + 1 WHERE stream_id = :id AND hand = 2")
    forger.sql("UPDATE transfers SET amount = amount + 1 WHERE stream_id = :id AND position = 17 AND ordinal = 0")
    report = forger.verify()
    assert len(report.findings) == 2
    assert report.has_failed
    assert report.hands == clean


def test_a_hand_with_altered_events_has_failed(engine: Engine) -> None:
    forger = Forger(engine)
    forger.alter(forger.position_of("cards_held"), lambda leaf: leaf.update(at="2026-01-01T00:00:00.001Z"))
    assert forger.verify().hands[Verdict.FAILED] == 1


@pytest.mark.walk
def test_the_audit_sees_a_table_at_one_moment_while_the_game_goes_on(engine: Engine) -> None:
    house = House(engine, SeededEntropy(3))
    games = [Table(house).started(3, buy_in=30)]
    played, enough = Flag(), Flag()

    def write() -> None:
        chance = random.Random(3)
        while not enough.is_set():
            if play_on(games[-1], chance, most=1):
                played.set()
            else:
                games.append(Table(house, len(games) + 1).started(3, buy_in=30))

    writer = Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            played.clear()
            assert played.wait(timeout=30)
            assert of(engine, house).findings == ()
    finally:
        enough.set()
        writer.join()


class Sealed:
    """Three events, each with a sealed field."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.log = Log(Codec({"noted": Noted}), Sealer(SERVICE_KEY), SeededEntropy(1))
        self.erased: dict[FieldPlace, int] = {}
        self.drop_triggers()
        with writing(engine) as connection:
            secret = Secret({"slip": 7}, (1,), Until(open=("noted",), never=()))
            uncommitted_events = [
                UncommittedEvent(Noted(number), "service", secrets={"slip": secret}) for number in range(3)
            ]
            self.recorded = append_events(
                connection, self.log, STREAM, self.log.create(connection, STREAM), uncommitted_events
            )

    def drop_triggers(self) -> None:
        with administering(self.engine) as connection:
            for dropping in connection.execute(text(DROPPINGS[self.engine.dialect.name])).scalars().all():
                connection.execute(text(dropping))

    def change(self, statement: str) -> None:
        with administering(self.engine) as connection:
            assert connection.execute(text(statement), {"other": bytes(64)}).rowcount == 1

    def found(self) -> list[tuple[int, str, str, Verdict]]:
        steps = [Step(one, None, None, ()) for one in self.recorded]  # type: ignore[arg-type]  # The test plays no game.
        with reading(self.engine) as connection:
            findings = list(SealedFieldCheck(connection, self.log, STREAM, self.erased).check_command(steps))
        return [(one.position, one.check, one.detail, one.verdict) for one in findings]


@pytest.fixture
def sealed(engine: Engine) -> Sealed:
    return Sealed(engine)


def test_sealed_fields_that_match_their_commitments_are_clean(sealed: Sealed) -> None:
    assert sealed.found() == []


def test_a_sealed_field_altered_is_found(sealed: Sealed) -> None:
    sealed.change("UPDATE sealed SET ciphertext = :other WHERE position = 2")
    assert sealed.found() == [(2, "sealed_value_must_be_committed_to", "slip", Verdict.FAILED)]


def test_a_commitment_to_another_value_is_found(sealed: Sealed) -> None:
    first, second, third = sealed.recorded
    sealed.recorded = (first, replace(second, priv=third.priv), third)
    assert sealed.found() == [(2, "sealed_value_must_be_committed_to", "slip", Verdict.FAILED)]


def test_a_sealed_field_that_is_missing_is_found(sealed: Sealed) -> None:
    sealed.change("DELETE FROM sealed WHERE position = 2 AND :other = :other")
    assert sealed.found() == [(2, "sealed_value_must_be_kept", "slip", Verdict.FAILED)]


def test_a_missing_sealed_field_with_a_recorded_erasure_is_no_finding(sealed: Sealed) -> None:
    sealed.change("DELETE FROM sealed WHERE position = 2 AND :other = :other")
    sealed.erased = {(2, "slip"): 3}
    assert sealed.found() == []


def test_a_stored_sealed_field_with_a_recorded_erasure_is_found(sealed: Sealed) -> None:
    sealed.erased = {(2, "slip"): 3}
    assert sealed.found() == [(2, "erased_value_must_be_gone", "slip", Verdict.FAILED)]
