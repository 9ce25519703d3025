"""Erasure: a sealed value may be erased if no rule needs the value and no later event can open the value (log/v1)."""

# DECISIONS 75

from typing import Final

from sqlalchemy import Connection

from service.database.engines import Connect
from service.event_store.disclosure import FieldPlace
from service.event_store.store import Log
from service.games.common_commands import EraseValue
from service.games.common_refusals import Condition
from service.games.game import Refusal
from service.tables.fold import TableAt
from service.tables.sealed_store import SEED
from service.tables.visibility import is_retired

_WITHOUT_CITATION: Final = (("", ""),)
VALUE_MUST_NOT_BE_ERASED_YET: Final = Condition(
    "value_must_not_be_erased_yet", "A value can be erased only once.", _WITHOUT_CITATION
)
VALUE_MUST_BE_SEALED: Final = Condition(
    "value_must_be_sealed", "Only a value that an event sealed can be erased.", _WITHOUT_CITATION
)
HAND_MUST_BE_OVER: Final = Condition(
    "hand_must_be_over", "The value must not be a field of the current hand.", _WITHOUT_CITATION
)
VALUE_MUST_BE_SETTLED: Final = Condition(
    "value_must_be_settled", "No later event may be able to open the value.", _WITHOUT_CITATION
)
REFUSALS: Final = (VALUE_MUST_NOT_BE_ERASED_YET, VALUE_MUST_BE_SEALED, HAND_MUST_BE_OVER, VALUE_MUST_BE_SETTLED)
"""The conditions of an erasure that need the log, in order of precedence; they precede the conditions of the games."""


def must_be_erasable(connect: Connect, log: Log, table_at: TableAt, command: EraseValue) -> None:
    """Check that *command* may erase its value at the table *table_at*.

    Raises:
        Refusal: *command* does not meet one of the conditions in `REFUSALS`.
        StreamCorrupted: the hash chain is broken at the event that *command* names.
    """
    place = (command.position, command.field)
    if place in table_at.erased:
        raise Refusal(VALUE_MUST_NOT_BE_ERASED_YET, f"{_named(place)} was erased before.")
    if not _is_sealed(connect, log, table_at, place):
        raise Refusal(VALUE_MUST_BE_SEALED, f"No event sealed {_named(place)}.")
    state = table_at.state
    if state.hand_is_running and command.position >= table_at.hand_first and command.field != SEED:
        raise Refusal(HAND_MUST_BE_OVER, f"{_named(place)} belongs to the current hand.")
    if _may_still_open(table_at, place):
        raise Refusal(VALUE_MUST_BE_SETTLED, f"A later event may still open {_named(place)}.")


def _is_sealed(connect: Connect, log: Log, table_at: TableAt, place: FieldPlace) -> bool:
    position, field = place
    if field == SEED:
        return position in table_at.opened.values()
    if place in table_at.sealed:
        return True
    return 0 < position <= table_at.position and field in _sealed_by(connect(), log, table_at, position)


def _sealed_by(connection: Connection, log: Log, table_at: TableAt, position: int) -> frozenset[str]:
    """Return the names of the fields that the event at *position* seals."""
    recorded = log.reader.read(connection, table_at.stream_id, position - 1, 1, head=table_at.head)
    return frozenset(recorded[0].priv)


def _may_still_open(table_at: TableAt, place: FieldPlace) -> bool:
    """Return whether a later event may open the value at *place*.

    No later event can open a field that is not in `TableAt.sealed`.
    """
    if place[1] == SEED:
        return any(at == place[0] and not is_retired(table_at, epoch) for epoch, at in table_at.opened.items())
    field = table_at.sealed.get(place)
    return field is not None and not field.ended


def _named(place: FieldPlace) -> str:
    return f"{place[1]} of position {place[0]}"
