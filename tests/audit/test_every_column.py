"""The audit finds a change in any column of any table, or the column is listed here with the reason."""

import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from sqlalchemy import Executable, LargeBinary, String, Table as SqlTable, and_, delete, select, text, update
from sqlalchemy.sql.sqltypes import Integer

from service.all_tables import metadata
from service.audit import log_audit
from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence, LogReport
from service.database.closing import close_for_good
from service.database.engines import administering, make_engine, reading
from service.entropy import Entropy
from service.event_store.store import Log
from service.secrets import receipts
from service.secrets.encryption import Sealer
from service.secrets.keyring import ServiceKey
from service.tables import snapshots
from tests.audit.forging import CODEC, DROPPINGS
from tests.databases import SQLITE, Databases
from tests.disputes.complaints import Desk
from tests.http.hearts import Hearts
from tests.http.service import Table, accepted, running

FOUND_ELSEWHERE: Final = {
    "cosignatures": "each is verified when it is served",
    "keys.label": "people write names in labels, so no event has them",
    "outbox": "empty, because all leaves have an index; see the tests of rows that are put in",
    "projection_generation": "a mark for readers; every command reports that its row is missing",
    "checkpoints.origin": "a checkpoint of another origin belongs to an earlier log, as the report says",
    "service_keys.fingerprint": "every command compares it with the service key",
    "service_keys.key_id": "every command compares the fingerprint with the service key",
    "service_keys.slot": "the number of the only row",
    "sign_ins": "empty, because no browser is signed in; see the test of rows that the database's owner changed",
    "snapshots.key_id": "the service never reads a snapshot of another key",
    "snapshots.release": "no release reads the snapshots of another release",
    "snapshots.stream_id": "a snapshot of no table is never read",
    "unfinished_imports": "empty, because nothing is imported; see the tests of rows that are put in",
    "witness_reports": "what the service says about its witnesses; it proves nothing",
}
"""Tables and columns whose changes the audit of this log does not find, and why."""


class Original(NamedTuple):
    """A database without triggers, whose log is signed; the service key; and the evidence that a verifier has."""

    path: Path
    service_key: ServiceKey
    evidence: LogEvidence


class Copies:
    """Copies of an *original* database; on each copy, a test makes changes as the database's owner."""

    def __init__(self, original: Original, folder: Path) -> None:
        self._original = original
        self._folder = folder
        self._numbers = count()

    def report(self, *changes: str | Executable, **values: object) -> tuple[set[str], LogReport]:
        """Run *changes* on a new copy; return the checks that found something, and the report of the whole log."""
        path = self._folder / f"{next(self._numbers)}.db"
        shutil.copy(self._original.path, path)
        engine = make_engine(f"sqlite:///{path}")
        driver = engine.raw_connection()
        for pragma in ("foreign_keys = OFF", "ignore_check_constraints = ON"):
            driver.cursor().execute(f"PRAGMA {pragma}")
        driver.close()
        with administering(engine) as connection:
            for one in changes:
                done = connection.execute(text(one) if isinstance(one, str) else one, values)
                assert done.rowcount == 1, one
        log = Log(CODEC, Sealer(self._original.service_key), Entropy())
        of_tables, whole = log_audit.verify(engine, log, CODEC), verify_log(engine, self._original.evidence)
        engine.dispose()
        path.unlink()
        return {one.check for one in (*of_tables.findings, *whole.findings)}, whole

    def found(self, *changes: str | Executable, **values: object) -> set[str]:
        return self.report(*changes, **values)[0]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, all_databases: Databases) -> Original:
    """Play a game, dispute a hand of another game, end a key, and sign the log in three rounds."""
    folder = tmp_path_factory.mktemp("original")
    with (
        all_databases.migrated(SQLITE) as url,
        running(folder, url) as service,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(snapshots, "SNAPSHOT_INTERVAL", 20)
        with administering(service.parts.engine) as connection:
            service.parts.service_log.record_start(connection)
        Hearts(service).begun().finish()
        service.keep_log()
        table = Table(service, 2).dealt()
        Desk(table).opened()
        service.keep_log()
        made = accepted(table.host.post("/v1/keys", {"expires_at": "2030-01-01T00:00:00Z"}), 201).json["key"]
        accepted(table.host.send("DELETE", f"/v1/keys/{made['id']}", headers={}), 204)
        service.keep_log()
        key = service.parts.service_key
        evidence = LogEvidence(
            key=service.signer.key.public,
            receipt_key=receipts.public_key(key),
            checkpoints=(("the last checkpoint", service.signer.last()),),
        )
        with administering(service.parts.engine) as connection:
            for dropping in connection.execute(text(DROPPINGS["sqlite"])).scalars().all():
                connection.execute(text(dropping))
        assert close_for_good(service.parts.engine)
        path = Path(url.removeprefix("sqlite:///"))
    return Original(path, key, evidence)


@pytest.fixture
def copies(original: Original, tmp_path: Path) -> Copies:
    return Copies(original, tmp_path)


def last_row(original: Original, table: SqlTable) -> Mapping[str, object]:
    """Sort the rows of *table* by its columns, and return the last row."""
    engine = make_engine(f"sqlite:///{original.path}")
    with reading(engine) as connection:
        rows = connection.execute(select(table).order_by(*(one.desc() for one in table.columns)).limit(1)).mappings()
        found = dict(rows.one())
    engine.dispose()
    return found


def other(table: SqlTable, column: str) -> object:
    """Return a value that no row of *table* has in *column*."""
    kind = table.columns[column].type
    if isinstance(kind, LargeBinary):
        return b"\7" * (kind.length if kind.length in {12, 16, 32} else 16)
    if isinstance(kind, Integer):
        return 12_345
    assert isinstance(kind, String), kind
    return "other"


MAY_BE_MISSING: Final = {"checkpoints", "service_keys", "snapshots"}
"""Tables that may have no row: their rows are computed again, or are stored only from time to time."""
OF_THE_AUDIT: Final = [name for name in metadata.tables if name not in FOUND_ELSEWHERE]


def test_nothing_is_found_in_an_unaltered_database(copies: Copies) -> None:
    assert copies.report()[0] == set()


@pytest.mark.parametrize("name", OF_THE_AUDIT)
def test_a_value_altered_in_any_column_is_found(original: Original, copies: Copies, name: str) -> None:
    table = metadata.tables[name]
    row = last_row(original, table)
    where = and_(*(table.c[column].is_(value) for column, value in row.items()))
    unfound = {
        column for column in row if not copies.found(update(table).where(where).values({column: other(table, column)}))
    }
    assert unfound == {one.partition(".")[2] for one in FOUND_ELSEWHERE if one.startswith(f"{name}.")}


@pytest.mark.parametrize("name", [name for name in OF_THE_AUDIT if name not in MAY_BE_MISSING])
def test_a_row_dropped_is_found(original: Original, copies: Copies, name: str) -> None:
    table = metadata.tables[name]
    where = and_(*(table.c[column].is_(value) for column, value in last_row(original, table).items()))
    assert copies.found(delete(table).where(where))


PUT_IN: Final = {
    "a row of the outbox without a stream": (
        "INSERT INTO outbox (stream_id, position) VALUES (:nobody, 5)",
        "outbox_must_name_a_leaf",
    ),
    "a row of the outbox beyond the end of its stream": (
        "INSERT INTO outbox (stream_id, position) SELECT max(stream_id), 12345 FROM streams",
        "outbox_must_name_a_leaf",
    ),
    "an unfinished import, which hides a table from everybody": (
        "INSERT INTO unfinished_imports (stream_id) SELECT max(stream_id) FROM streams",
        "unfinished_import_must_be_an_import",
    ),
    "an empty stream": (
        "INSERT INTO streams (stream_id, head, head_hash) VALUES (:nobody, 0, zeroblob(32))",
        "head_row_must_be_the_last_leaf",
    ),
    "a sealed value of no stream": (
        "INSERT INTO sealed SELECT :nobody, position, field, key_id, nonce, ciphertext FROM sealed LIMIT 1",
        "head_row_must_be_the_last_leaf",
    ),
}


@pytest.mark.parametrize("what", PUT_IN)
def test_a_row_put_in_is_found(copies: Copies, what: str) -> None:
    statement, check = PUT_IN[what]
    assert copies.found(statement, **({"nobody": b"\7" * 16} if ":nobody" in statement else {})) == {check}


def test_each_listed_column_exists() -> None:
    columns = {f"{name}.{column.name}" for name, table in metadata.tables.items() for column in table.columns}
    there = metadata.tables.keys() | columns
    assert FOUND_ELSEWHERE.keys() <= there
