"""Turns every exception into a problem, and the problem into a response."""

from typing import Any, Final

import msgspec
from flask import Flask, Response
from msgspec import UNSET
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, RequestEntityTooLarge

from service.database.engines import UnknownCommit, reading
from service.database.errors import Fault, classify
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.entries import stream_name
from service.event_store.quarantine import StreamCorrupted, StreamReplaced
from service.games.game import Refusal
from service.http.problems.problem import CONTENT_TYPE, RETRY, Details, Problem, errors
from service.http.request import available_actions, visible_tables
from service.http.request.authentication import caller_or_ended
from service.http.request.context import request_context
from service.http.request.fields import field_error
from service.http.request.services import services
from service.play.dispute_desk import DisputeRefused
from service.play.orders import (
    CallerMustBe,
    KeyMustBeNew,
    NoSuchTable,
    PositionMustMatch,
    Refused,
    TableIsImported,
    TooManyRaces,
)
from service.projections.swap_guard import ProjectionsWereSwapped, retry_after_swap
from service.tables.fold import TableAt

_MOST_MISSED: Final = 100
_READ_ERRORS: Final = (StreamCorrupted, ProjectionsWereSwapped, StreamReplaced, SQLAlchemyError)
_HANDLED: Final = (
    Problem,
    NoSuchTable,
    TableIsImported,
    StreamCorrupted,
    CallerMustBe,
    Refused,
    DisputeRefused,
    PositionMustMatch,
    KeyMustBeNew,
    TooManyRaces,
    StreamReplaced,
    UnknownCommit,
    WriteLockNotAcquired,
    ProjectionsWereSwapped,
    SQLAlchemyError,
    HTTPException,
    Exception,
)


def register(app: Flask) -> None:
    """Make *app* answer every exception with a problem."""
    for kind in _HANDLED:
        app.register_error_handler(kind, _handle)


def problem_of(error: Exception) -> Problem:
    """Return the problem for *error*. An error of the service (5xx) is also logged, unless *error* is a Problem."""
    if isinstance(error, Problem):
        return error
    try:
        problem = _problem(error)
    except _READ_ERRORS as later:  # Reading the details of a problem from the database may fail too.
        error, problem = later, _problem(later)
    if problem.kind.status >= 500:  # noqa: PLR2004 -- HTTP defines this number
        services().access_log.failed(error, problem.code)
    return problem


def _handle(error: Exception) -> Response:
    return _answer(problem_of(error))


def _problem(error: Exception) -> Problem:
    match error:
        case NoSuchTable():
            return Problem("table_must_exist")
        case TableIsImported():
            return Problem("table_must_be_played_here")
        case StreamCorrupted():
            return Problem("table_must_be_intact", _damage(error), position=error.position)
        case CallerMustBe(who=who):
            return Problem("asker_must_be_the_host" if who == "host" else "asker_must_be_a_player")
        case Refused():
            return _refused(error)
        case DisputeRefused(refusal=refusal):
            return _step_refused(refusal)
        case PositionMustMatch():
            return _stale(error)
        case KeyMustBeNew():
            differs = field_error(
                "value_must_fit", f"Recorded under this Idempotency-Key: {error.recorded!r}; sent now: {error.given!r}."
            )
            return Problem("idempotency_key_must_be_new", errors=errors([(_pointer(error), differs)]))
        case UnknownCommit():
            return Problem("outcome_must_be_known", headers=RETRY)
        case TooManyRaces() | StreamReplaced() | WriteLockNotAcquired() | ProjectionsWereSwapped():
            return Problem("database_must_answer", headers=RETRY)
        case HTTPException():
            return _of_the_web(error)
        case SQLAlchemyError() if classify(error) in {Fault.BUSY, Fault.UNREACHABLE}:
            return Problem("database_must_answer", headers=RETRY)
        case _:
            return Problem("service_must_not_fail")


def _damage(error: StreamCorrupted) -> str:
    """Return the detail about *error*; it names the stream unless this is the stream of the table in the request's URL.

    A response about a table may need other streams, too: the disputes of the table, and the service's own stream.
    """
    stream, why = stream_name(error.stream_id), f"{error.why.capitalize()}."
    table = (request_context().view_args or {}).get("table")
    return why if stream == f"table/{table}" else f"{why} The stream is {stream}."


def _refused(error: Refused) -> Problem:
    refusal = error.refusal
    with reading(services().engine) as connection:
        actions = available_actions.available(connection, error.table_at, caller_or_ended())
    return Problem(
        "refused_by_the_rules",
        refusal.detail,
        shown_as=refusal.code,
        rule=refusal.rule or UNSET,
        ruling=refusal.ruling or UNSET,
        position=error.table_at.position,
        actions=actions,
    )


def _step_refused(refusal: Refusal) -> Problem:
    match refusal.code:
        case "table_must_be_played_here":
            return Problem("table_must_be_played_here")
        case "dispute_must_exist":
            return Problem("dispute_must_exist")
        case code:
            ruling = refusal.ruling or UNSET
            return Problem("refused_by_the_rules", refusal.detail, shown_as=code, ruling=ruling)


@retry_after_swap
def _stale(error: PositionMustMatch) -> Problem:
    with reading(services().engine) as connection:
        table_at = _same_stream(connection, error.table_at)
        most = min(max(table_at.position - error.expected, 0), _MOST_MISSED)  # only events up to `table_at`
        recorded = services().log.reader.read(connection, table_at.stream_id, error.expected, most, head=table_at.head)
        missed = visible_tables.visible_events(connection, table_at, caller_or_ended(), recorded)
    return Problem("position_must_match", str(error), position=table_at.position, missed=missed)


def _same_stream(connection: Connection, table_at: TableAt) -> TableAt:
    """Return *table_at* if this transaction sees the same stream, unchanged or with further events.

    Raises:
        StreamReplaced: the stream has other events now, because a database that had lost commits has taken over.
    """
    if not table_at.position:
        return table_at  # The table is not open yet.
    current = services().tables.current(connection, table_at.stream_id)
    has_moved_on = current is not None and (current.position > table_at.position or current.broken_at)
    if not has_moved_on and (current is None or current.head != table_at.head):
        raise StreamReplaced(table_at.stream_id)
    return table_at


def _pointer(error: KeyMustBeNew) -> str:
    """Return the JSON Pointer, in a request's body, of the member in which the two commands differ."""
    pointers: dict[str, str] = {"currency": "/worth/currency", "worth_minor": "/worth/minor"}
    return pointers.get(error.member, f"/{error.member}")


def _of_the_web(error: HTTPException) -> Problem:
    headers: dict[str, Any] = {}
    match error:
        case MethodNotAllowed():
            headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
            return Problem("method_must_be_allowed", headers=headers)
        case RequestEntityTooLarge():
            return Problem("body_must_be_small")
        case _ if error.code == 404:  # noqa: PLR2004 -- HTTP defines this number
            return Problem("resource_must_exist")
        case _ if error.code == 400:  # noqa: PLR2004
            return Problem("body_must_be_json", "The request could not be read.")
        case _:
            return Problem("service_must_not_fail")


def _answer(problem: Problem) -> Response:
    kind = problem.kind
    details = Details(
        type=f"/problems/{problem.code}",
        title=kind.title,
        status=kind.status,
        code=problem.shown_as or problem.code,
        detail=problem.detail,
        request_id=request_context().request_id,
        **problem.members,
    )
    response = Response(msgspec.json.encode(details), status=kind.status, content_type=CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(problem.headers)
    return response
