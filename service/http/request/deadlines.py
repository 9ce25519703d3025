"""Deadlines: when the service may call time at a table with a time limit (G.3), as far as that can be told."""

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
"""The header that says how long it is until `due_at`. A body has no such member: it would change under one ETag."""

DueAt: TypeAlias = Annotated[
    str,
    Meta(
        description="The earliest time at which the service makes the decision that is due (G.3), while the table "
        'stands at this position; it follows from `at` of an event. "": the table has no time limit, or nobody is '
        "hurried now. The service never calls time sooner; it does so within seconds, or, where it was down "
        "meanwhile, once a whole limit has passed since it came back."
    ),
]


def due_at(table_at: TableAt) -> str:
    """Return when time may be called at the table in *table_at*; "": never, as it stands."""
    state = table_at.state
    if not (state.time_limit_seconds and state.status == "playing" and table_at.due) or table_at.broken_at:
        return ""
    may = table_at.game.actions(state, HOST, EmptyViewpoint())
    if not any(isinstance(action.command, CallTime) for action in may):
        return ""  # Between hands of some games nothing moves by itself (G.4).
    at = datetime.fromisoformat(table_at.due_since.at) + timedelta(seconds=state.time_limit_seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def seconds_left(due: str) -> float:
    """Return how many seconds are left until *due*; 0: it has passed."""
    left = datetime.fromisoformat(due) - datetime.fromisoformat(services().clock.now())
    return max(0.0, round(left.total_seconds(), 3))


class Deadline(Struct, frozen=True, kw_only=True):
    """When time may be called at the table that stands at *position*, as a stream tells it."""

    position: int
    due_at: str
    seconds_left: float


def deadline(position: int, due: str) -> Deadline:
    """Return what a stream tells of the deadline *due* of a table that stands at *position*."""
    return Deadline(position=position, due_at=due, seconds_left=seconds_left(due))


def with_seconds_left(response: Response, due: str) -> Response:
    """Add to *response* how long it is until *due*, if anything is."""
    if due:
        response.headers[SECONDS_LEFT] = f"{seconds_left(due):.3f}"
    return response
