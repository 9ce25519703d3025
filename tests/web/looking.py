"""Requests every page in a world; in the answers, members that depend on hidden facts are levelled: made equal."""

# ruff: noqa: ANN401 -- JSON may be any value

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from flask import Flask
from msgspec.structs import replace
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Response

from service.api_keys.browser_sessions import BrowserSessions
from service.web.asking import viewer
from service.web.asking.api_caller import ApiCaller, ApiFailed, Query
from tests.tables.worlds import MASKED, Scripted
from tests.web.routes import pages_of, pages_rules
from tests.web.world import DISPUTED, FROM_A_PAGE

FIGURES: Final = "/operations"
"""The beginning of the paths of pages that show figures of a process, such as times, which differ between processes."""
ROOT: Final = b64encode(bytes(32)).decode()
_ARGUMENT: Final = re.compile("<(?:[^:>]+:)?([^>]+)>")


class Shown(NamedTuple):
    """An answer that a viewer got: its body is bytes, or levelled JSON, or None for a file or a stream."""

    status: int
    headers: dict[str, str]
    body: object


class Levelled(ApiCaller):
    """Calls the API as the pages do, and levels its answers, so that pages with different hashes can be equal.

    Answers that a page passes on unchanged, such as a dossier, are not levelled here: `shown` levels those that are
    JSON, and the others have their own tests.
    """

    def get(self, path: str, query: Query | None = None, *, key_id: bytes = b"", token: str = "") -> Any:
        """Return the levelled answer."""
        return levelled(super().get(path, query, key_id=key_id, token=token))

    def call(self, method: str, path: str, *more: Any, **named: Any) -> Response:
        """Return the answer; only a problem, and the root of the tree in a checkpoint or a proof, are levelled."""
        try:
            answer = super().call(method, path, *more, **named)
        except ApiFailed as error:
            error.response.set_data(msgspec.json.encode(levelled(error.response.get_json())))
            raise
        if path.endswith(("/checkpoint", "/proof")):
            lines = answer.get_data(as_text=True).split("\n")
            lines[2 if path.endswith("/checkpoint") else lines.index("") + 3] = ROOT  # below the origin and the size
            answer.set_data("\n".join(lines))
        return answer


def levelled(value: Any, *, is_masked: bool = False) -> Any:
    """Return *value* with zeros for texts and numbers in members that MASKED names; texts keep their lengths."""
    match value:
        case dict():
            return {name: levelled(inner, is_masked=is_masked or name in MASKED) for name, inner in value.items()}
        case list():
            return [levelled(inner, is_masked=is_masked) for inner in value]
        case str() if is_masked:
            return "0" * len(value)
        case int() if is_masked and not isinstance(value, bool):
            return 0
        case _:
            return value


class Onlooker:
    """A browser that looks at the pages of *app*, signed in with the key *token* if there is one."""

    def __init__(self, app: Flask, token: str) -> None:
        _level(app, token)
        self.client: Final = Client(app)
        if token:
            form = {"key": token, "form_token": ""}
            assert self.client.post("/sign-in", data=form, headers=FROM_A_PAGE).status_code == HTTPStatus.SEE_OTHER

    def sees(self, path: str) -> Shown:
        """Return the status, the headers and the bytes of the page at *path*; of a file or a stream, no bytes."""
        return shown(self.client.get(path, buffered=False))


def shown(answer: TestResponse) -> Shown:
    """Return the status, the headers and the content of *answer*; JSON is levelled, and a file or a stream has none."""
    headers = {name: value for name, value in answer.headers if name not in {"Date", "X-Request-Id"}}
    body: object
    if answer.mimetype == "application/json":
        body = levelled(msgspec.json.decode(answer.get_data()))
        headers.pop("ETag", None)  # a hash of the bytes
    elif answer.mimetype == "text/html":
        body = answer.get_data()
    else:
        body = None
        headers = {name: headers[name] for name in ("Content-Type", "Cache-Control", "Vary")}
    answer.close()
    return Shown(answer.status_code, headers, body)


class _TokenOf(Scripted):
    """A source of chance that gives the browser of the owner of *key* the same token in every world."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def secret(self) -> bytes:
        return sha256(self._key.encode()).digest()


def _level(app: Flask, key: str) -> None:
    """Let the pages of *app* use levelled answers, and give the owner of *key* the token that all worlds share."""
    with pages_of(app).app_context():
        parts = viewer.parts()
        sessions = BrowserSessions(parts.sessions._engine, parts.sessions._derivation, _TokenOf(key))
        viewer.attach(replace(parts, api=Levelled(parts.api._application), sessions=sessions))


def must_be_equal(ours: Shown, theirs: Shown, where: str) -> None:
    """Fail with the first line in which two pages differ."""
    if isinstance(ours.body, bytes) and isinstance(theirs.body, bytes):
        for line, other in zip(ours.body.splitlines(), theirs.body.splitlines(), strict=False):
            assert line == other, where
    assert ours == theirs, where


def paths(examples: Mapping[str, str], *, only: str = "") -> Iterator[str]:
    """Yield a path for each route of pages, except assets, that answers GET.

    If *only* is given, yield only the paths of the routes with this argument.

    Raises:
        KeyError: a route has an argument without an example.
    """
    for rule in pages_rules():
        names = _ARGUMENT.findall(rule.rule)
        if "GET" in (rule.methods or ()) and rule.endpoint != "assets.get_asset" and (not only or only in names):
            yield path_of(rule.rule, examples)


def path_of(rule: str, examples: Mapping[str, str]) -> str:
    """Return the path of *rule* with the *examples* of its arguments.

    Raises:
        KeyError: an argument has no example: add it to `World.examples`.
    """
    names = _ARGUMENT.findall(rule)
    given = {**examples, "table": examples.get(DISPUTED, examples["table"])} if "dispute" in names else examples
    return _ARGUMENT.sub(lambda part: given[part[1]], rule)
