"""What went wrong below the web, told as a problem."""

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
from service.event_store.quarantine import StreamCorrupted, StreamReplaced
from service.http.request import available_actions, visible_tables
from service.http.request.caller import asker_or_ended
from service.http.request.context import visit
from service.http.request.fields import fault
from service.http.request.services import here
from service.http.responses import problems
from service.http.responses.problems import Problem
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
_OF_READING: Final = (StreamCorrupted, ProjectionsWereSwapped, StreamReplaced, SQLAlchemyError)
_FAILED: Final = (
    Problem,
    NoSuchTable,
    TableIsImported,
    StreamCorrupted,
    CallerMustBe,
    Refused,
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
    """Answer whatever goes wrong in *app* with a problem."""
    for kind in _FAILED:
        app.register_error_handler(kind, _handle)


def problem_of(error: Exception) -> Problem:
    """Return the problem that *error* is told as; what failed unforeseen is noted in the journal."""
    if isinstance(error, Problem):
        return error
    try:
        problem = _problem(error)
    except _OF_READING as worse:  # What is told of an error is looked up, and may fail itself.
        error, problem = worse, _problem(worse)
    if problem.kind.status >= 500:  # noqa: PLR2004 -- HTTP's own number
        here().journal.failed(error, problem.code)
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
            return Problem("table_must_be_intact", f"{error.why.capitalize()}.", position=error.position)
        case CallerMustBe(who=who):
            return Problem("asker_must_be_the_host" if who == "host" else "asker_must_be_a_player")
        case Refused():
            return _refused(error)
        case PositionMustMatch():
            return _stale(error)
        case KeyMustBeNew():
            found = fault("value_must_fit", f"Recorded under this key: {error.recorded!r}; given now: {error.given!r}.")
            return Problem("idempotency_key_must_be_new", errors=problems.errors([(_pointer(error), found)]))
        case UnknownCommit():
            return Problem("outcome_must_be_known", headers=problems.RETRY)
        case TooManyRaces() | StreamReplaced() | WriteLockNotAcquired() | ProjectionsWereSwapped():
            return Problem("database_must_answer", headers=problems.RETRY)
        case HTTPException():
            return _of_the_web(error)
        case SQLAlchemyError() if classify(error) in {Fault.BUSY, Fault.UNREACHABLE}:
            return Problem("database_must_answer", headers=problems.RETRY)
        case _:
            return Problem("service_must_not_fail")


def _refused(error: Refused) -> Problem:
    refusal = error.refusal
    with reading(here().engine) as connection:
        actions = available_actions.items(connection, error.table_at, asker_or_ended())
    return Problem(
        "refused_by_the_rules",
        refusal.detail,
        shown_as=refusal.code,
        rule=refusal.rule or UNSET,
        ruling=refusal.ruling or UNSET,
        position=error.table_at.position,
        actions=actions,
    )


@retry_after_swap
def _stale(error: PositionMustMatch) -> Problem:
    with reading(here().engine) as connection:
        table_at = _still(connection, error.table_at)
        most = min(max(table_at.position - error.expected, 0), _MOST_MISSED)  # nothing later than what is told
        recorded = here().log.read(connection, table_at.stream_id, error.expected, most, head=table_at.head)
        missed = visible_tables.items(connection, table_at, asker_or_ended(), recorded)
    return Problem("position_must_match", str(error), position=table_at.position, missed=missed)


def _still(connection: Connection, seen: TableAt) -> TableAt:
    """Return the table as it was *seen*, of which more is to be told from a transaction of its own.

    Raises:
        StreamReplaced: a database that had lost commits took over meanwhile.
    """
    if not seen.position:
        return seen  # It is yet to be opened.
    now = here().tables.now(connection, seen.stream_id)
    if now is None or (now.position <= seen.position and now.head != seen.head and not now.broken_at):
        raise StreamReplaced(seen.stream_id)
    return seen


def _pointer(error: KeyMustBeNew) -> str:
    """Return where in a body the member is that differs."""
    places: dict[str, str] = {"currency": "/worth/currency", "worth_minor": "/worth/minor"}
    return places.get(error.member, f"/{error.member}")


def _of_the_web(error: HTTPException) -> Problem:
    headers: dict[str, Any] = {}
    match error:
        case MethodNotAllowed():
            headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
            return Problem("method_must_be_allowed", headers=headers)
        case RequestEntityTooLarge():
            return Problem("body_must_be_small")
        case _ if error.code == 404:  # noqa: PLR2004 -- HTTP's own number
            return Problem("resource_must_exist")
        case _ if error.code == 400:  # noqa: PLR2004
            return Problem("body_must_be_json", "The request could not be read.")
        case _:
            return Problem("service_must_not_fail")


def _answer(problem: Problem) -> Response:
    """Return *problem* as it is told."""
    kind = problem.kind
    details = problems.Details(
        type=f"/problems/{problem.code}",
        title=kind.title,
        status=kind.status,
        code=problem.shown_as or problem.code,
        detail=problem.detail,
        request_id=visit().request_id,
        **problem.members,
    )
    response = Response(msgspec.json.encode(details), status=kind.status, content_type=problems.CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(problem.headers)
    return response
