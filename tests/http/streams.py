"""Reads streams over real HTTP; a test can break off anywhere."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw

from service.event_store import export_format

EVENTS = "text/event-stream"
LINES = "application/x-ndjson"


class Item(msgspec.Struct):
    """An event of a table's stream, in a page or in a stream of events."""

    leaf: Raw
    hash: str
    openings: list[Any]
    fields: list[Any]

    @property
    def position(self) -> int:
        return int(msgspec.json.decode(self.leaf)["position"])


class Page(msgspec.Struct):
    items: list[Item]
    next: int
    position: int
    has_more: bool
    is_over: bool


class Frame(msgspec.Struct):
    """One event of a stream of Server-Sent Events; *event* is "message" if the stream does not name it."""

    event: str
    id: str
    data: str

    @property
    def item(self) -> Item:
        return msgspec.json.decode(self.data, type=Item)


@contextmanager
def answer(url: str, path: str, token: str = "", **headers: str) -> Iterator[http.client.HTTPResponse]:
    """Send a request on a new connection, which is closed when the block ends, however much was read."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        named["Authorization"] = f"Bearer {token}"
    try:
        connection.request("GET", path, headers=named)
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def frames(response: http.client.HTTPResponse) -> Iterator[Frame]:
    """Yield the events of a stream of Server-Sent Events; comments and `retry` are left out."""
    frame = Frame("message", "", "")
    while line := response.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        match name:
            case "id" | "event" | "data":
                setattr(frame, name, value)
            case "" if frame.data:
                yield frame
                frame = Frame("message", "", "")


def lines(response: http.client.HTTPResponse) -> Iterator[Item]:
    """Yield the items of the lines, and check that a last line says that the response is complete."""
    while line := response.readline():
        if end := export_format.parse_end(line):
            assert end.is_whole, end
            return
        yield msgspec.json.decode(line, type=Item)
    raise AssertionError("the answer broke off")
