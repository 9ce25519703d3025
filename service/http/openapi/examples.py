"""Adds examples of query parameters, responses and problems to the OpenAPI document (DECISIONS 54)."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from service.games import GAMES
from service.games.common_refusals import GAME_MUST_BE_UNDER_WAY
from service.http.problems.catalogue import CATALOGUE
from service.http.problems.problem import CONTENT_TYPE
from service.http.responses.answers import BYTES, PYTHON

ANSWERS_FILE: Final = Path(__file__).with_name("answer_examples.json")
"""The file of recorded responses, by operation, status, content type and name.

`python -m tests.http.openapi.answer_examples` records these responses.
"""

WITHOUT_EXAMPLES: Final = frozenset({BYTES, PYTHON})
"""The formats of responses without examples: JSON has no form for bytes, and a program is long."""

_IN_QUERY: Final[Mapping[str, Any]] = {
    "after": 5,
    "at": 5,
    "dry_run": False,
    "expand": "actions,table",
    "format": "csv",
    "game": next(iter(GAMES.values())).name,
    "limit": 10,
    "cosignatures": 0,
    "since": 5,
    "hand": 1,
    "mine": True,
    "owner": "own_019f60f3b1a07c2e8a55d4c1f0b39e77",
    "sheet": "statements",
    "closed": False,
    "invited": False,
    "status": "playing",
    "type": ["hand_dealt"],
    "wait": 1,
    "audit_players.after": "2026-07-14T20:15:00.000Z/tbl_1605853816b2a299bd1d5968516c7a45",
    "audit_players.since": "2026-07-01T00:00:00Z",
    "audit_players.table": "tbl_1605853816b2a299bd1d5968516c7a45",
    "audit_players.until": "2026-08-01T00:00:00Z",
    "export_table.since": "2026-07-01T00:00:00Z",
    "export_table.until": "2026-08-01T00:00:00Z",
    "export_tables.since": "2026-07-01T00:00:00Z",
    "export_tables.until": "2026-08-01T00:00:00Z",
    "get_feed.after": "latest",
    "get_my_statement.after": "2026-07-14T20:15:00.000Z/tbl_1605853816b2a299bd1d5968516c7a45",
    "list_all_disputes.after": "2026-07-14T20:15:00.000Z/tbl_1605853816b2a299bd1d5968516c7a45/1",
    "list_keys.after": "key_39edc97d3f49a86c53669a4c16d01284",
    "list_postings.after": "5.0",
    "list_tables.after": "2026-07-14T20:15:00.000Z/tbl_1605853816b2a299bd1d5968516c7a45",
}
"""Examples of query parameters, by `<parameter>` or `<operation>.<parameter>`."""

_REFERENCE: Final = "#/components/examples/{code}"
_RULE, _RULING = GAME_MUST_BE_UNDER_WAY.cites[0]
_REFUSED: Final = {
    "code": GAME_MUST_BE_UNDER_WAY.code,
    "rule": _RULE,
    "ruling": _RULING,
    "position": 17,
    "actions": [],
}
_SCHEMA_ERRORS: Final = [{"pointer": "/chips", "code": "member_must_be_given", "message": "This member is missing."}]


def add_examples(document: dict[str, Any]) -> None:
    """Add examples to the query parameters and the responses of all operations of *document*."""
    used: dict[str, Any] = {}
    for operation in _operations(document):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query":
                own = f"{operation['operationId']}.{parameter['name']}"
                parameter["example"] = _IN_QUERY.get(own, _IN_QUERY.get(parameter["name"]))
        for status, response in operation["responses"].items():
            recorded = _recorded().get(operation["operationId"], {}).get(status, {})
            for form, media in response.get("content", {}).items():
                if form == CONTENT_TYPE:
                    codes = [line.split("`")[1] for line in response["description"].splitlines()]
                    used |= {code: {"value": _problem(code)} for code in codes}
                    media["examples"] = {code: {"$ref": _REFERENCE.format(code=code)} for code in codes}
                elif form not in WITHOUT_EXAMPLES:
                    media["examples"] = {name: {"value": value} for name, value in recorded.get(form, {}).items()}
    document["components"]["examples"] = {code: used[code] for code in sorted(used)}


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from (operation for method, operation in path.items() if method != "parameters")


@cache
def _recorded() -> dict[str, Any]:
    recorded: dict[str, Any] = msgspec.json.decode(ANSWERS_FILE.read_bytes()) if ANSWERS_FILE.exists() else {}
    return recorded


def _problem(code: str) -> dict[str, Any]:
    """Return an example of the problem *code*."""
    kind = CATALOGUE[code]
    details = {
        "type": f"/problems/{code}",
        "title": kind.title,
        "status": kind.status,
        "code": code,
        "detail": "",
        "request_id": "req_019f60f3b1a07c2e8a55d4c1f0b39e77",
    }
    match code:
        case "refused_by_the_rules":
            return details | _REFUSED
        case "request_must_have_its_shape" | "idempotency_key_must_be_new":
            return details | {"errors": _SCHEMA_ERRORS}
        case "scope_must_be_granted":
            return details | {"scope": "play"}
        case _:
            return details
