"""Expensive requests, such as adjudications and long pages: the requests of a quota owner run one by one."""

# DECISIONS 79

# An expensive request computes without a pause, and so slows down all other requests of the process. Several expensive
# requests at the same time would give their quota owner a larger share of the process than other quota owners get.
# Cheap requests never wait here.

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from service.http.request.authentication import caller_or_ended, quota_owners
from service.http.request.context import request_context
from service.http.request.services import services

P = ParamSpec("P")
R = TypeVar("R")

_USUAL_LINES = 100
"""The usual length of a list; a list of this length is not expensive."""


class MustHaveTurn(Exception):
    """The request is expensive and has no turn.

    The request gives its database connection back, and `restarted_with_turn` restarts the request with a turn.
    """


@contextmanager
def turn(*, is_expensive: bool = True) -> Iterator[None]:
    """Run the block; if *is_expensive* and the request does not have its turn yet, first wait for its turn.

    The turn comes when none of the request's quota owners has another expensive request that runs or has waited longer.

    Raises:
        Problem: too many requests are already waiting, or other requests used up the caller's rate limit during the
            wait.
    """
    now = request_context()
    if not is_expensive or now.has_turn:
        yield
        return
    with services().expensive.turn(quota_owners(caller_or_ended()), takes_slot=not now.is_streaming) as has_waited:
        if has_waited and not now.is_streaming:
            now.must_be_within_limit()
        now.has_turn = True
        try:
            yield
        finally:
            now.has_turn = False


def is_long_list(limit: int) -> bool:
    """Return whether a list of *limit* items is expensive."""
    return limit > _USUAL_LINES


def must_have_turn(cost: int) -> None:
    """If *cost* is above 0, check that the request has a turn.

    *cost* is the number of units that the request costs beyond a plain request.

    Raises:
        MustHaveTurn: the request needs a turn and has none; `restarted_with_turn` restarts the request.
    """
    if cost > 0 and not request_context().has_turn:
        raise MustHaveTurn


def restarted_with_turn(read: Callable[P, R]) -> Callable[P, R]:
    """Return a function that calls *read*, and calls *read* again with a turn if *read* raised `MustHaveTurn`."""

    @wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except MustHaveTurn:
            with turn():
                return read(*args, **kwargs)

    return reading
