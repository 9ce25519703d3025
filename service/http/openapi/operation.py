"""Documents an operation: its responses and its problems."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct

from service.http.openapi.blueprint import Resource
from service.http.openapi.links import LINKS
from service.http.problems.catalogue import CATALOGUE
from service.http.problems.problem import ABOUT_TABLES, CONTENT_TYPE, Details

F = TypeVar("F", bound=Callable[..., Any])

ANSWERS: Final[set[type[Struct]]] = {Details}
"""The Structs of the bodies of all responses."""

ANYWHERE: Final = ("request_must_have_its_shape", "service_must_not_fail")
"""The problems that every operation may raise."""

READS: Final = (*ANYWHERE, "key_must_be_valid", "database_must_answer", "requests_must_be_fewer")
"""The problems that every operation under `/v1` may raise."""

WRITES: Final = (
    *READS,
    "body_must_be_json",
    "body_must_be_small",
    "body_must_come_in_time",
    "body_must_find_a_place",
    "content_type_must_be_json",
    "idempotency_key_must_be_given",
    "idempotency_key_must_be_new",
    "key_must_be_given",
    "outcome_must_be_known",
    "scope_must_be_granted",
)
"""The problems that every POST may raise, with one exception.

A POST of a checkpoint never raises `idempotency_key_must_be_new`.
"""

IDEMPOTENCY_KEY: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "Names the command: the service records the command once, however often you send the same value.",
    "example": "7f1c6f0e-sit-down",
}
IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "schema": {"type": "string", "pattern": '^([*]|"(0|[1-9][0-9]{0,9})")$'},
    "description": "Record the command only if the table is at this position. The ETag of a response has the "
    "position. With * the table may be at any position.",
    "example": "*",
}
LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "schema": {"type": "string", "pattern": "^[0-9]{0,10}$"},
    "description": "The `id` of the last event that you received from a stream. A stream, or a response of lines, then "
    "begins after this event, whatever `after` says; empty: `after` counts.",
    "example": "17",
}
_IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag of an earlier response. The service answers 304 if the table is still at the position "
    "of this ETag.",
    "example": '"17"',
}

_HEADERS: Final[dict[str, Any]] = {
    "ETag": {
        "schema": {"type": "string"},
        "description": 'The position of the table that the response is about: "<position>".',
    },
    "Idempotent-Replayed": {
        "schema": {"type": "string", "enum": ["true"]},
        "description": "This request is a repeat: an earlier request recorded the command, or made the key.",
    },
    "Link": {"schema": {"type": "string"}, "description": 'The URL of the next page, with rel="next", if any.'},
    "Seconds-Left": {
        "schema": {"type": "string", "pattern": "^[0-9]+[.][0-9]{3}$"},
        "description": "The seconds until the deadline `due_at`, if there is a deadline.",
    },
    "Location": {"schema": {"type": "string"}, "description": "The URL of the new resource."},
    "Log-Checkpoint": {
        "schema": {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
        "description": "The size of the newest checkpoint of the log; 0: no checkpoint yet. The size may be some "
        "seconds old. If it stays below a size that an earlier response had, the log has lost leaves. The header is "
        "left out if the service can't read the size.",
    },
}
_WITH_304: Final = ("ETag", "Link", "Log-Checkpoint")
"""The headers that a response with status 304 also has."""


class File(Struct, frozen=True):
    """A response that is not JSON: *content_type* is its content type, *description* describes its content.

    *others* are further content types that the response may have instead.
    """

    content_type: str
    description: str
    others: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """The schema of the response's body, by content type."""
        return {form: {"schema": _schema(form)} for form in (self.content_type, *self.others)}


def _schema(content_type: str) -> dict[str, str]:
    return {"type": "string"} if content_type.startswith("text/") else {"type": "string", "format": "binary"}


def operation(  # noqa: PLR0913 -- each parameter documents a different part
    resource: Resource,
    name: str,
    *answers: type[Struct],
    status: int = 200,
    codes: Sequence[str] = READS,
    headers: Sequence[str] = (),
    parameters: Sequence[dict[str, Any]] = (),
    streams: Mapping[str, str] = {},
    file: File | None = None,
    is_endless: bool = False,
) -> Callable[[F], F]:
    """Document an operation: its *name*, the Structs of its *answers*, and the *codes* of its problems.

    An operation that needs no key and has an ETag is also documented with If-None-Match and status 304. *streams*
    describes further formats of the response, by their content types; status 204 is then documented too, unless
    *is_endless* says that the streams have no end. *file* describes the response of an operation without *answers*.
    """
    success: dict[str, Any] = {"description": " Or: ".join(summary(answer) for answer in answers) or "Done."}
    if file:
        success = {"description": file.description, "content": file.content}
    if answers:
        ANSWERS.update(answers)
        schemas = [_reference(answer.__name__) for answer in answers]
        schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
        success["content"] = {"application/json": {"schema": schema}}
        for form, description in streams.items():
            success["content"][form] = {"schema": {"type": "string", "description": description}}
    if headers:
        success["headers"] = {header: _HEADERS[header] for header in headers}
    if name in LINKS:
        success["links"] = LINKS[name]
    responses: dict[str, Any] = {str(status): success}
    if "ETag" in headers and "key_must_be_given" not in codes:
        parameters = (*parameters, _IF_NONE_MATCH)
        responses["304"] = {
            "description": "The table is still at the position in If-None-Match.",
            "headers": {header: _HEADERS[header] for header in _WITH_304 if header in headers},
        }
    if streams and not is_endless:
        responses["204"] = {"description": "The table is over, and has no event after the position in the request."}
    responses |= _problems(codes)
    members: dict[str, Any] = {"operationId": name, "responses": responses}
    if "key_must_be_given" in codes:
        members["security"] = [{"key": []}]
    return resource.documented(members, parameters)


def summary(struct: type[Struct]) -> str:
    """Return the first line of the docstring of *struct*."""
    return (struct.__doc__ or "").split("\n")[0]


def _problems(codes: Sequence[str]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(CATALOGUE[code].status, []).append(code)
    return {
        str(status): {
            "description": "\n".join(f"- `{code}`: {CATALOGUE[code].title}" for code in sorted(group)),
            "content": {
                CONTENT_TYPE: {"schema": _reference("Problem" if ABOUT_TABLES.isdisjoint(group) else "Details")}
            },
        }
        for status, group in sorted(by_status.items())
    }


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
