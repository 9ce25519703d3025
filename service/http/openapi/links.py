"""Where an answer leads: the links of the OpenAPI document, from one operation to those that its answer feeds."""

from collections.abc import Mapping
from typing import Any, Final

_TABLE_ASKED: Final = "$request.path.table"
_TABLE_TOLD: Final = "$response.body#/table"
_FIRST_TABLE: Final = "$response.body#/items/0/table"
_FIRST_HAND: Final = "$response.body#/items/0/hand"
_OF_A_TABLE: Final = ("get_table", "list_actions", "list_events", "get_balances", "list_hands")


def _link(operation: str, about: str, *, body: Any = None, **parameters: str) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    link = {"operationId": operation, "description": about, "parameters": parameters}
    return link if body is None else {**link, "requestBody": body}


def _at_table(table: str) -> dict[str, Any]:
    return {name: _link(name, "The same table.", table=table) for name in _OF_A_TABLE}


LINKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "list_games": {"get_game": _link("get_game", "The first of the games.", game="$response.body#/items/0/game")},
    "open_table": {
        **_at_table(_TABLE_TOLD),
        "take_seat": _link("take_seat", "A seat at the table.", table=_TABLE_TOLD),
        "do_action": _link("do_action", "Something done at the table.", table=_TABLE_TOLD),
    },
    "list_tables": _at_table(_FIRST_TABLE),
    "get_table": _at_table("$response.body#/table"),
    "take_seat": {
        **_at_table(_TABLE_TOLD),
        "leave_seat": _link("do_action", "The seat left again.", table=_TABLE_TOLD, body={"type": "leave_seat"}),
    },
    "list_actions": {
        "do_action": _link(
            "do_action", "The first of the actions.", table=_TABLE_ASKED, body="$response.body#/items/0/action"
        )
    },
    "do_action": _at_table(_TABLE_ASKED),
    "list_events": {
        "next": _link("list_events", "What comes after.", table=_TABLE_ASKED, after="$response.body#/next"),
        "get_table": _link("get_table", "The table there.", table=_TABLE_ASKED, at="$response.body#/position"),
    },
    "get_balances": {
        "list_postings": _link("list_postings", "A statement.", table=_TABLE_ASKED, account="stack:1"),
    },
    "list_hands": {
        "get_hand": _link("get_hand", "The first of the hands.", table=_TABLE_ASKED, hand=_FIRST_HAND),
        "adjudicate_hand": _link("adjudicate_hand", "It, decided again.", table=_TABLE_ASKED, hand=_FIRST_HAND),
    },
    "make_key": {"revoke_key": _link("revoke_key", "The key, ended.", key="$response.body#/key/id")},
}
"""By the operation that answers: the links of its answer, by their names."""
