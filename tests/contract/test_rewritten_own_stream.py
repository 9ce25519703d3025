"""The owner of the database rewrites the service's own stream and the keys that it records, and all hashes.

Only earlier signatures show the change: the signer refuses the log, and `verify` names a place in the own stream.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, Table, delete, insert, select

from service.api_keys.key_tables import key_revocations, keys
from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence
from service.canonical import canonical
from service.database.engines import administering, reading
from service.database.metadata import SERVICE_STREAM
from service.entropy import Entropy
from service.event_store.leaf import NO_HASH, leaf_hash
from service.event_store.log_tables import events, streams
from service.secrets.key_check import check_service_key, service_keys
from service.transparency import log_signer, published
from service.transparency.log_signer import TreeMustContinue
from service.transparency.sequencer import Sequencer
from service.transparency.tree_tables import checkpoints, leaf_indexes
from tests.contract.service_logs import IDENTITY, a_key, as_owner, end_key, make_key, service_log
from tests.contract.signed_log import remake
from tests.event_store.streams import KEY

Row = dict[str, Any]
Leaves = list[Row]
OTHER = "ab" * 32
FOUND = "log_must_have_what_was_signed"
OF_RECEIPTS = {"receipt_key_must_be_on_record"}


class OwnStream:
    """The service's own stream, under one checkpoint: keys 1, 2 and 3 at positions 2, 3 and 5; key 2 is ended."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.signer = log_signer.load_or_make(folder / "key", folder / "key.head", Entropy())
        public = self.signer.key.public
        own = service_log(replace(IDENTITY, origin=public.name, log_key=str(public)))
        with administering(engine) as connection:
            check_service_key(connection, KEY)
        make_key(engine, a_key(1), own)
        make_key(engine, a_key(2), own)
        end_key(engine, a_key(2), own)
        make_key(engine, a_key(3), own)
        Sequencer(engine).round()
        published.publish(engine, self.signer)
        as_owner(engine)
        with reading(engine) as connection:
            rows = select(events.c.leaf).where(events.c.stream_id == SERVICE_STREAM).order_by(events.c.position)
            self.leaves: Leaves = [json.loads(bytes(leaf)) for leaf in connection.scalars(rows)]
            self.rows = {
                table: [dict(row) for row in connection.execute(select(table)).mappings()]
                for table in (keys, key_revocations, service_keys, checkpoints)
            }

    def write(self, leaves: Leaves, rows: dict[Table, list[Row]]) -> None:
        """Replace the stream by *leaves* and the tables by *rows*, and compute hashes, indexes and tree again."""
        prev, stored = NO_HASH, list[Row]()
        for position, leaf in enumerate(leaves, start=1):
            data = canonical(leaf | {"position": position, "prev": prev})
            prev = leaf_hash(data).hex()
            stored.append({"stream_id": SERVICE_STREAM, "position": position, "leaf": data, "cmd": None})
        indexes = [
            {"leaf_index": index, "leaf_hash": bytes(32), "stream_id": SERVICE_STREAM, "position": index + 1}
            for index in range(len(leaves))
        ]
        with administering(self.engine) as connection:
            for table in (*reversed(rows), events, leaf_indexes):
                connection.execute(delete(table))
            for table, values in (*rows.items(), (events, stored), (leaf_indexes, indexes)):
                if values:
                    connection.execute(insert(table), values)
            connection.execute(streams.update().values(head=len(leaves), head_hash=bytes.fromhex(prev)))
        remake(self.engine)

    def found(self, *, by_the_signer: bool) -> list[tuple[str, str, int]]:
        known = (("the last checkpoint", self.signer.last()),) if by_the_signer else ()
        receipt_key = self.rows[service_keys][0]["public_key"].hex() if by_the_signer else ""
        report = verify_log(
            self.engine, LogEvidence(key=self.signer.key.public, checkpoints=known, receipt_key=receipt_key)
        )
        return [(one.check, one.table, one.position) for one in report.findings]


Rows = dict[Table, list[Row]]
Rewriting = Callable[[Leaves, Rows], object]


def _key(number: int, **members: Any) -> Rewriting:  # noqa: ANN401 -- the values of a row
    """Return the rewriting that changes *members* of a key, in its event and in its row."""

    def rewrite(leaves: Leaves, rows: Rows) -> None:
        pub = next(one["pub"] for one in leaves if one["pub"].get("key") == f"key_{number:032x}")
        row = next(one for one in rows[keys] if one["key_id"] == a_key(number).key_id)
        for name, value in members.items():
            pub[name] = value.split() if name == "scopes" else value
            row[name] = bytes.fromhex(value) if name == "secret_hash" else value

    return rewrite


def _without(position: int) -> Rewriting:
    """Return the rewriting that removes an event, and the row that the event records."""

    def rewrite(leaves: Leaves, rows: Rows) -> None:
        leaf = leaves.pop(position - 1)
        table = keys if leaf["type"] == "key_made" else key_revocations
        rows[table] = [one for one in rows[table] if f"key_{one['key_id'].hex()}" != leaf["pub"]["key"]]

    return rewrite


def _added(leaves: Leaves, rows: Rows) -> None:
    leaf = json.loads(json.dumps(leaves[1]))
    leaf["pub"].update(key=f"key_{9:032x}", scopes=["admin"])
    leaves.insert(2, leaf)
    rows[keys].append({**rows[keys][0], "key_id": a_key(9).key_id, "scopes": "admin"})


def _receipt_key(leaves: Leaves, rows: Rows) -> None:
    leaves[0]["pub"]["receipt_key"] = OTHER
    rows[service_keys][0]["public_key"] = bytes.fromhex(OTHER)


def _release(leaves: Leaves, _rows: Rows) -> None:
    leaves[0]["pub"]["release"] = "9.9"


def _time(leaves: Leaves, _rows: Rows) -> None:
    leaves[1]["at"] = "2030-01-01T00:00:00.000Z"


REWRITINGS: dict[str, Rewriting] = {
    "a scope raised": _key(1, scopes="admin"),
    "a secret swapped": _key(1, secret_hash=OTHER),
    "an owner changed": _key(1, owner="own_mine"),
    "a maker changed": _key(1, made_by="own_mine"),
    "a key removed": _without(2),
    "the last key cut off": _without(5),
    "a key that was ended revived": _without(4),
    "a key added": _added,
    "the key for receipts replaced": _receipt_key,
    "another release": _release,
    "another time": _time,
}


@pytest.fixture
def own(storage: Engine, tmp_path: Path) -> OwnStream:
    return OwnStream(storage, tmp_path)


def test_each_rewriting_of_the_own_stream_is_found_by_signatures_and_by_nothing_else(own: OwnStream) -> None:
    assert own.found(by_the_signer=True) == []
    for what, rewrite in REWRITINGS.items():
        leaves: Leaves = json.loads(json.dumps(own.leaves))
        rows = {table: [dict(row) for row in each] for table, each in own.rows.items()}
        rewrite(leaves, rows)
        rows[checkpoints] = []
        own.write(leaves, rows)
        assert own.found(by_the_signer=False) == [], what
        named = own.found(by_the_signer=True)
        assert {(table, position > 0) for _, table, position in named} == {("service/log", True)}, what
        found = {check for check, *_ in named}
        assert FOUND in found, what
        assert found - {FOUND} == (OF_RECEIPTS if "for receipts" in what else set()), what
        with pytest.raises(TreeMustContinue):
            published.publish(own.engine, own.signer)
    own.write(own.leaves, own.rows)
    assert own.found(by_the_signer=True) == []
