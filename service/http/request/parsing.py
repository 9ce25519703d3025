"""Reads the body and the query of a request, and the headers of a command (DECISIONS 50 and 88)."""

import re
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

from flask import abort
from marshmallow import Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import ClientDisconnected

from service.http.problems.problem import Problem, repeated_error, schema_problem
from service.http.request import json_body, schemas
from service.http.request.authentication import caller_with_scope, quota_owners
from service.http.request.context import Caller, RequestContext, request_context
from service.http.request.fields import Array
from service.http.request.services import services
from service.play.orders import ANYWHERE

MOST_BODY_BYTES: Final = 65_536

_JSON: Final = "application/json"
_UTF_8: Final = "utf-8"
_IDENTITY: Final = "identity"
_KEY: Final = re.compile("[!-~]([ -~]{0,198}[!-~])?", re.ASCII)
_POSITION: Final = re.compile('"(0|[1-9][0-9]{0,9})"', re.ASCII)


class Parser(FlaskParser):
    """Loads bodies and queries by their schemas, instead of webargs' own parsing."""

    def parse(self, argmap: Any, req: Any = None, *, location: str | None = None, **_: Any) -> Any:  # noqa: ANN401, ARG002
        """Return the Struct that the schema *argmap* makes of the request's body or query.

        Raises:
            Problem: as `_body` or `_query`; or the body or the query does not match the schema.
            RequestEntityTooLarge, ClientDisconnected: as `_body`.
        """
        context = request_context()
        in_query = location == "query"
        try:
            if in_query and not context.query_string:
                return argmap.defaults
            return argmap.load(_query(context, argmap) if in_query else _body(context))
        except ValidationError as error:
            error.__traceback__ = None  # the traceback refers to the error: this cycle would keep the body in memory
            raise schema_problem(schemas.field_errors(error.messages), in_query=in_query) from error


def idempotency_key() -> str:
    """Return the Idempotency-Key of this command.

    Raises:
        Problem: the header is missing or malformed.
    """
    key = request_context().headers.get("Idempotency-Key", "")
    if not _KEY.fullmatch(key):
        raise Problem("idempotency_key_must_be_given")
    return key


def if_match() -> int:
    """Return the position that the header If-Match names, or ANYWHERE if the header is missing or is `*`.

    Raises:
        Problem: the header is neither a position nor `*`.
    """
    text = request_context().headers.get("If-Match")
    if text is None or text == "*":
        return ANYWHERE
    match = _POSITION.fullmatch(text)
    if match is None:
        raise Problem("position_must_be_well_formed")
    return int(match[1])


def read_form() -> None:
    """Read the body of a page's form within the limits of the API's bodies; Flask then parses what was read.

    Raises:
        Problem: the body is late, or no slot is free for reading the body.
        RequestEntityTooLarge, ClientDisconnected: as `_read`.
        LengthRequired: the body is chunked; no browser sends a form in this way.
    """
    context = request_context()
    if "Transfer-Encoding" in context.headers:
        abort(HTTPStatus.LENGTH_REQUIRED)
    if not context.content_length:
        return
    with services().body_slots.slot(*quota_owners(Caller())):
        data = _read_in_time(context)
    context.environ["wsgi.input"] = BytesIO(data)


def _body(context: RequestContext) -> Any:  # noqa: ANN401 -- JSON
    """Return the JSON value of the body. The API key and the Idempotency-Key are checked before the body is read.

    Raises:
        Problem: the API key is missing or not valid, or the Idempotency-Key is missing or malformed; the body is too
            long, late, not JSON or not sent as JSON; or no slot is free for reading the body.
        RequestEntityTooLarge, ClientDisconnected: as `_read`.
    """
    caller = caller_with_scope(may_have_ended=True)
    idempotency_key()
    _must_be_json(context)
    with services().body_slots.slot(*quota_owners(caller)):
        data = _read_in_time(context)
    if len(data) > MOST_BODY_BYTES:  # a chunked body has no Content-Length that could be checked earlier
        raise Problem("body_must_be_small")
    return json_body.decode(data)


def _must_be_json(context: RequestContext) -> None:
    if context.content_type != _JSON:  # the usual header needs no parsing
        if context.mimetype != _JSON:
            raise Problem("content_type_must_be_json")
        if context.mimetype_params.get("charset", _UTF_8).lower() != _UTF_8:
            raise Problem("content_type_must_be_json", "Send JSON in UTF-8.")
    if context.headers.get("Content-Encoding", _IDENTITY).strip().lower() != _IDENTITY:
        accepted = {"Accept-Encoding": _IDENTITY}
        raise Problem("content_type_must_be_json", "Send JSON without Content-Encoding.", headers=accepted)


def _read_in_time(context: RequestContext) -> bytes:
    """Return the bytes of the body.

    If the body does not arrive in time, `service.http.operations.connections` shuts its connection down for reading.

    Raises:
        Problem: the body was late. A late chunked body is refused even if it looks complete, because its end may be
            missing.
        RequestEntityTooLarge, ClientDisconnected: as `_read`.
    """
    clock, body_seconds = services().clock, services().settings.body_seconds
    with services().in_flight.reading_body() as began:
        try:
            data, is_whole = _read(context), context.content_length is not None
        except ClientDisconnected:
            if clock.monotonic() - began < body_seconds:
                raise
            is_whole, data = False, b""
    if not is_whole and clock.monotonic() - began >= body_seconds:
        raise Problem("body_must_come_in_time", headers={"Connection": "close"})
    return data


def _read(context: RequestContext) -> bytes:
    """Return the bytes of the body, but of a chunked body at most `MOST_BODY_BYTES` + 1 bytes.

    A body whose Content-Length is allowed is read by one call.

    Raises:
        RequestEntityTooLarge: the Content-Length is above `MOST_BODY_BYTES` + 1.
        ClientDisconnected: fewer bytes came than Content-Length says. A chunked body that was cut off raises no error.
    """
    length = context.content_length
    if length is None or length > MOST_BODY_BYTES:
        return context.get_data(cache=False)
    data: bytes = context.environ["wsgi.input"].read(length)
    if len(data) != length:
        raise ClientDisconnected
    return data


def _query(context: RequestContext, schema: Schema) -> dict[str, str | list[str]]:
    """Return the parameters of the query by name: a list if the parameter is an array in *schema*, else one value.

    Raises:
        Problem: a parameter that is not an array is given twice.
    """
    values = context.args.to_dict(flat=False)
    arrays = {name for name, field in getattr(schema, "fields", {}).items() if isinstance(field, Array)}
    if repeated := [name for name, given in values.items() if len(given) > 1 and name not in arrays]:
        raise repeated_error("member_must_be_given_once", repeated, in_query=True)
    return {name: given if name in arrays else given[0] for name, given in values.items()}
