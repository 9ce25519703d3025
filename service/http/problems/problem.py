"""Problems: the exception that the service raises, and the body of the response (RFC 9457) (DECISIONS 50)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from service.api_keys.repository import Scope
from service.http.problems.catalogue import CATALOGUE, MOST_ERRORS
from service.http.request.fields import FieldError, field_error, shortened

CONTENT_TYPE: Final = "application/problem+json"
RETRY: Final = {"Retry-After": "1"}
CHALLENGE: Final = 'Bearer realm="chiptrail"'
ABOUT_TABLES: Final = frozenset({"refused_by_the_rules", "position_must_match"})
"""The problems whose details list actions or events of a table."""
_MOST_OF_A_POINTER: Final = 300


def _listed(name: str) -> dict[str, Any]:
    """Return the schema of an array whose items have the schema of the component *name*.

    The schema refers to the component by its name, because this module can't import the component's Struct.
    """
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


class Error(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One error in a request."""

    pointer: str | UnsetType = UNSET
    parameter: str | UnsetType = UNSET
    code: str
    message: str


class Details(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Problem details (RFC 9457). The members after `request_id` depend on the problem."""

    type: Annotated[str, Meta(description="The path of the problem's page: /problems/<code>.")]
    title: str
    status: Annotated[int, Meta(ge=400, le=599, description="The HTTP status.")]
    code: Annotated[
        str,
        Meta(description="What must hold: the problem's code, or the refusal's code if the rules refused the command."),
    ]
    detail: str
    request_id: Annotated[str, Meta(description="The id of the request in the service's log lines.")]
    errors: tuple[Error, ...] = ()
    more_errors: Annotated[
        int, Meta(ge=0, le=1_000_000, description="The number of further errors that `errors` does not list.")
    ] = 0
    scope: Scope | UnsetType = UNSET
    rule: Annotated[str, Meta(description="The rule of the author's sheet that the refusal cites.")] | UnsetType = UNSET
    ruling: Annotated[str, Meta(description="Our ruling that the refusal cites.")] | UnsetType = UNSET
    position: int | UnsetType = UNSET
    actions: Annotated[Any, Meta(extra_json_schema=_listed("ActionItem"))] = UNSET
    missed: Annotated[Any, Meta(extra_json_schema=_listed("EventItem"))] = UNSET


class Problem(Exception):
    """Raised to answer the request with the problem *code* of the catalogue.

    *shown_as*, if not empty, is the `code` that the response shows instead of *code*: the code of a refusal. *members*
    are further members of `Details`.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        shown_as: str = "",
        **members: Any,  # noqa: ANN401 -- the values are JSON
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.kind = CATALOGUE[code]
        self.detail = detail
        self.headers = dict(headers or {})
        self.shown_as = shown_as
        self.members = members


def errors(field_errors: Sequence[tuple[str, FieldError]], *, in_query: bool = False) -> tuple[Error, ...]:
    """Return the first `MOST_ERRORS` of *field_errors*, each with its JSON Pointer or its query parameter."""
    return tuple(
        Error(parameter=shortened(place.removeprefix("/")) or UNSET, code=error.code, message=error.message)
        if in_query
        else Error(pointer=shortened(place, _MOST_OF_A_POINTER), code=error.code, message=error.message)
        for place, error in field_errors[:MOST_ERRORS]
    )


def schema_problem(
    field_errors: Sequence[tuple[str, FieldError]], *, in_query: bool = False, unlisted: int = 0
) -> Problem:
    """Return the problem of a request that has *field_errors*, and *unlisted* further errors."""
    more = unlisted + max(0, len(field_errors) - MOST_ERRORS)
    return Problem("request_must_have_its_shape", errors=errors(field_errors, in_query=in_query), more_errors=more)


def repeated_error(code: str, places: Sequence[str], *, in_query: bool = False, unlisted: int = 0) -> Problem:
    """Return the problem of a request with the error *code* at each of *places*, and at *unlisted* further places."""
    listed = [(place, field_error(code)) for place in places[:MOST_ERRORS]]
    return schema_problem(listed, in_query=in_query, unlisted=unlisted + len(places) - len(listed))
