"""How an operation is documented: what it answers, and all that can go wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct

from service.http.openapi.blueprint import Resource
from service.http.openapi.links import LINKS
from service.http.problems.catalogue import CATALOGUE
from service.http.problems.problem import ABOUT_TABLES, CONTENT_TYPE, Details

F = TypeVar("F", bound=Callable[..., Any])

ANSWERS: Final[set[type[Struct]]] = {Details}
"""Every Struct that an operation answers with."""

ANYWHERE: Final = ("request_must_have_its_shape", "service_must_not_fail")
"""What can go wrong with every operation."""

READS: Final = (*ANYWHERE, "key_must_be_valid", "database_must_answer", "requests_must_be_fewer")
"""What can go wrong wherever something is read."""

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
"""What can go wrong wherever something is posted."""

IDEMPOTENCY_KEY: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "The command happens once under this key, however often it is sent; for ever.",
    "example": "7f1c6f0e-sit-down",
}
IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "schema": {"type": "string", "pattern": '^([*]|"(0|[1-9][0-9]{0,9})")$'},
    "description": "Only while the table stands at this position: the ETag of an answer. *: wherever it stands.",
    "example": "*",
}
LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "schema": {"type": "string", "pattern": "^[0-9]{0,10}$"},
    "description": "For a stream, in place of `after`: the `id` of the last event that came; empty: none came.",
    "example": "17",
}
_IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag of an answer that is at hand: 304 where it still holds.",
    "example": '"17"',
}

_HEADERS: Final[dict[str, Any]] = {
    "ETag": {"schema": {"type": "string"}, "description": 'Where the table stands: "<position>".'},
    "Idempotent-Replayed": {
        "schema": {"type": "string", "enum": ["true"]},
        "description": "This was recorded before, and is told again.",
    },
    "Link": {"schema": {"type": "string"}, "description": 'The next page, with rel="next", where there is one.'},
    "Seconds-Left": {
        "schema": {"type": "string", "pattern": "^[0-9]+[.][0-9]{3}$"},
        "description": "How many seconds are left until `due_at`, where there is one.",
    },
    "Location": {"schema": {"type": "string"}, "description": "Where what was made is found."},
}


def operation(  # noqa: PLR0913 -- an operation has that many sides
    resource: Resource,
    name: str,
    *answers: type[Struct],
    status: int = 200,
    codes: Sequence[str] = READS,
    headers: Sequence[str] = (),
    parameters: Sequence[dict[str, Any]] = (),
    streams: Mapping[str, str] = {},
) -> Callable[[F], F]:
    """Document an operation: its *name*, what it *answers*, and the *codes* of its problems.

    What is read under an ETag is not sent again to who has it. *streams* are further forms of the
    answer by their content types, and what stands in them.
    """
    good: dict[str, Any] = {"description": " Or: ".join(summary(one) for one in answers) or "Done."}
    if answers:
        ANSWERS.update(answers)
        schemas = [_reference(one.__name__) for one in answers]
        schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
        good["content"] = {"application/json": {"schema": schema}}
        for form, says in streams.items():
            good["content"][form] = {"schema": {"type": "string", "description": says}}
    if headers:
        good["headers"] = {header: _HEADERS[header] for header in headers}
    if name in LINKS:
        good["links"] = LINKS[name]
    responses: dict[str, Any] = {str(status): good}
    if "ETag" in headers and "key_must_be_given" not in codes:
        parameters = (*parameters, _IF_NONE_MATCH)
        responses["304"] = {
            "description": "Nothing has changed since the position in If-None-Match.",
            "headers": {header: _HEADERS[header] for header in ("ETag", "Link") if header in headers},
        }
    if streams:
        responses["204"] = {"description": "The stream is over, and all of it was sent before."}
    responses |= _problems(codes)
    manual: dict[str, Any] = {"operationId": name, "responses": responses}
    if "key_must_be_given" in codes:
        manual["security"] = [{"key": []}]
    return resource.documented(manual, parameters)


def summary(struct: type[Struct]) -> str:
    """Return the first line of what is said about *struct*."""
    return (struct.__doc__ or "").split("\n")[0]


def _problems(codes: Sequence[str]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(CATALOGUE[code].status, []).append(code)
    return {
        str(status): {
            "description": "\n".join(f"- `{code}`: {CATALOGUE[code].title}" for code in sorted(known)),
            "content": {
                CONTENT_TYPE: {"schema": _reference("Problem" if ABOUT_TABLES.isdisjoint(known) else "Details")}
            },
        }
        for status, known in sorted(by_status.items())
    }


def _details(codes: Sequence[str]) -> str:
    return "Problem" if ABOUT_TABLES.isdisjoint(codes) else Details.__name__


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
