"""Problems: all that can go wrong, in one closed catalogue; the only place that knows a status (RFC 9457)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from service.api_keys.repository import Scope
from service.http.operations import request_cost
from service.http.request.fields import FieldError, field_error, shortened

CONTENT_TYPE: Final = "application/problem+json"
RETRY: Final = {"Retry-After": "1"}
CHALLENGE: Final = 'Bearer realm="chiptrail"'
ABOUT_TABLES: Final = frozenset({"refused_by_the_rules", "position_must_match"})
"""Problems that tell what may be done at a table, or what happened there."""
MOST_ERRORS: Final = 20
"""How many errors a problem lists; `more_errors` counts the others."""
_MOST_OF_A_POINTER: Final = 300


class Kind(Struct, frozen=True):
    """A kind of problem: its *status*, what must hold, and what to do about it."""

    status: int
    title: str
    advice: str


CATALOGUE: Final[Mapping[str, Kind]] = {
    "body_must_be_json": Kind(
        400,
        "The body must be JSON.",
        "Send one JSON value in UTF-8, with numbers that a double can hold, and not nested by the hundred.",
    ),
    "idempotency_key_must_be_given": Kind(
        400,
        "A command needs an Idempotency-Key.",
        "Send the header Idempotency-Key: 1 to 200 printable ASCII characters, a new one for each command, "
        "the same one for each repeat of it.",
    ),
    "position_must_be_well_formed": Kind(
        400,
        "A header that names a position must name one.",
        'Send If-Match: "<position>" with the ETag of an answer, quotes included, or leave the header out; '
        "Last-Event-ID is the `id` of the last event of a stream, without quotes.",
    ),
    "key_must_be_given": Kind(
        401,
        "This needs a key.",
        "Send Authorization: Bearer ctk_<id>_<secret>. Without a key you see public tables as a spectator.",
    ),
    "key_must_be_valid": Kind(
        401,
        "The key must be one that is known and has not ended.",
        "The key was mistyped, revoked, or has expired: ask whoever made it for a new one. "
        "A key that has ended can only repeat, word for word, what was done before its end.",
    ),
    "scope_must_be_granted": Kind(
        403, "The key needs a scope that it does not have.", "Use a key with the scope that `scope` names."
    ),
    "asker_must_be_the_host": Kind(
        403, "Only the table's host may do this.", "Use a key of the owner that opened the table."
    ),
    "asker_must_be_a_player": Kind(
        403, "Only a player of this table may do this.", "Take a seat first, or use a key of an owner who has one."
    ),
    "key_must_be_within_your_power": Kind(
        403,
        "Nobody hands out a key that reaches further than they may.",
        "A host makes keys with the scope play alone, for new owners, for owners that it made, or for itself; "
        "an admin makes any. A key that ends makes keys that end no later.",
    ),
    "player_must_be_yours_to_seat": Kind(
        403,
        "A host seats only owners that it made.",
        'Invite anybody else: {"type": "invite_player", "player": "own_…"} at …/actions. Whoever is invited sits down '
        "by themselves, or declines.",
    ),
    "resource_must_exist": Kind(404, "There is nothing here.", "Look at /openapi.json for what there is."),
    "table_must_exist": Kind(
        404,
        "There is no such table.",
        "Or none that you may know of: a private table is known to its host, its players, auditors and who is invited.",
    ),
    "game_must_exist": Kind(404, "There is no such game.", "GET /v1/games lists them."),
    "account_must_exist": Kind(
        404, "No such account was ever used at this table.", "GET …/balances lists those that were."
    ),
    "hand_must_exist": Kind(404, "There is no such hand at this table yet.", "GET …/hands lists those there are."),
    "position_must_exist": Kind(
        404, "The table has not come to this position.", "Positions run from 1 to the ETag of the table."
    ),
    "key_must_exist": Kind(404, "There is no such key.", "Or none that you may know of: GET /v1/keys lists yours."),
    "method_must_be_allowed": Kind(405, "This can't be done here.", "The header Allow lists the methods that can."),
    "body_must_come_in_time": Kind(
        408,
        "The body did not come in time.",
        "Nothing was done, and the connection is closed. Send the whole body at once. Whoever runs the service sets "
        "how long it may take.",
    ),
    "refused_by_the_rules": Kind(
        409,
        "The rules do not allow it.",
        "`code` names what must hold, `rule` the sheet's rule and `ruling` ours; `actions` lists what you may do "
        "now. Nothing was recorded, and the Idempotency-Key is still free.",
    ),
    "table_must_be_played_here": Kind(
        409,
        "An imported table is only read.",
        "It was played at another service and came in by an import: its events, balances and verdicts are all here.",
    ),
    "table_must_be_intact": Kind(
        409,
        "The table's log must hold where it is needed.",
        "Events were altered or lost in the database after they were recorded; `position` is the first that can't be "
        "relied on. Nothing more is recorded at this table. What came before can be read: GET …/events, and views, "
        "balances and hands of the past. Tell whoever runs the service: `chiptrail verify` says what is wrong.",
    ),
    "last_admin_key_must_stay": Kind(
        409, "The last key with the scope admin must stay.", "Make another key with the scope admin first."
    ),
    "tables_must_be_fewer": Kind(
        409,
        "You host as many unfinished tables as one may.",
        "Close a table that nobody plays at, or wait until a game ends; whoever runs the service sets the number.",
    ),
    "keys_must_be_fewer": Kind(
        409,
        "You have made as many keys as one may.",
        "Keys that have ended do not count: end one that nobody needs. Whoever runs the service sets the number. "
        "An admin makes any number.",
    ),
    "seats_must_be_fewer": Kind(
        409,
        "The player has as many seats at unfinished tables as one may.",
        "Leave a table that has not started, or play a game to its end; whoever runs the service sets the number.",
    ),
    "position_must_match": Kind(
        412,
        "The table has moved on.",
        "`position` is where it stands, `missed` what happened since the position that you named (100 events at "
        "most; GET …/events has all). Decide again on what is there now.",
    ),
    "body_must_be_small": Kind(413, "The body is too large.", "A body has at most 65,536 bytes."),
    "content_type_must_be_json": Kind(
        415, "The body must be sent as JSON.", "Send Content-Type: application/json, in UTF-8, and no Content-Encoding."
    ),
    "request_must_have_its_shape": Kind(
        422,
        "The request has not the shape that it must have.",
        f"`errors` names each place and what is wrong there, {MOST_ERRORS} places at most; `more_errors` says how many "
        "more there are, and is left out where `errors` names all. Scopes come first: a key without the scope "
        "gets `scope_must_be_granted`, whatever its request looks like. Lengths come before items: "
        "of an array that is too long no item is checked.",
    ),
    "idempotency_key_must_be_new": Kind(
        422,
        "This Idempotency-Key stands for another command.",
        "`errors` names the first member that differs. A key stands for one command for ever: take a new one.",
    ),
    "requests_must_be_fewer": Kind(
        429,
        "You ask more often than one may.",
        "Nothing was done. Try again after Retry-After seconds; the headers RateLimit-Policy and RateLimit say how "
        "many requests there are for how many seconds, and how many are left. They are counted for all keys of an "
        "owner together, and without a valid key for the address that they come from. Dear requests count as several: "
        f"1 more for every {request_cost.EVENTS_PER_UNIT} events, {request_cost.LINES_PER_UNIT} postings, hands, tables or keys in the answer, "
        f"for every {request_cost.JUDGED_EVENTS_PER_UNIT} events of a hand that is decided again, and {request_cost.PAST_STATE_UNITS} more for a look at a "
        "table's past. Streams count as they are read, and pause before they use up the last half.",
    ),
    "service_must_not_fail": Kind(
        500,
        "Something failed that should not.",
        "This is a defect. Nothing was recorded; `request_id` finds it in the service's log.",
    ),
    "outcome_must_be_known": Kind(
        503,
        "Whether the command was recorded is not known.",
        "The database did not answer the commit. Repeat the same request with the same Idempotency-Key: "
        "it finds out, and happens once.",
    ),
    "service_must_be_ready": Kind(
        503,
        "The service can't take commands yet.",
        "The database is out of reach, at another release's schema, or belongs to another service key: "
        "`chiptrail doctor` says which.",
    ),
    "place_must_be_free": Kind(
        503,
        "No place is free for waiting.",
        "Ask without `wait`, or for a page of events: that is answered at once. Or wait again after Retry-After "
        "seconds. A share of the places is the most for one owner, for one address, and for a host together with the "
        "owners that it made.",
    ),
    "body_must_find_a_place": Kind(
        503,
        "All places for reading bodies are taken.",
        "Bodies were begun and not sent to their end. Nothing was done. Send the whole body at once, and try again "
        "after Retry-After seconds. A share of the places is the most for one owner, for one address, and for a host "
        "together with the owners that it made.",
    ),
    "database_must_answer": Kind(
        503, "The database is busy or out of reach.", "Nothing was recorded. Try again after Retry-After seconds."
    ),
}


def _listed(name: str) -> dict[str, Any]:
    """Draw an array of the component *name*, whose Struct stands above this module."""
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


class Error(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong with a request."""

    pointer: str | UnsetType = UNSET
    parameter: str | UnsetType = UNSET
    code: str
    message: str


class Details(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Problem details (RFC 9457). Which members there are besides the first six depends on the problem."""

    type: Annotated[str, Meta(description="The problem's page.")]
    title: str
    status: Annotated[int, Meta(ge=400, le=599, description="The HTTP status.")]
    code: Annotated[str, Meta(description="What must hold. With status 409 it is the refusal's own.")]
    detail: str
    request_id: Annotated[str, Meta(description="The request, as the service's log names it.")]
    errors: tuple[Error, ...] = ()
    more_errors: Annotated[
        int, Meta(ge=0, le=1_000_000, description="How many errors there are besides those that `errors` lists.")
    ] = 0
    scope: Scope | UnsetType = UNSET
    rule: Annotated[str, Meta(description="The rule of the author's sheet.")] | UnsetType = UNSET
    ruling: Annotated[str, Meta(description="Our ruling where the sheet is silent.")] | UnsetType = UNSET
    position: int | UnsetType = UNSET
    actions: Annotated[Any, Meta(extra_json_schema=_listed("ActionItem"))] = UNSET
    missed: Annotated[Any, Meta(extra_json_schema=_listed("EventItem"))] = UNSET


class Problem(Exception):
    """A request that is answered with the problem *code* of the catalogue.

    *shown_as* takes the place of *code* in the answer: a refusal's own. *members* are further members of `Details`.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        shown_as: str = "",
        **members: Any,  # noqa: ANN401 -- JSON
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.kind = CATALOGUE[code]
        self.detail = detail
        self.headers = dict(headers or {})
        self.shown_as = shown_as
        self.members = members


def errors(found: Sequence[tuple[str, FieldError]], *, in_query: bool = False) -> tuple[Error, ...]:
    """Return what is wrong, each with its JSON Pointer or the query's parameter: the first `MOST_ERRORS`."""
    return tuple(
        Error(parameter=shortened(place.removeprefix("/")) or UNSET, code=one.code, message=one.message)
        if in_query
        else Error(pointer=shortened(place, _MOST_OF_A_POINTER), code=one.code, message=one.message)
        for place, one in found[:MOST_ERRORS]
    )


def schema_problem(found: Sequence[tuple[str, FieldError]], *, in_query: bool = False, unlisted: int = 0) -> Problem:
    """Return the problem of a request whose parts have these faults, and *unlisted* more."""
    more = unlisted + max(0, len(found) - MOST_ERRORS)
    return Problem("request_must_have_its_shape", errors=errors(found, in_query=in_query), more_errors=more)


def repeated_error(code: str, places: Sequence[str], *, in_query: bool = False, unlisted: int = 0) -> Problem:
    """Return the problem of a request that has the fault *code* at each of *places*, and at *unlisted* more."""
    found = [(place, field_error(code)) for place in places[:MOST_ERRORS]]
    return schema_problem(found, in_query=in_query, unlisted=unlisted + len(places) - len(found))
