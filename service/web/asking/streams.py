"""A stream of the API inside a request of the pages."""

from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


class OwnContext:
    """Runs calls in a context of their own.

    While a stream of the API is written, its Flask app is the current one. In the context of a page, it would be the
    current app for the rest of the page's request too.
    """

    def __init__(self) -> None:
        self._context = copy_context()

    def run(self, call: Callable[[], T]) -> T:
        """Return the result of *call*, made in this context."""
        return self._context.run(call)

    def stream(self, items: Iterable[Any]) -> "Stream":
        """Return *items*; each is made in this context."""
        return Stream(self, items)


class Stream:
    """The *items* of a response, each made in *context*; so is its end."""

    def __init__(self, context: OwnContext, items: Iterable[Any]) -> None:
        self._context = context
        self._items = items
        self._iterator = iter(items)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        item: bytes = self._context.run(lambda: next(self._iterator))
        return item

    def close(self) -> None:
        """End the stream, and free what it holds."""
        close: Callable[[], None] | None = getattr(self._items, "close", None)
        if close is not None:
            self._context.run(close)
