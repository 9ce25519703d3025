"""Deadlines: when the service calls time at a table with a time limit (G.3) (DECISIONS 77)."""

from datetime import datetime, timedelta
from typing import Annotated, Final, TypeAlias

from flask import Response
from msgspec import Meta, Struct

from service.games.common_commands import CallTime
from service.games.full_viewpoint import EmptyViewpoint
from service.games.game import HOST
from service.http.request.services import services
from service.tables.fold import TableAt

SECONDS_LEFT: Final = "Seconds-Left"
"""The header with the seconds until `due_at`.

The body has no such member, because a body must not change while its ETag stays the same.
"""

DueAt: TypeAlias = Annotated[
    str,
    Meta(
        description="The end of the time limit for the decision that is due (G.3): the `at` of the event since which "
        "the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the "
        "table has not moved on by then, the service makes the decision within seconds; after an outage, only when a "
        "whole time limit has passed since the service came back. The service never makes the decision earlier, unless "
        "the host calls time."
    ),
]


def due_at(table_at: TableAt) -> str:
    """Return the deadline of the table in *table_at*, or "" if the table has no deadline now."""
    state = table_at.state
    if not (state.time_limit_seconds and state.status == "playing" and table_at.due) or table_at.broken_at:
        return ""
    host_actions = table_at.game.actions(state, HOST, EmptyViewpoint())
    if not any(isinstance(action.command, CallTime) for action in host_actions):
        return ""  # Time can't be called now: in some games nobody may call time between hands (G.3).
    at = datetime.fromisoformat(table_at.due_since.at) + timedelta(seconds=state.time_limit_seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def seconds_left(due: str) -> float:
    """Return the seconds until the time *due*, or 0 if this time has passed."""
    left = datetime.fromisoformat(due) - datetime.fromisoformat(services().clock.now())
    return max(0.0, round(left.total_seconds(), 3))


class Deadline(Struct, frozen=True, kw_only=True):
    """The deadline of a table at *position*, as event streams send it."""

    position: int
    due_at: str
    seconds_left: float


def deadline(position: int, due: str) -> Deadline:
    """Return the deadline *due* of a table at *position*, as event streams send it."""
    return Deadline(position=position, due_at=due, seconds_left=seconds_left(due))


def with_seconds_left(response: Response, due: str) -> Response:
    """Add the header Seconds-Left to *response* if *due*, the deadline, is not ""; return *response*."""
    if due:
        response.headers[SECONDS_LEFT] = f"{seconds_left(due):.3f}"
    return response
