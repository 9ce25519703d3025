"""The links of the OpenAPI document: from an operation to operations that take values of its request or response."""

from collections.abc import Mapping
from typing import Any, Final

_PATH_TABLE: Final = "$request.path.table"
_BODY_TABLE: Final = "$response.body#/table"
_FIRST_TABLE: Final = "$response.body#/items/0/table"
_FIRST_HAND: Final = "$response.body#/items/0/hand"
_OF_A_TABLE: Final = ("get_table", "list_actions", "list_events", "get_balances", "list_hands")


def _link(operation: str, about: str, *, body: Any = None, **parameters: str) -> dict[str, Any]:  # noqa: ANN401 -- the body is JSON
    link = {"operationId": operation, "description": about, "parameters": parameters}
    return link if body is None else {**link, "requestBody": body}


def _at_table(table: str) -> dict[str, Any]:
    return {name: _link(name, "The same table.", table=table) for name in _OF_A_TABLE}


LINKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "list_games": {"get_game": _link("get_game", "The first game of the list.", game="$response.body#/items/0/game")},
    "open_table": {
        **_at_table(_BODY_TABLE),
        "take_seat": _link("take_seat", "Take a seat at the table.", table=_BODY_TABLE),
        "do_action": _link("do_action", "Take an action at the table.", table=_BODY_TABLE),
    },
    "list_tables": _at_table(_FIRST_TABLE),
    "get_table": _at_table("$response.body#/table"),
    "take_seat": {
        **_at_table(_BODY_TABLE),
        "leave_seat": _link("do_action", "Leave the seat.", table=_BODY_TABLE, body={"type": "leave_seat"}),
    },
    "list_actions": {
        "do_action": _link(
            "do_action", "Take the first action of the list.", table=_PATH_TABLE, body="$response.body#/items/0/action"
        )
    },
    "do_action": _at_table(_PATH_TABLE),
    "list_events": {
        "next": _link("list_events", "The next events.", table=_PATH_TABLE, after="$response.body#/next"),
        "get_table": _link(
            "get_table", "The table at the response's `position`.", table=_PATH_TABLE, at="$response.body#/position"
        ),
    },
    "get_feed": {
        "next": _link("get_feed", "The next events.", after="$response.body#/next"),
        "get_table": _link("get_table", "The table of the first event.", table=_FIRST_TABLE),
    },
    "get_event": {
        "get_event_proof": _link(
            "get_event_proof",
            "The proof that the event is in the log.",
            table=_PATH_TABLE,
            position="$request.path.position",
        )
    },
    "get_balances": {
        "list_postings": _link(
            "list_postings", "The postings of the account stack:1.", table=_PATH_TABLE, account="stack:1"
        ),
    },
    "list_hands": {
        "get_hand": _link("get_hand", "The first hand of the list.", table=_PATH_TABLE, hand=_FIRST_HAND),
        "adjudicate_hand": _link(
            "adjudicate_hand", "The adjudication of the first hand of the list.", table=_PATH_TABLE, hand=_FIRST_HAND
        ),
    },
    "make_key": {"revoke_key": _link("revoke_key", "End the key.", key="$response.body#/key/id")},
}
"""By operation: the links of its response, by their names."""
