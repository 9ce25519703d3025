"""Answers for a scripted server: events of a table, pages of events and feeds, and streams."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

import msgspec

from service import merkle
from service.canonical import canonical

Answer = Callable[[BaseHTTPRequestHandler], None]

TABLE: Final = f"tbl_{1:032x}"
LOG: Final = "-0123456789abcdef"


def events(count: int, *, table: str = TABLE, before: Sequence[bytes] = (), kind: str = "moved") -> list[bytes]:
    """Return *count* events of a table as the API shows them; their hash chain continues the events *before*."""
    shown = list(before)
    for _ in range(count):
        prev = msgspec.json.decode(shown[-1])["hash"] if shown else "0" * 64
        leaf = canonical(
            {
                "at": "2026-01-01T00:00:00.000Z",
                "by": "host",
                "position": len(shown) + 1,
                "prev": prev,
                "pub": {},
                "stream": f"table/{table}",
                "type": kind,
            }
        )
        shown.append(b'{"leaf":%b,"hash":"%b"}' % (leaf, merkle.leaf_hash(leaf).hex().encode()))
    return shown[len(before) :]


def in_feed(item: bytes, index: int, table: str = TABLE, *, added: int = 0, cursor: str = "") -> bytes:
    """Return the event *item* as the feed shows it."""
    more = {"table": table, "index": index, "cursor": cursor or f"{index}{LOG}", "table_added": added}
    return item[:-1] + b"," + msgspec.json.encode(more)[1:]


def page(*items: bytes, position: int = 0, is_over: bool = False, has_more: bool = False) -> Answer:
    """Return an answer with a page of a table's events."""
    rest = {"has_more": has_more, "position": position, "is_over": is_over}
    return say(200, b'{"items":[%b],%b' % (b",".join(items), msgspec.json.encode(rest)[1:]))


def feed_page(*items: bytes, next_: str, broken: Sequence[Any] = (), has_more: bool = False) -> Answer:
    """Return an answer with a page of a feed."""
    rest = {"broken": broken, "has_more": has_more, "next": next_}
    return say(200, b'{"items":[%b],%b' % (b",".join(items), msgspec.json.encode(rest)[1:]))


def say(status: int, body: bytes, kind: str = "application/json") -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def sends(item: bytes, id_: object = "") -> bytes:
    """Return a message of a stream with the event *item*."""
    return b"id: %b\ndata: %b\n\n" % (str(id_).encode(), item)


class Stream:
    """Answers with a stream of *pieces*, then closes the connection (if *stays*: waits until the client hangs up).

    `after` is the Last-Event-ID of the request.
    """

    def __init__(self, *pieces: bytes, stays: bool = False) -> None:
        self._pieces = pieces
        self._stays = stays
        self.after: str | None = None

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        assert handler.headers["Accept"] == "text/event-stream"
        self.after = handler.headers["Last-Event-ID"]
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.close_connection = True
        with suppress(OSError):
            for piece in (b"retry: 1000\n\n", *self._pieces):
                handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if self._stays:
                handler.rfile.read(1)
