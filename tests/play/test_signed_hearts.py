"""A table of Insurance Hearts with signed moves: its signatures stay checkable after erasure, import and a snapshot."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from service.audit.checks.sealed_rows import stored_fields
from service.audit.judging.adjudicate import adjudicate_hand
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.verdicts import Verdict
from service.database.engines import reading
from service.dossier import archive, offline_check, verify
from service.event_store.codec import RecordedEvent
from service.games.common_commands import EraseValue
from service.games.game import SERVICE
from service.play.orders import Order
from service.tables import snapshots
from service.tables.cache import TableCache
from service.tables.fold import fold_stream
from tests.databases import Databases
from tests.dossier import made
from tests.dossier.forged import Leaves, forged
from tests.exchange.exported_tables import exported, import_tables
from tests.http.service import Service, Table, accepted, running
from tests.http.signer import Signer, key_of
from tests.play.hearts import ALL_RULES

SEATS = 4
HANDS = 3


class Signed(NamedTuple):
    """A *table* of *service* at which every player signs, in its third hand; *stream* is the id of its stream."""

    service: Service
    table: Table
    stream: bytes

    @property
    def events(self) -> tuple[RecordedEvent, ...]:
        with reading(self.service.parts.engine) as connection:
            return self.service.parts.log.reader.read(connection, self.stream)


@pytest.fixture(scope="module")
def signed(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signed]:
    with (
        pytest.MonkeyPatch.context() as patch,
        all_databases.migrated("sqlite") as url,
        running(tmp_path_factory.mktemp("signed"), url) as service,
    ):
        patch.setattr(snapshots, "SNAPSHOT_INTERVAL", 40)
        options: dict[str, Any] = {**ALL_RULES, "target": 100}
        table = Table(service, SEATS, game="insurance_hearts", **options).seated()
        for seat, player in table.players.items():
            accepted(Signer(player, table.path, key_of(f"{seat}")).register())
        accepted(table.host.do(table.path, "start_game"))
        made.play(service, table, HANDS, Random(5), made.Manners(signs=True))
        service.keep_log()
        yield Signed(service, table, bytes.fromhex(table.id.removeprefix("tbl_")))


def test_a_hand_is_judged_from_a_snapshot_as_from_the_whole_stream(signed: Signed) -> None:
    parts = signed.service.parts
    cache = TableCache(parts.log)
    with reading(parts.engine) as connection:
        fields = partial(stored_fields, connection, parts.log, signed.stream)
        table_at = cache.current(connection, signed.stream)
        assert table_at
        before = cache.from_snapshot(connection, signed.stream, table_at.hand_first - 1)
        assert before
        assert before.signing.sign_from  # Without `sign_from`, no signature after the snapshot could be checked.
        assert before == fold_stream(signed.stream, signed.events[: before.position])
        for hand in range(1, HANDS + 1):
            whole = adjudicate_hand(signed.stream, signed.events, hand, fields=fields)
            assert adjudicate_stored_hand(connection, parts.log, cache, table_at, hand, fields) == whole
            assert whole.verdict in {Verdict.CLEAN, Verdict.PENDING}
            assert whole.unsigned_seats == ()


def test_export_and_import_keep_signatures_choices_and_blinds(
    signed: Signed, all_databases: Databases, tmp_path: Path
) -> None:
    lines = exported(signed.service.spectator, signed.table)
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as other:
        import_tables(other, lines)
        again = exported(other.spectator, signed.table)
        hand = accepted(other.spectator.get(f"{signed.table.path}/hands/1/adjudication")).json
    assert [leaf_of(line) for line in again] == [leaf_of(line) for line in lines]
    openings = [field for line in again for field in json.loads(line)["fields"]]
    assert openings == [field for line in lines for field in json.loads(line)["fields"]]
    assert openings
    assert all(one["blind"] for one in openings)
    assert (hand["verdict"], hand["unsigned_seats"]) == ("clean", [])


def leaf_of(line: bytes) -> Any:  # noqa: ANN401 -- it is JSON
    return json.loads(line)["leaf"]


def test_the_signature_of_an_erased_choice_stays_checkable_and_the_value_is_gone(signed: Signed) -> None:
    """The dossier of the hand lacks the erased value and passes, and a forged signature in the dossier is refused.

    This test is the last one, because it erases a value of the shared table.
    """
    service, table = signed.service, signed.table
    decision = next(one for one in signed.events if one.type == "bid_written")
    command = EraseValue(by="", position=decision.position, field="bid", ground="request")
    service.parts.play.do(Order(stream_id=signed.stream, caller=SERVICE, key="erase", command=command, reads_all=True))
    service.keep_log()
    seat = int(decision.by.removeprefix("seat:"))
    data = made.dossier(table.players[seat], f"{table.path}/hands/1")
    files = made.files_of(data)
    fields = [json.loads(line).get("field", {}) for line in files[archive.OPENINGS].splitlines()]
    assert {(one["position"], one["field"]) for one in fields if one} & {(decision.position, "bid")} == set()
    leaf = json.loads(files[archive.EVENTS].splitlines()[decision.position - 1])
    assert leaf["priv"]["bid"].keys() >= {"c", "choice"}
    made.must_pass(data)
    assert next(one.text for one in verify.findings(data) if one.step == "moves").endswith("registered")
    assert offline_check.check(data).verdict is Verdict.UNDECIDABLE
    judged = accepted(table.host.get(f"{table.path}/hands/1/adjudication")).json
    assert (judged["verdict"], judged["unsigned_seats"]) == ("undecidable", [])

    def edit(leaves: Leaves) -> None:
        leaves[decision.position - 1]["sig"]["signature"] = "0" * 128

    place = f"position {decision.position}"
    assert made.refusals(forged(data, edit)) == (place, place)
