"""Expensive requests, such as adjudications and long pages: those of one party run one after the other."""

# DECISIONS 79

# An expensive request computes all the time, and so slows down all others in the process. Several at once would give
# their party a larger share than others have. Cheap requests never wait here.

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
"""The usual length of a list, which is not expensive yet."""


class MustHaveTurn(Exception):
    """The request is expensive and has no turn. It starts again with one, and holds no connection until then."""


@contextmanager
def turn(*, is_expensive: bool = True) -> Iterator[None]:
    """Run the block while no other expensive request of the same parties runs, if this one *is_expensive*.

    Raises:
        Problem: too many requests wait already; or while this one waited, others have used up the caller's rate limit.
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
    """Tell whether a list of *limit* items is expensive."""
    return limit > _USUAL_LINES


def must_have_turn(cost: int) -> None:
    """Let a request go on that costs *cost* units more than a plain one, if *cost* is 0 or the request has its turn.

    Raises:
        MustHaveTurn: neither; `restarted_with_turn` starts the request again.
    """
    if cost > 0 and not request_context().has_turn:
        raise MustHaveTurn


def restarted_with_turn(read: Callable[P, R]) -> Callable[P, R]:
    """Return *read*, which starts again with a turn where it finds that it is expensive."""

    @wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except MustHaveTurn:
            with turn():
                return read(*args, **kwargs)

    return reading
