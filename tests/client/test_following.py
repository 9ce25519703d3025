"""A client that follows a table by a stream misses no event, gets none twice, and finds a server that lies."""

from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from itertools import islice
from typing import Any

import pytest

from service.client import (
    AnswerTooLong,
    AnswerTooSlow,
    Api,
    Client,
    ClientMisused,
    LogContradiction,
    NotTheApi,
    Problem,
    Wait,
    client,
    follow,
    ways_to_wait,
)
from service.client.connection.sent_messages import SentMessage, SentMessages
from service.clock import Clock
from tests.client.scripted import TABLE, Answer, Stream, events, page, say, sends
from tests.client.test_client import byte_by_byte, server

EVENTS = events(6)
END = b"event: end\ndata: {}\n\n"
DUE = b'event: due\ndata: {"position":2,"due_at":"2026-01-01T00:00:00Z","seconds_left":9}\n\n'
HEARTBEAT = b": still here\n\n"
NO_SLOT = say(503, b'{"code":"place_must_be_free","title":"No slot."}')


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways_to_wait, "_PAUSE_SECONDS", 0)


def followed(*answers: Answer, wait: Wait = "stream", most_seconds: float = 9, most_bytes: int = 9_000) -> list[int]:
    """Follow a table at a server that gives *answers*; return the positions of the events that the client got."""
    with (
        server(*answers) as (url, asked),
        closing(Client(url, "", Clock(), patience_seconds=0, most_seconds=most_seconds, most_bytes=most_bytes)) as made,
    ):
        found = [event.leaf.position for event in follow(Api(made), TABLE, wait=wait)]
        assert len(asked) == len(answers)
    return found


def test_a_stream_that_breaks_off_anywhere_is_resumed_after_the_last_whole_event() -> None:
    third = sends(EVENTS[2], 3)
    for cut in (0, 1, len(third) // 2, len(third) - 1):
        first, second = Stream(third, DUE, HEARTBEAT, sends(EVENTS[3], 4)[:cut]), Stream(sends(EVENTS[3]), END)
        found = followed(page(*EVENTS[:2], position=2), first, page(position=3), second, page(position=4, is_over=True))
        assert found == [1, 2, 3, 4], cut
        assert (first.after, second.after) == ("2", "3")


def test_the_next_request_after_a_lost_stream_finds_the_events_that_it_missed() -> None:
    stream = Stream(sends(EVENTS[0]), EVENTS[1][:9])
    assert followed(page(position=0), stream, page(*EVENTS[1:4], position=4, is_over=True)) == [1, 2, 3, 4]


def test_a_table_that_ends_before_the_stream_begins_ends_it() -> None:
    assert followed(page(EVENTS[0], position=1), say(204, b""), page(position=1, is_over=True)) == [1]


def test_a_silent_server_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_SILENT_STREAM_SECONDS", 0.05)
    silent = Stream(sends(EVENTS[0]), HEARTBEAT, stays=True)
    assert followed(page(position=0), silent, page(EVENTS[1], position=2, is_over=True)) == [1, 2]


def test_without_a_free_slot_the_client_reads_pages() -> None:
    pages = [page(EVENTS[0], position=1), NO_SLOT, page(EVENTS[1], position=2), NO_SLOT, page(position=2, is_over=True)]
    assert followed(*pages) == [1, 2]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ([sends(EVENTS[3], 3)], "another event than that of .* at position 3"),
        ([sends(EVENTS[3]), sends(EVENTS[2])], "another event than that of .* at position 3"),
        ([sends(EVENTS[2]), sends(EVENTS[2])], "another event than that of .* at position 4"),
        ([sends(events(3, kind="forged")[2], 3)], "does not continue the one before"),
        ([sends(EVENTS[2].replace(b"moved", b"MOVED"))], "The hash of the event of .* at position 3 is wrong"),
    ],
    ids=["gap", "order", "twice", "fork", "changed"],
)
def test_a_stream_that_contradicts_the_log_is_found(sent: list[bytes], words: str) -> None:
    with pytest.raises(LogContradiction, match=f"event_must_stay: .*{words}"):
        followed(page(*EVENTS[:2], position=2), Stream(*sent, stays=True))


def test_a_log_that_was_rewound_behind_a_lost_stream_is_found() -> None:
    with pytest.raises(LogContradiction, match=r"at position 3, .* ends at 2"):
        followed(page(*EVENTS[:2], position=2), Stream(sends(EVENTS[2])), page(position=2))


def test_the_ids_of_a_stream_are_not_trusted() -> None:
    wrong = [sends(event, 9 - number) for number, event in enumerate(EVENTS[:2])]
    second = Stream(END)
    found = followed(page(position=0), Stream(*wrong), page(position=2), second, page(position=2, is_over=True))
    assert (found, second.after) == ([1, 2], "2")


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send a message that never ends, a byte at a time."""
    byte_by_byte(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 1\n\ndata:")(handler)


def test_a_message_that_comes_byte_by_byte_ends_the_stream() -> None:
    told = pytest.raises(AnswerTooSlow, match=r"/events gave an answer that was not complete 0\.05 seconds after")
    with told:
        followed(page(position=0), endless, most_seconds=0.05)


@pytest.mark.parametrize("parts", [[b"data: " + b" " * 5000], [b"data: x\n"] * 800], ids=["line", "lines"])
def test_a_message_that_is_too_long_ends_the_stream(parts: list[bytes]) -> None:
    with pytest.raises(AnswerTooLong, match="a message of more than 4,000 bytes"):
        followed(page(position=0), Stream(*parts, stays=True), most_bytes=4000)


@pytest.mark.parametrize("answer", [say(200, b"<h1>Hello</h1>", "text/html"), Stream(b"data: {}\n\n")])
def test_a_stream_that_is_not_from_the_api_is_named(answer: Answer) -> None:
    with pytest.raises(NotTheApi, match=r"not from Chiptrail's API|no stream of events of Chiptrail's API"):
        followed(page(position=0), answer)


def test_a_refused_stream_is_reported() -> None:
    with pytest.raises(Problem, match="404 table_must_exist"):
        followed(page(position=0), say(404, b'{"code":"table_must_exist"}'))


def test_a_client_that_never_waits_ends_after_the_last_event() -> None:
    pages = page(*EVENTS[:4], position=6, has_more=True), page(*EVENTS[4:], position=6)
    assert followed(*pages, wait="never") == [1, 2, 3, 4, 5, 6]


def test_another_way_to_wait_is_refused() -> None:
    with pytest.raises(ClientMisused, match="one of polls, stream, never, and not 'streams'"):
        followed(page(position=0), wait="streams")  # type: ignore[arg-type]


def test_a_reader_that_breaks_off_closes_the_connection_of_its_stream() -> None:
    stays = Stream(*map(sends, EVENTS), stays=True)  # The server waits until the connection is closed.
    with server(page(position=0), stays, page(position=6)) as (url, _), closing(Client(url, "")) as made:
        assert len(list(islice(follow(Api(made), TABLE, wait="stream"), 3))) == 3
        assert made.get("/see", dict[str, Any])["position"] == 6


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def test_messages_are_found_however_the_network_divides_them() -> None:
    sent = (
        b"retry: 9\n\n: hello\n\nid: 4\ndata: one\ndata:two\ndata\n\nevent: end\r\ndata: {}\r\n\r\n"
        b"id: 7\n: still here\n\nevent: lost\n\ndata: last\n\ndata: cut"
    )
    told = [
        SentMessage("message", "4", b"one\ntwo\n"),
        SentMessage("end", "4", b"{}"),
        SentMessage("message", "7", b""),
        SentMessage("message", "7", b"last"),
    ]
    for size in range(1, len(sent) + 1):
        messages = SentMessages(most_bytes=100)
        found = [message for piece in pieces(sent, size) for message in messages.found(piece)]
        assert found == told, size
        assert messages.is_amid
