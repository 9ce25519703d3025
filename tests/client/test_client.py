"""With a failing server, the client repeats commands under one key, reports refusals, and gives up in the end."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from service.client.client import Client
from service.client.client_errors import AnswerTooLong, AnswerTooSlow, ClientMisused, NotTheApi, Problem, ServerGone
from service.entropy import Entropy

Answer = Callable[[BaseHTTPRequestHandler], None]


class Asked(list[tuple[str, str, str]]):
    """The requests so far: the method and path of each, its Idempotency-Key, and its header Authorization."""


@contextmanager
def server(*answers: Answer) -> Iterator[tuple[str, Asked]]:
    """Serve *answers* one after the other, and then the last of them repeatedly; yield the URL and the requests."""
    asked = Asked()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            headers = self.headers
            self.rfile.read(int(headers.get("Content-Length", 0)))
            asked.append(
                (f"{self.command} {self.path}", headers.get("Idempotency-Key", ""), headers.get("Authorization", ""))
            )
            answers[min(len(asked), len(answers)) - 1](self)

        do_GET = do_POST = answer  # noqa: N815 -- the library defines the names

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}", asked
        finally:
            listening.shutdown()
            thread.join()


def say(status: int, body: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True  # the server closes the connection without a response


@contextmanager
def client(url: str, key: str = "", patience_seconds: float = 30) -> Iterator[Client]:
    made = Client(url, key, Entropy(), patience_seconds=patience_seconds)
    yield made
    made.close()


FINE = say(200, '{"a":1}')


@pytest.mark.parametrize(
    "failure",
    [hang_up, say(502, "<h1>Bad gateway</h1>"), say(503, "{}"), say(429, "{}")],
    ids=["lost", "502", "503", "429"],
)
def test_a_command_that_got_no_answer_is_repeated_under_the_same_key(failure: Answer) -> None:
    with server(failure, failure, FINE) as (url, asked), client(url) as made:
        assert made.post("/do", dict[str, int], {}) == {"a": 1}
        assert made.post("/do", dict[str, int], {}) == {"a": 1}
    keys = [key for _, key, _ in asked]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert all(keys)


def test_a_key_and_an_idempotency_key_that_are_given_are_sent() -> None:
    with server(FINE) as (url, asked), client(url, "ctk_1_2") as made:
        made.post("/do", dict[str, int], {}, idempotency_key="at 7")
        made.get("/see", dict[str, int], wait=3, at=None)
    assert asked == [("POST /do", "at 7", "Bearer ctk_1_2"), ("GET /see?wait=3", "", "Bearer ctk_1_2")]


def test_a_refusal_is_raised_and_the_request_is_not_repeated() -> None:
    refusal = '{"code":"player_must_be_due","title":"The rules do not allow it.","detail":"Seat 2 is due.","rule":"11"}'
    told = pytest.raises(Problem, match="409 player_must_be_due: Seat 2 is due")
    with server(say(409, refusal)) as (url, asked), client(url) as made, told as refused:
        made.post("/do", dict[str, int], {})
    assert (refused.value.status, refused.value.code, refused.value.rule) == (409, "player_must_be_due", "11")
    assert len(asked) == 1


def test_all_errors_of_a_request_are_reported() -> None:
    refusal = '{"code":"request_must_have_its_shape","detail":"It has not.","errors":[{"message":"4 seats, not 3."}]}'
    told = pytest.raises(Problem, match=r"422 request_must_have_its_shape: It has not\. 4 seats, not 3\.")
    with server(say(422, refusal)) as (url, _), client(url) as made, told:
        made.post("/do", dict[str, int], {})


def test_an_answer_that_is_not_problem_details_is_reported_unchanged() -> None:
    told = pytest.raises(Problem, match=r"500 .*Broken")
    with server(say(500, "<h1>Broken</h1>")) as (url, _), client(url) as made, told:
        made.get("/see", dict[str, int])


@pytest.mark.parametrize("body", ["<h1>Welcome</h1>", '{"a":"one"}', "\xff"], ids=["page", "shape", "bytes"])
def test_an_answer_that_is_none_of_the_api_is_named(body: str) -> None:
    told = pytest.raises(NotTheApi, match=r"/see gave an answer that is not from Chiptrail's API")
    with server(say(200, body)) as (url, _), client(url) as made, told:
        made.get("/see", dict[str, int])


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "7")
    handler.end_headers()
    handler.wfile.write(b'{"a":')
    handler.close_connection = True


def test_an_answer_that_is_cut_short_is_asked_for_again() -> None:
    with server(cut_short, FINE) as (url, asked), client(url) as made:
        assert made.get("/see", dict[str, int]) == {"a": 1}
    assert len(asked) == 2


def without_a_length(handler: BaseHTTPRequestHandler) -> None:
    """Send an endless answer until the client hangs up."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b"400\r\n" + b" " * 1024 + b"\r\n")
    handler.close_connection = True


@pytest.mark.parametrize(
    "answer",
    [without_a_length, say(200, " " * 300_000), say(409, " " * 300_000)],
    ids=["endless", "long", "refusal"],
)
def test_of_an_answer_that_is_too_long_no_more_is_read_and_the_client_goes_on(answer: Answer) -> None:
    told = pytest.raises(AnswerTooLong, match=r"/see gave an answer of more than 200,000 bytes, .* `most_bytes`")
    with (
        server(answer, say(200, " " * 199_993 + '{"a":1}')) as (url, asked),
        closing(Client(url, "", most_bytes=200_000)) as made,
    ):
        with told:
            made.get("/see", dict[str, int])
        assert made.get("/see", dict[str, int]) == {"a": 1}
    assert len(asked) == 2


def byte_by_byte(text: bytes) -> Answer:
    """Return an answer that sends *text*, and then one space after the other until the client hangs up."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        gone = Event()
        with suppress(OSError):
            handler.wfile.write(text)
            while not gone.wait(0.001):
                handler.wfile.write(b" ")
        handler.close_connection = True

    return answer


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Long:",
        b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n",
        b"HTTP/1.1 409 NO\r\nContent-Length: 300000\r\n\r\n",
    ],
    ids=["status", "header", "body", "chunk", "refusal"],
)
def test_an_answer_that_comes_byte_by_byte_is_broken_off_and_the_client_goes_on(text: bytes) -> None:
    told = pytest.raises(
        AnswerTooSlow, match=r"/see gave an answer that was not complete 0\.05 seconds after its first"
    )
    with (
        server(byte_by_byte(text), FINE) as (url, asked),
        closing(Client(url, "", most_seconds=0.05)) as made,
    ):
        with told:
            made.get("/see", dict[str, int])
        assert made.get("/see", dict[str, int]) == {"a": 1}
    assert len(asked) == 2


class SetClock(Entropy):
    """A clock that goes on only when a test sets it."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


def test_the_time_before_the_first_byte_of_an_answer_is_apart() -> None:
    clock = SetClock()

    def late(handler: BaseHTTPRequestHandler) -> None:
        clock.seconds += 3600
        FINE(handler)

    with server(late) as (url, _), closing(Client(url, "", clock, most_seconds=1)) as made:
        assert made.get("/see", dict[str, int]) == {"a": 1}


@pytest.mark.parametrize("failure", [hang_up, say(503, "{}")], ids=["lost", "503"])
def test_a_server_that_stays_silent_ends_the_patience(failure: Answer) -> None:
    told = pytest.raises(ServerGone, match=r"gave no answer for 0\.1 seconds")
    with server(failure) as (url, asked), client(url, patience_seconds=0.1) as made, told:
        made.get("/see", dict[str, int])
    assert len(asked) > 1


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "localhost:8000",
        "ftp://host",
        "http://",
        "",
        "http://host/v1",
        "http://user:word@host",
        "http://host:word",
    ],
)
def test_an_address_that_would_not_be_used_as_it_stands_is_refused(url: str) -> None:
    with pytest.raises(ClientMisused, match="must be http://HOST:PORT") as refused:
        Client(url, "", Entropy())
    assert "word" not in str(refused.value)


@pytest.mark.parametrize("key", ["ctk_1_2\n", " ctk_1_2", "ctk_1_\N{EURO SIGN}"], ids=["line", "space", "letter"])
def test_a_key_that_no_header_can_have_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ClientMisused, match="must be one word") as refused:
        Client("http://127.0.0.1:8000", key, Entropy())
    assert "ctk_" not in str(refused.value)


@pytest.mark.parametrize(
    "key", ["two\nlines", "5 \N{EURO SIGN}", "z" * 201, " space"], ids=["line", "letter", "long", "space"]
)
def test_an_idempotency_key_that_cannot_be_sent_is_refused_before_a_request(key: str) -> None:
    with server(FINE) as (url, asked), client(url) as made:
        with pytest.raises(ClientMisused, match="An Idempotency-Key must be 1 to 200 ASCII characters"):
            made.post("/do", dict[str, int], {}, idempotency_key=key)
        assert asked == []
