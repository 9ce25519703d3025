"""An auditing witness decides disputes again from the entries of the log alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.database.engines import reading
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import Head, stream_name
from service.event_store.leaf import leaf_hash
from service.merkle import GrowingTree
from service.secrets.openings import FieldOpening
from service.witness.auditing.audit_store import AuditStore, NewEntry
from service.witness.auditing.table_judge import TableJudge
from tests.clocks import Clock
from tests.disputes.disputed import CODEC, Copy


class Silent:
    """A service that must not be asked for openings: the game seals no field, and a witness reads no texts."""

    def openings(self, table: str, _after: int, _head: int) -> Mapping[FieldPlace, FieldOpening]:
        raise AssertionError(table)


class Witness(NamedTuple):
    """A witness, which reads the entries of a table and of its disputes that a test adds."""

    store: AuditStore
    judge: TableJudge
    clock: Clock

    def add(self, stream_id: bytes, leaves: Sequence[bytes]) -> None:
        name = stream_name(stream_id)
        entries = [
            NewEntry(name, Head(position, leaf_hash(leaf)), leaf, news=True)
            for position, leaf in enumerate(leaves, start=1)
        ]
        self.store.add(entries, GrowingTree(0, ()))

    def page(self) -> Any:  # noqa: ANN401 -- JSON
        self.judge.look()
        return json.loads(self.judge.page().body)


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    store, clock = AuditStore(tmp_path / "copy", "log"), Clock()
    return Witness(store, TableJudge(Silent(), store, CODEC, clock), clock)


def of_table(copy: Copy) -> list[bytes]:
    parts = copy.service.parts
    with reading(parts.engine) as connection:
        return leaves(parts.log.reader.read(connection, copy.stream))


def leaves(recorded: Sequence[RecordedEvent]) -> list[bytes]:
    return [one.leaf for one in recorded]


def test_disputes_are_clean_without_their_texts(original: Copy, witness: Witness) -> None:
    witness.add(original.stream, of_table(original))
    witness.add(original.disputes, leaves(original.stored().recorded))
    page = witness.page()
    assert page["findings"] == []
    assert sum(page["streams"].values()) == 2
    assert page["streams"].keys() <= {"clean", "pending"}  # A deck of the table may still be in play.


def test_a_step_that_the_rules_refuse_is_found(original: Copy, witness: Witness) -> None:
    known, recorded = original.known, original.stored().recorded
    taken = original.position("dispute_taken")
    forged = leaves(recorded)
    forged[taken - 1] = forged[taken - 1].replace(known.auditor.encode(), known.players[1].encode())
    witness.add(original.stream, of_table(original))
    witness.add(original.disputes, forged)
    assert witness.page()["findings"] == []  # The witness waits a minute for entries that may be missing.
    witness.clock.seconds += 61
    found = witness.page()["findings"]
    assert (found[0]["stream"], found[0]["position"]) == (stream_name(original.disputes), taken)
    assert (found[0]["check"], found[0]["detail"]) == ("dispute_step_must_be_allowed", "auditor_must_not_play")


def test_disputes_wait_for_the_entries_of_their_table(original: Copy, witness: Witness) -> None:
    witness.add(original.disputes, leaves(original.stored().recorded))
    assert witness.page()["findings"] == []
    witness.add(original.stream, of_table(original))
    witness.clock.seconds += 61
    assert witness.page()["findings"] == []


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        (b'"dispute_opened"', b'"dispute_ope"', "leaf_must_be_readable"),
        (b"tbl_", b"tbl_00", "leaf_must_be_readable"),
        (b"{", b"{ ", "leaf_must_be_readable"),
    ],
)
def test_an_entry_that_cannot_be_read_is_found(
    original: Copy, witness: Witness, old: bytes, new: bytes, check: str
) -> None:
    first, *others = leaves(original.stored().recorded)
    witness.add(original.stream, of_table(original))
    witness.add(original.disputes, [first.replace(old, new, 1), *others])
    witness.judge.look()
    witness.clock.seconds += 61
    found = witness.page()["findings"]
    assert [(one["check"], one["position"]) for one in found] == [(check, 1)]


def test_disputes_of_another_table_are_found(original: Copy, witness: Witness) -> None:
    recorded = original.stored().recorded
    other = leaves(recorded)[0].replace(original.known.table.encode(), b"tbl_" + b"12" * 16)
    witness.add(original.stream, of_table(original))
    witness.add(original.disputes, [other])
    witness.judge.look()
    witness.clock.seconds += 61
    assert [one["check"] for one in witness.page()["findings"]] == ["disputes_must_belong_to_a_table"]
