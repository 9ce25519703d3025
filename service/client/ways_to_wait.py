"""How a client waits for events: by long polls, by a stream of Server-Sent Events, or not at all."""

# DECISIONS 140

from collections.abc import Iterator
from threading import Event as Flag
from typing import Final, Literal, TypeVar, get_args

import msgspec

from service.client.client import NO_WAITING_SLOT, Client
from service.client.client_errors import ClientMisused, NotTheApi, Problem
from service.client.connection.sent_messages import SentMessage

T = TypeVar("T")
Wait = Literal["polls", "stream", "never"]
"""How to wait for the next event; "never": end after the last event."""

_PAUSE_SECONDS: Final = 1.0
_MOST: Final = 1000


def must_be_known(wait: Wait) -> None:
    """Check *wait*, for programs without type checks.

    Raises:
        ClientMisused: *wait* is none of the words of `Wait`.
    """
    if wait not in get_args(Wait):
        raise ClientMisused(f"`wait` must be one of {', '.join(get_args(Wait))}, and not {wait!r}.")


def page(client: Client, path: str, kind: type[T], *, after: str | int, wait_seconds: int) -> T:
    """Return the page of the events that follow the place *after*. If there are none yet, wait for the next event.

    If no waiting slot is free, pause for a second instead of waiting for an event.

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
    """
    try:
        return client.get(path, kind, after=after, wait=wait_seconds, limit=_MOST)
    except Problem as problem:
        if problem.code != NO_WAITING_SLOT:
            raise
        Flag().wait(_PAUSE_SECONDS)  # Other clients have taken all waiting slots.
        return client.get(path, kind, after=after, limit=_MOST)


def streamed(client: Client, path: str, after: str) -> Iterator[SentMessage]:
    """Yield the messages of a stream of the events that follow the place *after*; when the stream has ended, pause.

    If no waiting slot is free, only pause. The caller reads a page before the next stream, so it finds an error that
    ended the stream, and gets events even if no stream begins.

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
    """
    try:
        yield from client.stream(path, after)
    except Problem as problem:
        if problem.code != NO_WAITING_SLOT:
            raise
    Flag().wait(_PAUSE_SECONDS)


def decoded(message: SentMessage, kind: type[T]) -> T:
    """Return the data of *message* as *kind*.

    Raises:
        NotTheApi: the data has another form.
    """
    try:
        return msgspec.json.decode(message.data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotTheApi(f"The server sent a message that is not from Chiptrail's API: {error}") from error
