"""HTTP clients of a real server; many clients may run concurrently. A response keeps its body byte for byte."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from threading import Barrier, Event
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import urllib3

T = TypeVar("T")

TIMES: Final = 100

_PATIENCE: Final = 200  # attempts of one request while the server is busy
_PAUSE_SECONDS: Final = 0.05
_NUMBERS: Final = count(1)  # Tests share a server, so each person's key is made under a new Idempotency-Key.


class Answer(NamedTuple):
    """A response of the server, with its body byte for byte."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def is_replayed(self) -> bool:
        return "Idempotent-Replayed" in self.headers


class Person:
    """A client with an API key and one persistent connection. Not thread-safe.

    *put_off*: the number of responses 429 or 503; after each of them the request was repeated. *in_doubt*: the number
    of these responses that said that the outcome of a command is unknown.
    """

    def __init__(self, url: str, token: str, owner: str = "") -> None:
        self.url = url
        self.token = token
        self.owner = owner
        self.put_off = 0
        self.in_doubt = 0
        self._pool = urllib3.connection_from_url(url, maxsize=1, block=True, retries=False, timeout=60.0)

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, {})

    def post(self, path: str, body: Any, key: str, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {"Idempotency-Key": key, "Content-Type": "application/json"}
        return self._ask("POST", path, named, msgspec.json.encode(body))

    def delete(self, path: str) -> Answer:
        return self._ask("DELETE", path, {})

    def close(self) -> None:
        self._pool.close()

    def _ask(self, method: str, path: str, headers: dict[str, str], data: bytes | None = None) -> Answer:
        """Send a request, and repeat it while the server is busy. The idempotency key makes a repeat safe."""
        authorized = {**headers, "Authorization": f"Bearer {self.token}"} if self.token else headers
        for _ in range(_PATIENCE):
            answer = self._pool.urlopen(method, path, body=data, headers=authorized)
            if answer.status not in {429, 503}:
                return Answer(answer.status, answer.headers, answer.data)
            self.put_off += 1
            self.in_doubt += b"outcome_must_be_known" in answer.data
            Event().wait(_PAUSE_SECONDS)
        raise AssertionError(answer.data)


class Crowd:
    """Makes clients of the server at *url*, and closes their connections.

    The clients of two processes can play on the same database if their crowds have different names.
    """

    def __init__(self, url: str, first_key: str, name: str = "person") -> None:
        self._url = url
        self._name = name
        self._made: list[Person] = []
        self.admin = self.twin(Person(url, first_key))

    def person(self, *scopes: str, owner: str = "", by: Person | None = None) -> Person:
        """Return a client with a new key for *owner* ("": a new owner); *by*, or else the admin, makes the key."""
        key = f"{self._name} {next(_NUMBERS)}"
        made = (by or self.admin).post("/v1/keys", {"scopes": list(scopes), "owner": owner}, key)
        assert made.status == 201, made.body
        return self.twin(Person(self._url, made.json["token"], made.json["key"]["owner"]))

    def twin(self, person: Person) -> Person:
        """Return another client with the key of *person* and a separate connection."""
        self._made.append(Person(person.url, person.token, person.owner))
        return self._made[-1]

    def close(self) -> None:
        for person in self._made:
            person.close()


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """Call all *works* at the same time, each in a separate thread; return their results in the order of *works*."""
    barrier = Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(begin, works))


def a_hundredfold(crowd: Crowd, person: Person, path: str, body: Any, times: int = TIMES) -> Answer:
    """Post the same request *times* times at the same time, and then once more; return the response.

    Check that all responses are equal, and that all but one of them are replays.
    """
    key = f"{path} {body.get('type', '')}".strip()
    twins = [crowd.twin(person) for _ in range(times)]
    answers = at_once([partial(twin.post, path, body, key) for twin in twins])
    for twin in twins:
        twin.close()
    answers.append(person.post(path, body, key))
    assert {answer.status for answer in answers} <= {200, 201}, answers
    assert len({answer.body for answer in answers}) == 1
    assert len({(answer.headers.get("ETag"), answer.headers.get("Location")) for answer in answers}) == 1
    assert [answer.is_replayed for answer in answers].count(False) == 1
    return answers[0]
