"""What comes with a request: its body, its query, and the headers that commands have."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec
from marshmallow import Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import ClientDisconnected

from service.http.request import schemas
from service.http.request.caller import asker_with, parties
from service.http.request.context import Visit, visit
from service.http.request.fields import Several
from service.http.request.services import here
from service.http.responses.problems import MOST_ERRORS, Problem, repeated_fault, shape_problem
from service.play.orders import ANYWHERE

MOST_BODY_BYTES: Final = 65_536

_JSON: Final = "application/json"
_UTF_8: Final = "utf-8"
_AS_IT_IS: Final = "identity"
_KEY: Final = re.compile("[!-~]([ -~]{0,198}[!-~])?", re.ASCII)
_AT_BYTE: Final = re.compile("[(]byte ([0-9]+)[)]", re.ASCII)
_POSITION: Final = re.compile('"(0|[1-9][0-9]{0,9})"', re.ASCII)


class Parser(FlaskParser):
    """Reads bodies and queries strictly, and without detours."""

    def parse(self, argmap: Any, req: Any = None, *, location: str | None = None, **_: Any) -> Any:  # noqa: ANN401, ARG002
        """Return what a request's body or query becomes by the schema *argmap*.

        Raises:
            Problem: it is not there, or has not its shape.
        """
        now = visit()
        in_query = location == "query"
        try:
            if in_query and not now.query_string:
                return argmap.unasked
            return argmap.load(_query(now, argmap) if in_query else _body(now))
        except ValidationError as error:
            error.__traceback__ = (
                None  # which leads back to the error, and so would keep the body until it is collected
            )
            raise shape_problem(schemas.faults(error.messages), in_query=in_query) from error


def idempotency_key() -> str:
    """Return the key under which this command happens once.

    Raises:
        Problem: there is none, or none that could be repeated word for word.
    """
    key = visit().headers.get("Idempotency-Key", "")
    if not _KEY.fullmatch(key):
        raise Problem("idempotency_key_must_be_given")
    return key


def if_match() -> int:
    """Return the position at which alone the command is wanted.

    Raises:
        Problem: the header names no position.
    """
    text = visit().headers.get("If-Match")
    if text is None or text == "*":
        return ANYWHERE
    found = _POSITION.fullmatch(text)
    if found is None:
        raise Problem("position_must_be_well_formed")
    return int(found[1])


def _body(now: Visit) -> Any:  # noqa: ANN401 -- JSON
    """Return the JSON value in the body, which is read once it is known who asks, and under which Idempotency-Key.

    Raises:
        Problem: one of these is not there, or the body is not, or not sent as JSON; or there is no place to read it.
    """
    who = asker_with(may_have_ended=True)
    idempotency_key()
    _must_be_json(now)
    with here().bodies.place(*parties(who)):
        data = _read_in_time(now)
    if len(data) > MOST_BODY_BYTES:  # one that comes in chunks says nothing of its length
        raise Problem("body_must_be_small")
    try:
        text = data.decode()
        value = msgspec.json.decode(data)
        _WITH_EACH_MEMBER_ONCE.decode(text)
    except (ValueError, RecursionError) as error:
        raise Problem("body_must_be_json", _why_no_json(data, error)) from error
    except _Twice:
        raise _given_twice(data) from None
    return value


def _must_be_json(now: Visit) -> None:
    if now.content_type != _JSON:  # which nearly everybody says so, and which needs no parsing then
        if now.mimetype != _JSON:
            raise Problem("content_type_must_be_json")
        if now.mimetype_params.get("charset", _UTF_8).lower() != _UTF_8:
            raise Problem("content_type_must_be_json", "JSON is sent in UTF-8.")
    if now.headers.get("Content-Encoding", _AS_IT_IS).strip().lower() != _AS_IT_IS:
        as_it_is = {"Accept-Encoding": _AS_IT_IS}
        raise Problem("content_type_must_be_json", "JSON is sent as it is, without Content-Encoding.", headers=as_it_is)


def _read_in_time(now: Visit) -> bytes:
    """Return the bytes of the body.

    Where a body does not come, the connections' watch ends it (`service.http.operations.connections`).

    Raises:
        Problem: it has not come in time. One in chunks is refused even if it looks whole: it may have been cut.
        RequestEntityTooLarge, ClientDisconnected: as `_read`.
    """
    parts = here()
    with parts.traffic.reading() as began:
        try:
            data, is_whole = _read(now), now.content_length is not None
        except ClientDisconnected:
            if parts.clock.monotonic() - began < parts.settings.body_seconds:
                raise
            is_whole, data = False, b""
    if not is_whole and parts.clock.monotonic() - began >= parts.settings.body_seconds:
        raise Problem("body_must_come_in_time", headers={"Connection": "close"})
    return data


def _read(now: Visit) -> bytes:
    """Return the bytes of the body; those of a length that was said, at once.

    Raises:
        RequestEntityTooLarge: it is said, or found, to be longer than any may be.
        ClientDisconnected: it breaks off. Of one in chunks nobody is told so; then it is what has come.
    """
    length = now.content_length
    if length is None or length > MOST_BODY_BYTES:
        return now.get_data(cache=False)
    data: bytes = now.environ["wsgi.input"].read(length)
    if len(data) != length:
        raise ClientDisconnected
    return data


def _why_no_json(data: bytes, error: Exception) -> str:
    """Say in words of ours why *data* is no JSON; the readers' differ, and change."""
    if not data.strip():
        return "The body is empty."
    match error:
        case UnicodeDecodeError():
            return f"It is not UTF-8 at byte {error.start}, counted from 0."
        case RecursionError():
            return "It is nested too deep."
        case _ if isinstance(error, msgspec.ValidationError) or not isinstance(error, msgspec.DecodeError):
            return "A number in it is too large."
        case _ if found := _AT_BYTE.search(str(error)):
            return f"It is malformed at byte {found[1]}, counted from 0."
        case _:
            return "It breaks off, or an escaped sign in it does."


class _Twice(Exception):
    """An object has a member twice: readers of JSON differ in which of them counts."""


class _Members(tuple[tuple[str, Any], ...]):
    """The members of an object as they stand in the text."""

    __slots__ = ()


def _once(members: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in members}) != len(members):
        raise _Twice


_WITH_EACH_MEMBER_ONCE: Final = json.JSONDecoder(object_pairs_hook=_once)
"""Reads what msgspec has found to be JSON again, for msgspec takes the last of two members in silence."""


def _given_twice(data: bytes) -> Problem:
    """Return the problem of JSON in which members stand twice in their objects; the first have JSON Pointers."""
    total = 0

    def count(members: list[tuple[str, Any]]) -> _Members:
        nonlocal total
        if len({name for name, _ in members}) != len(members):
            total += len(_repeated(members))
        return _Members(members)

    places = list(islice(_places_given_twice(json.loads(data, object_pairs_hook=count), ""), MOST_ERRORS))
    return repeated_fault("member_must_be_given_once", places, unlisted=total - len(places))


def _repeated(members: Iterable[tuple[str, Any]]) -> set[str]:
    seen: set[str] = set()
    repeated: set[str] = set()
    for name, _ in members:
        (repeated if name in seen else seen).add(name)
    return repeated


def _places_given_twice(value: Any, pointer: str) -> Iterator[str]:  # noqa: ANN401 -- JSON
    if isinstance(value, _Members):
        for name in sorted(_repeated(value)):
            yield f"{pointer}/{schemas.escaped(name)}"
        for name, inner in value:
            yield from _places_given_twice(inner, f"{pointer}/{schemas.escaped(name)}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places_given_twice(inner, f"{pointer}/{number}")


def _query(now: Visit, shape: Schema) -> dict[str, str | list[str]]:
    """Return the members of the query; those that *shape* has as arrays, with all their values.

    Raises:
        Problem: another one is given twice.
    """
    values = now.args.to_dict(flat=False)
    listed = {name for name, field in getattr(shape, "fields", {}).items() if isinstance(field, Several)}
    if twice := [name for name, several in values.items() if len(several) > 1 and name not in listed]:
        raise repeated_fault("member_must_be_given_once", twice, in_query=True)
    return {name: several if name in listed else several[0] for name, several in values.items()}
