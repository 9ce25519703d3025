"""A service under test, and people who send requests; every response is checked against the OpenAPI document."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Final, Self

import msgspec
from flask import Flask
from sqlalchemy import ColumnElement, func, select
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.test import TestResponse

from service import app, settings
from service.api_keys import repository
from service.api_keys.repository import Key, Scope
from service.database.engines import administering, reading
from service.database.metadata import SERVICE_STREAM
from service.entropy import Entropy
from service.event_store import log_tables
from service.games import CURRENT
from service.secrets.key_check import check_service_key
from service.service_log import key_register
from service.transparency import published
from service.transparency.log_signer import LogSigner
from service.transparency.sequencer import Sequencer
from tests import databases
from tests.http import contract

UNHURRIED: Final = {"owner_requests_per_second": 0, "address_requests_per_second": 0}
"""No rate limits, because tests send requests faster than any client."""


class Service:
    """The whole service on one database; its requests run in this process."""

    def __init__(self, folder: Path, database_url: str, entropy: Entropy | None = None, **more: Any) -> None:
        chosen = {"log_level": "warning", **UNHURRIED, **more}
        self.parts = app.build(settings.load({}, data_folder=folder, database_url=database_url, **chosen), entropy)
        databases.watch_the_command_path(self.parts.engine)
        with administering(self.parts.engine) as connection:
            check_service_key(connection, self.parts.service_key)
        self.app: Flask = app.create_app(self.parts)
        self.contract = contract.ours()
        self.numbers = count(1)
        self.spectator = Person(self, "", "")

    def person(
        self,
        *scopes: Scope,
        expires_at: str = "",
        owner: str = "",
        made_by: str = repository.OPERATOR,
        limits: tuple[str, ...] = (),
    ) -> "Person":
        """Return a new person, or *owner*, with a new key."""
        number = next(self.numbers)
        key_id = number.to_bytes(16, "big")
        owner = owner or f"own_{number:032x}"
        with administering(self.parts.engine) as connection:
            key = Key(
                key_id=key_id,
                owner=owner,
                scopes=scopes,
                secret_hash=repository.hash_of(repository.secret_of(self.parts.service_key, key_id)),
                label="",
                made_by=made_by,
                made_at="2026-01-01T00:00:00.000Z",
                expires_at=expires_at,
                limits=limits,
            )
            if self.parts.service_log.is_open(connection):
                key_register.make_key(connection, self.parts.service_log, key)
            else:  # Here the log has leaves of tables alone; a server that starts later adopts the key.
                repository.add(connection, key)
        return Person(self, owner, repository.token(self.parts.service_key, key_id))

    def keep_log(self) -> str:
        """Work as the log keeper: index all leaves, and publish a checkpoint; return it, or "" if none is due."""
        sequencer = Sequencer(self.parts.engine)
        while sequencer.round():
            pass
        return self.publish()

    def publish(self) -> str:
        """Publish a checkpoint of the leaves that have an index; return it, or "" if none is due."""
        return published.publish(self.parts.engine, self.signer) or ""

    @property
    def signer(self) -> LogSigner:
        assert self.parts.log_signer
        return self.parts.log_signer

    def events(self) -> int:
        """Return the number of all recorded events of tables."""
        return self._count(log_tables.events.c.stream_id != SERVICE_STREAM)

    def service_events(self) -> int:
        """Return the number of events in the service's own stream."""
        return self._count(log_tables.events.c.stream_id == SERVICE_STREAM)

    def _count(self, condition: ColumnElement[bool]) -> int:
        with reading(self.parts.engine) as connection:
            counted = select(func.count()).select_from(log_tables.events).where(condition)
            return int(connection.execute(counted).scalar_one())

    def close(self) -> None:
        self.parts.end()
        self.parts.engine.dispose()


class Person:
    """A caller with the key *token*; "": a spectator."""

    def __init__(self, service: Service, owner: str, token: str) -> None:
        self.service = service
        self.owner = owner
        self.token = token
        self._client = service.app.test_client()

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any, key: str = "", **headers: str) -> TestResponse:
        """Post *body* under the Idempotency-Key *key*; "": under a new key."""
        named = {"Idempotency-Key": key or f"key-{next(self.service.numbers)}", **headers}
        data = msgspec.json.encode(body)
        return self.send("POST", path, headers=named, data=data, content_type="application/json")

    def do(self, table: str, type_: str, /, key: str = "", **members: Any) -> TestResponse:
        """Post an action."""
        return self.post(f"{table}/actions", {"type": type_, **members}, key=key)

    def send(self, method: str, path: str, *, headers: dict[str, str], **more: Any) -> TestResponse:
        """Send any request, and check the response against the contract."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            named.setdefault("Authorization", f"Bearer {self.token}")
        answer = self._client.open(path, method=method, headers=named, **more)
        assert answer.headers["X-Request-Id"].startswith("req_")
        self.service.contract.must_hold(self.service.app, method, path, answer)
        return answer


class Table:
    """A table with its host and players; its game is Bankrupt unless *game* names another. `path` is its URL path."""

    def __init__(
        self,
        service: Service,
        players: int = 3,
        *,
        game: str = "bankrupt",
        visibility: str = "public",
        seeds: Any = "operator",
        worth: Any = None,
        **options: Any,
    ) -> None:
        self.service = service
        self.host = service.person("host")
        self.players = {seat: service.person("play", made_by=self.host.owner) for seat in range(1, players + 1)}
        has_chips = "buy_in" in CURRENT[game].options.__struct_fields__
        self.buy_in = options.get("buy_in", 12) if has_chips else 0
        body = {
            "game": game,
            "seats": max(2, players),
            "visibility": visibility,
            "seeds": seeds,
            "worth": worth,
            "options": {"buy_in": self.buy_in, **options} if has_chips else options,
        }
        self.path: str = accepted(self.host.post("/v1/tables", body), 201).headers["Location"]
        self.id = self.path.rpartition("/")[2]

    def seated(self) -> "Table":
        for seat, player in self.players.items():
            accepted(player.post(f"{self.path}/seats", {"chips": self.buy_in, "seat": seat}), 201)
        return self

    def started(self) -> Self:
        self.seated()
        accepted(self.host.do(self.path, "start_game"))
        return self

    def dealt(self) -> Self:
        self.started()
        self.due.do(self.path, "deal_hand")
        return self

    def view(self, person: Person | None = None, query: str = "") -> Any:
        return accepted((person or self.host).get(self.path + query)).json

    @property
    def position(self) -> int:
        return int(self.view()["position"])

    @property
    def due_seat(self) -> int:
        (due,) = self.view()["due"]
        return int(due.removeprefix("seat:"))

    @property
    def due(self) -> Person:
        return self.players[self.due_seat]

    @property
    def others(self) -> list[Person]:
        """The players who need not decide now."""
        due = self.due_seat
        return [player for seat, player in self.players.items() if seat != due]


def accepted(answer: TestResponse, status: int = 200) -> Any:
    """Check that the response has *status*, and return the response."""
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer


def refused(answer: TestResponse, status: int, code: str) -> Any:
    """Check that the response is a problem with *status* and *code*; return its details."""
    details = answer.get_json()
    assert (answer.status_code, details["status"], details["code"]) == (status, status, code), details
    assert answer.content_type == "application/problem+json"
    assert details["request_id"] == answer.headers["X-Request-Id"]
    assert details["title"]
    return details


@contextmanager
def running(folder: Path, database_url: str, **more: Any) -> Iterator[Service]:
    """Run a service while the block runs."""
    service = Service(folder, database_url, **more)
    yield service
    service.close()


class Silent(WSGIRequestHandler):
    """Handles requests, and writes no log line for a request."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        pass


def serving(service: Service) -> AbstractContextManager[str]:
    """Answer the requests to *service* over real HTTP while the block runs; the context yields the URL."""
    return serving_app(service.app)


@contextmanager
def serving_app(app: Flask) -> Iterator[str]:
    """Answer the requests to *app* over real HTTP while the block runs; yield the URL."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Silent)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
