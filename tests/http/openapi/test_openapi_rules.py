"""The OpenAPI document keeps the rules of Spectral and Redocly that matter here; each game describes its members."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import pytest
from msgspec import Struct, inspect

from service.games import GAMES
from service.http import api
from service.http.openapi import glossary
from service.http.openapi.operation import ANSWERS

DOCUMENT: Final[Any] = api.document()
SCHEMAS: Final[dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPERATIONS: Final = [
    pytest.param(operation, id=operation["operationId"])
    for path in DOCUMENT["paths"].values()
    for method, operation in path.items()
    if method != "parameters"
]
_CLOSED_WORDS: Final = {"status", "phase", "direction", "unit", "code", "game"}
_OWN_PACKAGE: Final = re.compile(r"service[.]games[.][a-z_]+[.].*")


def _nodes(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(inner)


def test_the_document_names_its_server_and_its_license() -> None:
    assert DOCUMENT["info"]["contact"]
    assert DOCUMENT["info"]["license"]
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_has_a_summary_a_description_and_one_tag_that_is_explained(operation: Any) -> None:
    assert re.fullmatch("[a-z_]+", operation["operationId"])
    assert operation["description"].strip()
    assert operation["description"] != operation["summary"]
    (tag,) = operation["tags"]
    assert tag in {one["name"] for one in DOCUMENT["tags"] if one["description"]}


def test_every_component_is_used() -> None:
    used = set(re.findall("#/components/([a-z]+)/([A-Za-z0-9_]+)", json.dumps(DOCUMENT)))
    there = {(kind, name) for kind, found in DOCUMENT["components"].items() for name in found}
    assert {one for one in there - used if one[0] != "securitySchemes"} == set()
    assert used <= there


def test_every_value_of_an_enum_has_its_type_and_occurs_once() -> None:
    for node in _nodes(SCHEMAS):
        if isinstance(node.get("enum"), list):
            assert len(set(node["enum"])) == len(node["enum"])
            assert all(isinstance(value, str) for value in node["enum"]) or node.get("type") != "string"


def test_every_array_describes_its_items_and_a_tuple_has_no_further_items() -> None:
    found = 0
    for node in _nodes(SCHEMAS):
        if node.get("type") == "array":
            assert node["items"]
        if isinstance(node.get("prefixItems"), list):
            found += 1
            assert node["items"]["not"] == {}
            assert node["minItems"] == node["maxItems"] == len(node["prefixItems"])
    assert found >= 2


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_member_that_can_be_few_words_lists_them(name: str) -> None:
    for member, drawn in SCHEMAS[name].get("properties", {}).items():
        if member in _CLOSED_WORDS and drawn.get("type") == "string":
            assert drawn.keys() & {"enum", "const"}, member


def test_the_game_of_a_table_selects_its_view() -> None:
    choice = SCHEMAS["TableView"]
    assert choice["discriminator"]["propertyName"] == "game"
    assert choice["discriminator"]["mapping"].keys() == {game.name for game in GAMES.values()}
    assert [one["$ref"] for one in choice["oneOf"]] == list(choice["discriminator"]["mapping"].values())
    for game in GAMES.values():
        shape = SCHEMAS[choice["discriminator"]["mapping"][game.name].rpartition("/")[2]]
        assert shape["properties"]["game"]["const"] == game.name
        assert shape["properties"]["view"]["$ref"].rpartition("/")[2] == game.view_type.__name__
        assert {"game", "view"} <= set(shape["required"])


def test_no_word_of_the_glossary_belongs_to_one_game() -> None:
    users = defaultdict(set)
    for struct in _structs():
        for field in struct.__struct_fields__:
            users[field].add(struct)
            users[f"{struct.__name__}.{field}"].add(struct)
    of_games = {word for word, structs in users.items() if all(map(_is_a_games_own, structs))}
    assert set(glossary.WORDS) & of_games == set(), "A game's Struct describes the members of this game."


def test_a_member_of_a_games_own_struct_has_its_own_description() -> None:
    for struct in filter(_is_a_games_own, _structs()):
        info = inspect.type_info(struct)
        assert isinstance(info, inspect.StructType)
        for field in info.fields:
            says = (getattr(field.type, "extra_json_schema", None) or {}).get("description")
            bases = [base for base in struct.__mro__[1:] if issubclass(base, Struct) and base is not Struct]
            inherited = any(field.name in base.__struct_fields__ for base in bases)
            assert says or inherited, f"{struct.__name__}.{field.name}"


def test_a_played_card_is_described_as_one() -> None:
    assert SCHEMAS["PlayedView"]["properties"]["card"]["description"] == "The card that was played."


def _is_a_games_own(struct: type[Struct]) -> bool:
    return bool(_OWN_PACKAGE.fullmatch(struct.__module__))


def _structs() -> set[type[Struct]]:
    """Return all Structs from which the document has schemas: of responses, events, views and options."""
    found: set[type[Struct]] = set()
    roots: list[Any] = [*ANSWERS]
    for game in GAMES.values():
        roots += [game.view_type, *game.events, *game.sealed_types, game.options]
    for root in roots:
        _gather(inspect.type_info(root), found)
    return found


def _gather(kind: inspect.Type, found: set[type[Struct]]) -> None:
    if isinstance(kind, inspect.StructType):
        if kind.cls in found:
            return
        found.add(kind.cls)
        for field in kind.fields:
            _gather(field.type, found)
    for name in ("type", "item_type", "key_type", "value_type"):
        if isinstance(inner := getattr(kind, name, None), inspect.Type):
            _gather(inner, found)
    for name in ("item_types", "types"):
        for inner in getattr(kind, name, ()):
            _gather(inner, found)
