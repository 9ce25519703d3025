"""The OpenAPI document is valid and complete, and each committed file is what the code generates."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import validate

from service.disputes.dispute_conditions import PRECEDENCE
from service.games import EVENTS, GAMES
from service.games.game import Decision, type_name
from service.http import api
from service.http.openapi import generate
from service.http.openapi.blueprint import TAKES_QUERY
from service.http.openapi.links import LINKS
from service.http.problems.catalogue import CATALOGUE
from service.http.resources.actions import ACTION
from tests.house.tree import ROOT
from tests.http.service import Service

DOCUMENT: Any = api.document()


def _operations() -> Iterator[tuple[str, str, Any]]:
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            if method != "parameters":
                yield path, method, operation


SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS = [pytest.param(path, method, it, id=it["operationId"]) for path, method, it in _operations()]


def test_the_document_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    validate(DOCUMENT)


@pytest.mark.parametrize("name", ["openapi.json", "problems.md", "typescript/chiptrail.d.ts"])
def test_the_committed_file_is_the_file_that_the_code_writes(name: str) -> None:
    committed = (ROOT / "api_spec" / name).read_text()
    assert committed == generate.documents()[name], "python -m service.http.openapi.generate writes it again"


def test_the_service_serves_its_document(quick_service: Service) -> None:
    assert json.loads(quick_service.spectator.get("/openapi.json").data) == DOCUMENT


def test_every_route_is_in_the_document_and_nothing_else(quick_service: Service) -> None:
    routed = {
        (_template(rule.rule), method.lower())
        for rule in quick_service.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    unlisted = {("/openapi.json", "get"), ("/problems", "get"), ("/problems/{code}", "get")}
    unlisted |= {("/docs", "get"), ("/docs/{name}", "get"), ("/docs/openapi.json", "get"), ("/metrics", "get")}
    assert routed - unlisted == {(path, method) for path, method, _ in _operations()}


def _template(rule: str) -> str:
    return re.sub("<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule)


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, _, operation in _operations()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_an_operation_describes_itself_and_lists_its_problems(path: str, method: str, operation: Any) -> None:
    assert operation["summary"].endswith(".")
    assert operation["tags"]
    for status, response in operation["responses"].items():
        assert response["description"]
        if int(status) >= 400:
            codes = [line.split("`")[1] for line in response["description"].splitlines()]
            assert codes
            assert {str(CATALOGUE[code].status) for code in codes} == {status}
            assert set(response["content"]) == {"application/problem+json"}


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_a_write_has_an_example_and_its_idempotency_key(path: str, method: str, operation: Any) -> None:
    if method != "post":
        assert "requestBody" not in operation
        return
    media = operation["requestBody"]["content"]["application/json"]
    assert media["examples"]
    headers = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "header"]
    assert "Idempotency-Key" in headers
    assert operation["security"] == [{"key": []}]


def test_every_member_of_a_query_and_every_part_of_a_path_is_documented(quick_service: Service) -> None:
    for rule in quick_service.app.url_map.iter_rules():
        view = quick_service.app.view_functions[rule.endpoint]
        operations = DOCUMENT["paths"].get(_template(rule.rule))
        if operations is None:
            continue
        shared = {parameter["name"] for parameter in operations.get("parameters", ())}
        assert shared == rule.arguments
        struct = getattr(view, TAKES_QUERY, None)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            listed = operations[method.lower()].get("parameters", ())
            query = {parameter["name"] for parameter in listed if parameter["in"] == "query"}
            assert query == set(struct.__struct_fields__ if struct else ())


def test_the_action_is_a_union_of_all_commands_of_all_games() -> None:
    action = DOCUMENT["components"]["schemas"]["Action"]
    mapping = action["discriminator"]["mapping"]
    assert set(mapping) == set(ACTION.variants)
    for game in GAMES.values():
        assert {type_name(command) for command in game.commands} <= set(mapping)
    for name, reference in mapping.items():
        drawn = _resolved(reference)
        assert drawn["properties"]["type"]["const"] == name
        assert drawn["additionalProperties"] is False
        assert drawn["description"]
    assert _resolved(mapping["offer_upping"])["properties"]["chips"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 6,
        "description": "How many pieces to lay down.",
    }


def test_a_leaf_is_a_union_of_all_types_of_events() -> None:
    mapping = DOCUMENT["components"]["schemas"]["Leaf"]["discriminator"]["mapping"]
    assert set(mapping) == set(EVENTS)
    for name, reference in mapping.items():
        assert _resolved(reference)["properties"]["type"]["const"] == name


@pytest.mark.parametrize("union", ["Leaf", "ServiceLeaf", "DisputeLeaf"])
def test_the_members_that_every_leaf_has_are_documented_the_same_in_every_leaf(union: str) -> None:
    leaves = [_resolved(reference)["properties"] for reference in SCHEMAS[union]["discriminator"]["mapping"].values()]
    assert leaves[0]["position"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**31 - 1,
        "description": "A position in a stream, counted from 1.",
    }
    for leaf in leaves:
        assert {**leaf, "type": {}, "pub": {}} == {**leaves[0], "type": {}, "pub": {}}


def test_a_decision_of_a_hand_is_a_union_of_all_types_of_decisions() -> None:
    mapping = DOCUMENT["components"]["schemas"]["DecisionMade"]["discriminator"]["mapping"]
    assert set(mapping) == {name for name, event in EVENTS.items() if issubclass(event, Decision)}
    for name, reference in mapping.items():
        assert _resolved(reference)["properties"]["type"]["const"] == name


@pytest.mark.parametrize("name", ["Action", "Leaf", "DecisionMade"])
def test_generators_of_clients_can_distinguish_the_members_of_a_union(name: str) -> None:
    """openapi-typescript and openapi-python-client need a `type` that is required and has one constant value."""
    choice = DOCUMENT["components"]["schemas"][name]
    assert choice["discriminator"]["propertyName"] == "type"
    assert [one["$ref"] for one in choice["oneOf"]] == list(choice["discriminator"]["mapping"].values())
    for reference in choice["discriminator"]["mapping"].values():
        drawn = _resolved(reference)
        assert drawn["type"] == "object"
        assert drawn["properties"]["type"]["type"] == "string"
        assert "const" in drawn["properties"]["type"]
        assert "type" in drawn["required"]
        assert drawn["title"] == reference.rpartition("/")[2]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_member_has_its_meaning_and_its_range(name: str) -> None:
    schema = SCHEMAS[name]
    assert schema["title"] == name
    assert schema["description"]
    for member, drawn in schema.get("properties", {}).items():
        assert drawn.get("description"), member
    for node in _nodes({key: value for key, value in schema.items() if key != "default"}):
        if node.get("type") == "integer":
            assert node.keys() >= {"minimum", "maximum"}, node
        if node.get("type") == "object":
            assert node.keys() & {"properties", "additionalProperties", "oneOf", "anyOf"}, node


def _nodes(schema: Any) -> Iterator[Any]:
    if isinstance(schema, list):
        for one in schema:
            yield from _nodes(one)
    if isinstance(schema, dict):
        if "default" not in schema or schema.get("default") != {}:
            yield schema
        for inner in schema.values():
            yield from _nodes(inner)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_input_of_an_operation_is_described(path: str, method: str, operation: Any) -> None:
    for parameter in [*DOCUMENT["paths"][path].get("parameters", ()), *operation.get("parameters", ())]:
        assert parameter["description"], parameter["name"]
        if parameter["schema"].get("type") == "integer":
            assert parameter["schema"].keys() >= {"minimum", "maximum"}, parameter["name"]


def test_links_lead_to_operations_and_to_their_parameters() -> None:
    operations = {operation["operationId"]: (path, operation) for path, _, operation in _operations()}
    linked = set()
    for name, (_, operation) in operations.items():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                path, target = operations[link["operationId"]]
                known = {parameter["name"] for parameter in target.get("parameters", ())}
                assert set(link["parameters"]) <= known | set(re.findall("{([^}]+)}", path))
                linked |= {name, link["operationId"]}
    assert linked >= set(LINKS)


def test_a_transfer_is_documented_as_an_array() -> None:
    transfer = DOCUMENT["components"]["schemas"]["Transfer"]
    assert transfer["type"] == "array"
    assert [one["type"] for one in transfer["prefixItems"]] == ["string", "string", "integer", "string", "string"]


def test_responses_may_get_new_members_but_requests_may_not() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        is_asked = name in {one.title for one in ACTION.variants.values()}
        is_asked |= name in {"Blind", "NewCheckpoint", "NewKey", "Opening", "Signature", "Sitting", "Worth"}
        is_asked |= name in {"NewCorrection", "NewAdjustment"} | {command.__name__ for command in PRECEDENCE}
        is_asked |= name.endswith("Options")
        assert (schema.get("additionalProperties") is False) is is_asked, name


def _resolved(reference: str) -> Any:
    return DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]]
