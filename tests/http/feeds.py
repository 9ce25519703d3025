"""Gives leaves their indexes, and reads the feed over real HTTP; a read may break off anywhere."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
from msgspec import Raw, Struct

from service.http.responses.log_feed import FeedEnd
from service.transparency.sequencer import Sequencer
from tests.http.service import Service
from tests.http.streams import EVENTS, LINES, answer


class Item(Struct):
    """An event in a feed."""

    table: str
    index: int
    cursor: str
    leaf: Raw
    hash: str
    openings: list[Any]
    fields: list[Any]

    @property
    def position(self) -> int:
        return int(msgspec.json.decode(self.leaf)["position"])


class Page(Struct):
    items: list[Item]
    has_more: bool
    next: str


class LastLine(Struct):
    end: FeedEnd


def indexed(service: Service) -> None:
    """Give every leaf its index."""
    sequencer = Sequencer(service.parts.engine)
    while sequencer.round():
        pass


def item_of(data: str | bytes) -> Item:
    return msgspec.json.decode(data, type=Item)


def rest(url: str, token: str, cursor: str = "") -> list[Item]:
    """Read the feed in pages from *cursor* to its end."""
    found: list[Item] = []
    has_more = True
    while has_more:
        with answer(url, f"/v1/feed?limit=1000&after={cursor}", token) as response:
            page = msgspec.json.decode(response.read(), type=Page)
        found += page.items
        cursor, has_more = page.next, page.has_more
    return found


def some(url: str, token: str, cursor: str, chance: Random) -> tuple[list[Item], str]:
    """Read some events after *cursor* by a random method, and break off anywhere; return them and the next cursor."""
    most = chance.randrange(6)
    match chance.choice(("page", "poll", "events", "lines")):
        case "page" | "poll" as way:
            query = f"?after={cursor}&limit={most + 1}" + ("&wait=1" if way == "poll" and chance.random() < 0.2 else "")
            with answer(url, f"/v1/feed{query}", token) as response:
                page = msgspec.json.decode(response.read(), type=Page)
                return page.items, page.next
        case "events":
            with answer(url, "/v1/feed", token, Accept=EVENTS, Last_Event_ID=cursor) as response:
                return until_cut(event_lines(response), most, cursor)
        case _:
            with answer(url, f"/v1/feed?after={cursor}", token, Accept=LINES) as response:
                return until_cut(data_lines(response), most, cursor)


def until_cut(came: Iterator[tuple[Item | None, str]], most: int, cursor: str) -> tuple[list[Item], str]:
    """Take at most *most* events or heartbeats of a stream; return the events and the last cursor.

    If none is taken, the last cursor is *cursor*.
    """
    items: list[Item] = []
    for _ in range(most):
        with suppress(StopIteration):
            item, cursor = next(came)
            items += [item] if item else []
    return items, cursor


def event_lines(response: Any) -> Iterator[tuple[Item | None, str]]:  # noqa: ANN401 -- the response of http.client
    """Yield each event of a stream, and None for each heartbeat, with the last `id` that the stream has sent."""
    cursor = ""
    while line := response.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "id":
            cursor = value
        elif name == "data":
            yield item_of(value), cursor
        elif value == "still here":
            yield None, cursor


def data_lines(response: Any) -> Iterator[tuple[Item | None, str]]:  # noqa: ANN401 -- the response of http.client
    """Yield the event and the cursor of each line; for the last line, which has no event, yield None and its cursor."""
    while line := response.readline():
        if line.startswith(b'{"end"'):
            end = msgspec.json.decode(line, type=LastLine).end
            assert end.is_whole, end
            yield None, end.next
            return
        item = item_of(line)
        yield item, item.cursor
    raise AssertionError("the answer broke off")
