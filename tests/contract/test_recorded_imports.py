"""Imports and erasures in imported tables are on record, and every change without a record is named."""

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from service.database.engines import administering, writing
from service.event_store.entries import EMPTY, place_name
from service.event_store.store import NotSealed
from service.service_log import import_events
from service.service_log.import_events import ImportStep
from service.service_log.service_events import TableImported, ValueErasedAt
from tests.contract.service_logs import AT, as_owner, events, found, service_log, types, verified
from tests.event_store.streams import append_events, asked, head_of, make_log

LOG = make_log()
OWN, IMPORTED = (number.to_bytes(16, "big") for number in (1, 2))
TABLE = place_name(IMPORTED)


def import_table(engine: Engine) -> None:
    """Import a table with three events and two sealed values, and record the import."""
    with administering(engine) as connection:
        own = service_log()
        own.open_if_needed(connection)
        recorded = LOG.entry(IMPORTED, EMPTY, asked("a", answers=2)).recorded
        LOG.begin_import(connection, IMPORTED, AT)
        LOG.append_imported(connection, IMPORTED, recorded)
        LOG.end_import(connection, IMPORTED)
        for field in ("bid", "foot"):
            LOG.seal_imported_value(connection, IMPORTED, 2, field, b"value")
        step = ImportStep(
            stream_id=IMPORTED,
            origin="chiptrail/log_9",
            head=head_of(recorded),
            imported_at=AT,
            values=[(2, "bid"), (2, "foot")],
        )
        own.append(connection, [import_events.imported(step)])


def erase(engine: Engine, field: str, *, recorded_field: str = "") -> None:
    with administering(engine) as connection:
        event = ValueErasedAt(table=TABLE, position=2, field=recorded_field or field, ground="request")
        service_log().append(connection, [event])
        LOG.erase_imported_value(connection, IMPORTED, 2, field)


def test_an_import_is_recorded_with_its_origin_its_head_and_its_values(storage: Engine) -> None:
    import_table(storage)
    imported = events(storage)[-1]
    assert isinstance(imported, TableImported)
    assert (imported.table, imported.origin, imported.position) == (TABLE, "chiptrail/log_9", 3)
    assert imported.values == ((2, "bid"), (2, "foot"))
    assert found(storage) == []


def test_a_table_that_was_imported_before_the_stream_began_is_adopted(storage: Engine) -> None:
    with administering(storage) as connection:
        recorded = LOG.entry(IMPORTED, EMPTY, asked("a", answers=2)).recorded
        LOG.begin_import(connection, IMPORTED, AT)
        LOG.append_imported(connection, IMPORTED, recorded)
        for number in range(450):
            LOG.seal_imported_value(connection, IMPORTED, 2, f"field_{number:03}", b"value")
        LOG.end_import(connection, IMPORTED)
    assert [reason.partition(":")[0] for reason in verified(storage).not_checked] == ["API keys and imports"]
    with administering(storage) as connection:
        service_log().record_start(connection)
    assert types(storage) == ["log_opened", *["table_imported"] * 3], "an event has the places of 200 values"
    assert sum(len(one.values) for one in events(storage)[1:]) == 450
    assert found(storage) == []


def test_an_import_that_is_not_finished_is_reported(storage: Engine) -> None:
    import_table(storage)
    assert verified(storage).not_checked == ()
    as_owner(storage, "INSERT INTO unfinished_imports (stream_id) VALUES (:id)", id=IMPORTED)
    (sentence,) = verified(storage).not_checked
    assert sentence.startswith(f"unfinished imports: 1; the first table is {TABLE};")


def test_an_erased_value_is_gone_and_on_record(storage: Engine) -> None:
    import_table(storage)
    erase(storage, "bid")
    assert types(storage)[-1] == "value_erased_at"
    assert found(storage) == []
    with pytest.raises(NotSealed):
        erase(storage, "bid")
    assert types(storage).count("value_erased_at") == 1


def test_the_database_deletes_a_value_of_an_imported_table_with_its_erasure_alone(storage: Engine) -> None:
    import_table(storage)
    with pytest.raises(DBAPIError, match="DELETE refused"):
        erase(storage, "bid", recorded_field="foot")
    with pytest.raises(DBAPIError, match="DELETE refused"), administering(storage) as connection:
        LOG.erase_imported_value(connection, IMPORTED, 2, "bid")
    assert found(storage) == []


CHANGES = {
    "an import mark is set by hand": (
        "UPDATE streams SET imported_at = 'then' WHERE stream_id = :own",
        {("import_must_be_on_record", place_name(OWN), 2)},
    ),
    "an import mark is removed": (
        "UPDATE streams SET imported_at = NULL WHERE stream_id = :imported",
        {("recorded_import_must_be_there", TABLE, 3)},
    ),
    "an import mark is changed": (
        "UPDATE streams SET imported_at = 'then' WHERE stream_id = :imported",
        {("import_must_be_on_record", TABLE, 0)},
    ),
    "an imported table is cut": (
        "UPDATE streams SET head = 2 WHERE stream_id = :imported",
        {("imported_head_must_be_on_record", TABLE, 3)},
    ),
    "an imported table is rewritten": (
        "UPDATE streams SET head_hash = :hash WHERE stream_id = :imported",
        {("imported_head_must_be_on_record", TABLE, 3)},
    ),
    "a sealed value is removed": (
        "DELETE FROM sealed WHERE stream_id = :imported AND field = 'foot'",
        {("imported_value_must_be_kept", TABLE, 2)},
    ),
    "a sealed value is put in": (
        "UPDATE sealed SET field = 'other' WHERE stream_id = :imported AND field = 'foot'",
        {("imported_value_must_be_kept", TABLE, 2), ("imported_value_must_be_on_record", TABLE, 2)},
    ),
    "an erased value comes back": (
        "UPDATE sealed SET field = 'bid' WHERE stream_id = :imported AND field = 'foot'",
        {("imported_value_must_be_kept", TABLE, 2), ("imported_value_must_be_on_record", TABLE, 2)},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_an_import_without_an_event_is_named(storage: Engine, change: str) -> None:
    with writing(storage) as connection:
        LOG.create(connection, OWN)
        append_events(connection, LOG, OWN, EMPTY, asked("b", answers=1))
    import_table(storage)
    erase(storage, "bid")
    assert found(storage) == []
    statement, findings = CHANGES[change]
    values = {"own": OWN, "imported": IMPORTED, "hash": b"\7" * 32}
    as_owner(storage, statement, **{name: value for name, value in values.items() if f":{name}" in statement})
    of_imports = {one for one in found(storage) if "import" in one[0]}
    assert of_imports - {("imported_leaf_must_have_no_index", place_name(OWN), 1)} == findings
