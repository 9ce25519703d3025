"""Classifies database errors by error codes and constraint names; some databases give a name only in the message."""

import enum
import re
import sqlite3
from typing import Final

from sqlalchemy.exc import DBAPIError, OperationalError, TimeoutError as PoolTimeout

from service.database.metadata import metadata
from service.database.write_lock import WriteLockNotAcquired


class Fault(enum.Enum):
    """The meaning of a database error for the caller."""

    DUPLICATE_COMMAND = "the log already has the command"
    DUPLICATE_POSITION = "the position is taken"
    DUPLICATE_ROW = "another row has this key"
    OVERDRAWN = "an account would fall below its minimum"
    APPEND_ONLY = "the log only grows"
    BUSY = "others held a lock or a connection for too long"
    UNREACHABLE = "the database cannot be reached or cannot work"
    DEFECT = "the statement is wrong"


_BY_CONSTRAINT: Final = {
    "uq_events_stream_id_cmd": Fault.DUPLICATE_COMMAND,
    "pk_events": Fault.DUPLICATE_POSITION,
    "ck_transfers_source_is_covered": Fault.OVERDRAWN,
    "ck_transfers_target_is_covered": Fault.OVERDRAWN,
}

_BY_SQLSTATE: Final = {
    "40001": Fault.BUSY,  # serialization failure
    "40P01": Fault.BUSY,  # deadlock
    "55P03": Fault.BUSY,  # lock timeout
    "57014": Fault.BUSY,  # statement timeout
    "25P03": Fault.UNREACHABLE,  # the connection was closed: its transaction was idle for too long
    "53": Fault.UNREACHABLE,  # out of connections, memory or disk
    "57": Fault.UNREACHABLE,  # shutting down or starting up
    "58": Fault.UNREACHABLE,  # input or output failed
    "08": Fault.UNREACHABLE,  # connection failed
    "25006": Fault.UNREACHABLE,  # read only: a standby
    "0A000": Fault.UNREACHABLE,  # not supported: of our statements, only BEGIN READ WRITE gets this, on a standby
}

_INTEGRITY: Final = "23"
"""The class of the error codes for violated constraints."""
_NAMED_IN_MESSAGE: Final = re.compile(r"\b((?:pk|uq|ck|fk)_\w+)|^(\w+): ")
"""Finds the name of a constraint in a message; the messages of our triggers begin with this name and a colon.

The name is found without the quotation marks around it, because these depend on the language of the message. The
primary message of an error has no values of a row, so a player's text can't be taken for a name.
"""

_BY_SQLITE_CODE: Final = {
    sqlite3.SQLITE_BUSY: Fault.BUSY,
    sqlite3.SQLITE_LOCKED: Fault.BUSY,
    sqlite3.SQLITE_CANTOPEN: Fault.UNREACHABLE,
    sqlite3.SQLITE_CORRUPT: Fault.UNREACHABLE,
    sqlite3.SQLITE_FULL: Fault.UNREACHABLE,
    sqlite3.SQLITE_IOERR: Fault.UNREACHABLE,
    sqlite3.SQLITE_NOTADB: Fault.UNREACHABLE,
    sqlite3.SQLITE_READONLY: Fault.UNREACHABLE,
}


def classify(error: Exception) -> Fault:
    """Return the fault that *error* of the database layer means, or DEFECT if the error is unexpected."""
    if isinstance(error, PoolTimeout | WriteLockNotAcquired):
        return Fault.BUSY
    if not isinstance(error, DBAPIError):
        return Fault.DEFECT
    if name := constraint_name(error):
        return _of_constraint(name)
    if error.connection_invalidated:
        return Fault.UNREACHABLE
    if isinstance(error.orig, sqlite3.Error):
        return _BY_SQLITE_CODE.get(_primary_code(error.orig), Fault.DEFECT)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # the server did not answer: it is unreachable or has stopped
        return Fault.UNREACHABLE if isinstance(error, OperationalError) else Fault.DEFECT
    return _BY_SQLSTATE.get(state) or _BY_SQLSTATE.get(state[:2], Fault.DEFECT)


def constraint_name(error: DBAPIError) -> str:
    """Return the violated constraint's name in the MetaData, or "" if *error* names no constraint.

    An error of a shard (Citus) has the name only in its message, and the name ends with the number of the shard, which
    this function removes (DECISIONS 128).
    """
    if isinstance(error.orig, sqlite3.IntegrityError):
        return _sqlite_constraint(str(error.orig))
    if (diagnosis := getattr(error.orig, "diag", None)) is None:
        return ""
    name = diagnosis.constraint_name
    if name is None and (diagnosis.sqlstate or "").startswith(_INTEGRITY):
        found = _NAMED_IN_MESSAGE.search(diagnosis.message_primary or "")
        name = found.group(found.lastindex or 0) if found else None
    return re.sub(r"_\d+$", "", name or "")


def _of_constraint(name: str) -> Fault:
    if name in _BY_CONSTRAINT:
        return _BY_CONSTRAINT[name]
    if name.endswith("_only_grows"):
        return Fault.APPEND_ONLY
    return Fault.DUPLICATE_ROW if name.startswith(("pk_", "uq_")) else Fault.DEFECT


def _sqlite_constraint(message: str) -> str:
    """Return the constraint's name from SQLite's *message*, or from one of our triggers' messages ("name: reason").

    Return "" if the message names no constraint of the MetaData.
    """
    kind, separator, rest = message.partition(" constraint failed: ")
    if not separator:
        return message.partition(":")[0] if ":" in message else ""
    match kind:
        case "UNIQUE":
            return _unique_constraint(rest)
        case "CHECK":
            return rest
        case _:
            return ""


def _unique_constraint(columns: str) -> str:
    """Return the name of the unique key over *columns*, given as "table.column, table.column"."""
    table = metadata.tables[columns.partition(".")[0]]
    keys = [(str(table.primary_key.name), table.primary_key.columns)]
    keys += [(str(index.name), index.columns) for index in table.indexes if index.unique]
    names = {", ".join(f"{table.name}.{column.name}" for column in key): name for name, key in keys}
    return names[columns]


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
