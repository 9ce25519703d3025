"""An error of a shard hides its constraint's name, but means the same as the error of a whole table (DECISIONS 128)."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from service.database.engines import administering
from service.database.errors import Fault, classify, constraint_name
from service.event_store.entries import EMPTY
from tests import databases
from tests.event_store.streams import append, asked, make_log, new_stream

LOG = make_log()
REFUSED = {
    "UPDATE events SET position = position": ("events_only_grows", Fault.APPEND_ONLY),
    "DELETE FROM streams": ("streams_only_grows", Fault.APPEND_ONLY),
    "UPDATE streams SET head = head": ("streams_only_grows", Fault.APPEND_ONLY),
    "INSERT INTO events SELECT * FROM events": ("pk_events", Fault.DUPLICATE_POSITION),
    "INSERT INTO events SELECT stream_id, 3, leaf, cmd FROM events WHERE position = 1": (
        "uq_events_stream_id_cmd",
        Fault.DUPLICATE_COMMAND,
    ),
    "INSERT INTO events SELECT stream_id, 9, leaf, NULL FROM events WHERE position = 1": (
        "events_run_on",
        Fault.DEFECT,
    ),
    "INSERT INTO streams SELECT * FROM streams": ("pk_streams", Fault.DUPLICATE_ROW),
    "INSERT INTO transfers SELECT stream_id, 0, 1, 5, -5, 5, 'stack:1', 'house' FROM streams": (
        "ck_transfers_source_is_covered",
        Fault.OVERDRAWN,
    ),
    "INSERT INTO sealed SELECT stream_id, 9, 'seed', stream_id, substr(stream_id, 1, 12), '' FROM streams": (
        "fk_sealed_stream_id_position_events",
        Fault.DEFECT,
    ),
}


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])
def test_the_name_is_read_from_the_message(storage: Engine) -> None:
    append(storage, LOG, new_stream(storage, LOG), EMPTY, asked("a", answers=1))
    found = {statement: of_shard(refusal(storage, statement)) for statement in REFUSED}
    assert {statement: (constraint_name(error), classify(error)) for statement, error in found.items()} == REFUSED


def refusal(engine: Engine, statement: str) -> DBAPIError:
    with pytest.raises(DBAPIError) as refused, administering(engine) as connection:
        connection.execute(text(statement))
    return refused.value


def of_shard(error: DBAPIError) -> DBAPIError:
    """Return *error* as a shard sends it: only the message names the constraint, and the name ends with a number.

    The messages of triggers are the same, since the triggers leave the number out.
    """
    whole: Any = error.orig
    message = re.sub(r'"((?:pk|uq|ck|fk)_\w*?)(_\d+)?"', r'"\1_102084"', whole.diag.message_primary)
    hidden = SimpleNamespace(constraint_name=None, sqlstate=whole.diag.sqlstate, message_primary=message)
    one: Any = type("OfShard", (Exception,), {"diag": hidden, "sqlstate": whole.diag.sqlstate})(message)
    return DBAPIError(error.statement, error.params, one)


def test_the_name_is_read_from_a_message_in_another_language() -> None:
    message = "doppelter Schlüsselwert verletzt Unique-Constraint »uq_events_stream_id_cmd_102084«"
    hidden = SimpleNamespace(constraint_name=None, sqlstate="23505", message_primary=message)
    one: Any = type("OfShard", (Exception,), {"diag": hidden, "sqlstate": "23505"})(message)
    assert classify(DBAPIError("INSERT", {}, one)) is Fault.DUPLICATE_COMMAND


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:2])
def test_a_message_that_names_no_constraint_has_none(storage: Engine) -> None:
    error = of_shard(refusal(storage, "SELECT 'pk_events: is no integer'::integer"))
    assert (constraint_name(error), classify(error)) == ("", Fault.DEFECT)
