"""People at a real server, many at once: what they are told, byte for byte."""

# ruff: noqa: ANN401 -- JSON is anything

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

_PATIENCE: Final = 200  # a busy server is asked again so often
_PAUSE_SECONDS: Final = 0.05
_NUMBERS: Final = count(1)  # tests share a server: nobody may come to be somebody of another test


class Answer(NamedTuple):
    """What came back."""

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
    """Somebody with a key, over one kept connection; used by one thread at a time.

    *put_off*: how often the server was busy and was asked again. *in_doubt*: how often it could not say what had come
    of a command, and was asked again.
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
        """Ask, and again where the server is busy: nothing was recorded then, or the repeat is recognised."""
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
    """Makes people at the server of *url*, and lets all their connections go."""

    def __init__(self, url: str, first_key: str) -> None:
        self._url = url
        self._made: list[Person] = []
        self.admin = self.twin(Person(url, first_key))

    def person(self, *scopes: str, owner: str = "", by: Person | None = None) -> Person:
        """Return somebody with a new key, *by* the admin if nobody is named; "": of a new owner."""
        key = f"person {next(_NUMBERS)}"
        made = (by or self.admin).post("/v1/keys", {"scopes": list(scopes), "owner": owner}, key)
        assert made.status == 201, made.body
        return self.twin(Person(self._url, made.json["token"], made.json["key"]["owner"]))

    def twin(self, person: Person) -> Person:
        """Return *person* on a connection of their own."""
        self._made.append(Person(person.url, person.token, person.owner))
        return self._made[-1]

    def close(self) -> None:
        for person in self._made:
            person.close()


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """Do all *works* at the same time, each in a thread of its own; return what came of them, in their order."""
    barrier = Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(begin, works))


def a_hundredfold(crowd: Crowd, person: Person, path: str, body: Any, times: int = TIMES) -> Answer:
    """Have *person* ask the same a hundred *times* at once, or fewer, and once more; return the one answer."""
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
