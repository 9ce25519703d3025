"""Worlds: services that get the same requests and random values, and differ only in hidden cards and sealed values."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import msgspec
from flask.testing import FlaskClient
from msgspec import Struct
from werkzeug.test import TestResponse

from service import app, deck, settings
from service.api_keys import repository
from service.api_keys.repository import Key, Scope
from service.cards import Face
from service.database.engines import administering
from service.deck import Deck
from service.entropy import Entropy
from tests.databases import Databases
from tests.http.service import UNHURRIED
from tests.tables import signing

EVENTS: Final = "text/event-stream"
_END: Final = b"\n\n"
LINES: Final = "application/x-ndjson"

MASKED: Final = frozenset(
    {
        "c",
        "choice",
        "deck_root",
        "hash",
        "head_hash",
        "leaf_hash",
        "prev",
        "proof",
        "request_id",
        "server_commit",
        "signature",
        "transcript",
    }
)
"""Members whose values depend on hidden facts, such as commitments and hashes. They are masked by name."""

_HASH: Final = re.compile(b"[0-9a-f]{64}")
"""A hash in a text, which is masked like the members in MASKED."""

HOST, AUDITOR, STRANGER, SPECTATOR = "host", "auditor", "stranger", "spectator"
GUEST: Final = "guest"
"""An owner who is invited to a private table, but never takes a seat."""

NOW: Final = "2026-01-01T00:00:00.000Z"

Overrides = Mapping[str, tuple[Face, ...]]


class Scripted(Entropy):
    """An `Entropy` that returns the same sequence of values in every world."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def secret(self) -> bytes:
        return self._next("secret")

    def nonce(self) -> bytes:
        return self._next("nonce")[:12]

    def now(self) -> str:
        return NOW

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{self._next(prefix)[:16].hex()}"

    def _next(self, kind: str) -> bytes:
        self._asked[kind] += 1
        return sha256(f"{kind} {self._asked[kind]}".encode()).digest()


class Request(Struct, frozen=True):
    """A write request that can be sent again in another world; *signs*: its author signs it anew there."""

    who: str
    path: str
    body: Any
    key: str
    signs: bool = False


class World:
    """A separate service. *faces*: the order of a deck, by epoch; any other deck is shuffled by its seed."""

    def __init__(self, folder: Path, databases: Databases, faces: Overrides) -> None:
        self._faces = faces
        self._copy = databases.migrated("sqlite")
        configured = settings.load({}, data_folder=folder, database_url=self._copy.__enter__(), **UNHURRIED)
        self.parts = app.build(configured, Scripted(), self._shuffle)
        self.client: FlaskClient = app.create_app(self.parts).test_client()
        self.tokens: dict[str, str] = {}
        self._signed: dict[tuple[str, str], Any] = {}

    def close(self) -> None:
        """Close the connections and release the database."""
        self.parts.engine.dispose()
        self._copy.__exit__(None, None, None)

    def admit(self, who: str, *scopes: Scope, made_by: str = "") -> str:
        """Store a key for *who*, made by the owner *made_by*; return the owner id of *who*."""
        key_id = sha256(who.encode()).digest()[:16]
        key = Key(
            key_id=key_id,
            owner=f"own_{key_id.hex()}",
            scopes=scopes,
            secret_hash=repository.hash_of(repository.secret_of(self.parts.service_key, key_id)),
            label="",
            made_by=made_by,
            made_at=NOW,
        )
        with administering(self.parts.engine) as connection:
            repository.add(connection, key)
        self.tokens[who] = repository.token(self.parts.service_key, key_id)
        return key.owner

    def get(self, who: str, path: str, **headers: str) -> TestResponse:
        """Send a GET request with the key of *who*, or without a key if *who* has none."""
        return self.client.get(path, headers=self._headers(who, headers))

    def stream(self, who: str, path: str, form: str, last: int) -> list[Any]:
        """Read a stream as *who* up to the event at the position *last*, then close it; return the masked lines.

        If the status is not 200, return only the `answer_parts` of the response.
        """
        answer = self.client.get(path, headers=self._headers(who, {"Accept": form}), buffered=False)
        if answer.status_code != HTTPStatus.OK:
            return [answer_parts(answer)]
        found: list[Any] = []
        for line in b"".join(_until(answer, f"id: {last}\n")).decode().splitlines():
            name, _, value = line.partition(": ")
            found.append(masked(msgspec.json.decode(value)) if name == "data" else line)
        answer.close()
        return found

    def post(self, request: Request, **headers: str) -> TestResponse:
        """Send *request* with the key of its author; a repeat has the same signature as the first request."""
        more, body, place = {"Idempotency-Key": request.key, **headers}, request.body, (request.who, request.key)
        if request.signs:
            body = self._signed[place] = self._signed.get(place) or signing.signed(self, request)
        return self.client.post(request.path, json=body, headers=self._headers(request.who, more))

    def _headers(self, who: str, more: Mapping[str, str]) -> dict[str, str]:
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        if who in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        return headers

    def _shuffle(self, epoch: str, seed: bytes, clients: Mapping[int, bytes]) -> Deck:
        shuffled = deck.shuffle(epoch, seed, clients)
        return msgspec.structs.replace(shuffled, order=self._faces.get(epoch, shuffled.order))


def masked(value: Any) -> Any:  # noqa: ANN401  # the value may be any JSON
    """Return *value* with the value of every member in MASKED replaced."""
    match value:
        case dict():
            return {name: "masked" if name in MASKED else masked(inner) for name, inner in value.items()}
        case list():
            return [masked(inner) for inner in value]
        case _:
            return value


def answer_parts(answer: TestResponse) -> tuple[int, dict[str, str], Any, int]:
    """Return the status, headers (without date and request id), masked body and size of a response."""
    headers = {name: value for name, value in answer.headers if name not in {"Date", "X-Request-Id"}}
    body: Any = None
    if answer.content_type == LINES:
        body = [masked(msgspec.json.decode(line)) for line in answer.data.splitlines()]
    elif answer.content_type.startswith("text/"):
        body = masked_text(answer.data)
    elif answer.data:
        body = masked(answer.get_json())
    return answer.status_code, headers, body, len(answer.data)


def masked_text(text: bytes) -> bytes:
    """Return *text* with each hash masked."""
    return _HASH.sub(b"#", text)


def _until(answer: TestResponse, last: str) -> Iterator[bytes]:
    """Yield the messages of a streamed response up to one that begins with *last*; a part may have several messages."""
    for part in answer.iter_encoded():
        for message in part.split(_END)[:-1]:
            yield message + _END
            if message.startswith(last.encode()):
                return


def other_faces(
    order: tuple[Face, ...], seen: frozenset[int], played: frozenset[int], chance: random.Random
) -> tuple[Face, ...]:
    """Return *order* with every face moved to another place, except the faces at the positions in *seen*.

    Cards in *played* decided a round without being shown (BO1.1). Each such card changes places only with a card of its
    own rank, or stays if no such card is free, so that the result of the round stays the same.
    """
    faces = list(order)
    free = [position for position in range(len(order)) if position not in seen | played]
    for position in played - seen:
        twins = [other for other in free if order[other][0] == order[position][0]]
        if twins:
            other = chance.choice(twins)
            free.remove(other)
            faces[position], faces[other] = faces[other], faces[position]
    turn = chance.randrange(1, len(free))
    moved = [faces[position] for position in (*free[turn:], *free[:turn])]
    for position, face in zip(free, moved, strict=True):
        faces[position] = face
    return tuple(faces)
