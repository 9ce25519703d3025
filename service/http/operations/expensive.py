"""Dear requests, as adjudications and long pages are: of one party, they work one after the other."""

# They compute all the time, and so slow down everybody else in the process. Several at once of one party would give it
# a larger share than others have. Cheap requests never wait here.

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
"""A list of so many, which is the usual length, is not dear yet."""


class MustHaveTurn(Exception):
    """What the request reads is dear: it begins anew once it works alone, for it must hold no connection until then."""


@contextmanager
def turn(*, is_expensive: bool = True) -> Iterator[None]:
    """Let no other dear request of the same parties work inside the block, if this one *is_expensive*.

    Raises:
        Problem: too many wait already; or those that worked meanwhile have used up what the caller has.
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
    """Tell whether a list of so many items is dear."""
    return limit > _USUAL_LINES


def must_have_turn(cost: int) -> None:
    """Pass a request that weighs so much more than a plain one, if that is nothing or it works alone.

    Raises:
        MustHaveTurn: neither; `restarted_with_turn` sees to it.
    """
    if cost > 0 and not request_context().has_turn:
        raise MustHaveTurn


def restarted_with_turn(read: Callable[P, R]) -> Callable[P, R]:
    """Have *read*, where it finds that it is dear, begin anew when it works alone."""

    @wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except MustHaveTurn:
            with turn():
                return read(*args, **kwargs)

    return reading
