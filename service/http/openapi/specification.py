"""Completes the OpenAPI document that apispec and flask-smorest make."""

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, Final, cast

import msgspec
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask_smorest import Api
from marshmallow import Schema
from msgspec import UNSET, Struct, UnsetType, defstruct

from service.disputes.dispute_events import DISPUTE_EVENTS
from service.event_store.leaf import Commitment, MoveSignature
from service.games import EVENTS, GAMES
from service.games.game import Decision
from service.http.openapi import glossary, view_union
from service.http.openapi.operation import ANSWERS
from service.http.request.schemas import StructSchema, UnionSchema, options_name
from service.ledger import Transfer
from service.service_log.service_events import SERVICE_EVENTS

CONFIG: Final = {
    "API_TITLE": "Chiptrail",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.1.0",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": "Card tables, and an append-only log with which players can check each card and decision.",
            "contact": {"name": "Chiptrail"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"key": []}, {}],
        "servers": [{"url": "/", "description": "The service that serves this document."}],
    },
}

_COMPONENT: Final = "#/components/schemas/{name}"


class _Converter(OpenAPIConverter):
    """Converts our schemas: a union to `oneOf`, and a Struct's docstring to the description of the schema."""

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        if isinstance(schema, UnionSchema):
            return self._choice(schema)
        drawn: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]  # apispec has no types
        if isinstance(schema, StructSchema):
            about = cleandoc(schema.struct.__doc__ or "")
            drawn |= {"title": schema.title, "description": about, "additionalProperties": False}
            glossary.explain(schema.title, drawn)
            for member in drawn["properties"].values():
                if member.get("additionalProperties") == {}:  # another schema describes the members of this object
                    del member["additionalProperties"]
        return drawn

    def _choice(self, schema: UnionSchema) -> dict[str, Any]:
        references = {}
        for each in schema.beside.values():
            self.spec.components.schema(each.title, self.schema2jsonschema(each))
        for name, variant in schema.variants.items():
            drawn = self.schema2jsonschema(variant)
            tag = {"type": "string", "const": name, "description": "The type of the action."}
            drawn["properties"] = {"type": tag, **drawn["properties"]}
            drawn["required"] = ["type", *drawn.get("required", ())]
            for beside, each in schema.beside.items():
                about = "The caller's signature; needed if the caller's seat has a signing key."
                drawn["properties"][beside] = {"$ref": _COMPONENT.format(name=each.title), "description": about}
            self.spec.components.schema(variant.title, drawn)
            references[name] = _COMPONENT.format(name=variant.title)
        return {"title": schema.title, "description": "An action of any game, selected by `type`."} | _by_type(
            references
        )


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


class Documented(Api):
    """flask-smorest's Api, with its built-in documentation of errors, ETags and pagination switched off."""

    DEFAULT_ERROR_RESPONSE_NAME = ""

    def __init__(self, app: Flask) -> None:
        plugin = _Plugin(schema_name_resolver=_name)
        super().__init__(app, spec_kwargs={"marshmallow_plugin": plugin})  # type: ignore[no-untyped-call]  # smorest has no types

    def _register_error_handlers(self) -> None:
        """Register no handlers: `failures` handles all errors."""

    def _register_responses(self) -> None:
        """Document no problems here: `operation` documents all problems."""

    def _register_etag_headers(self) -> None:
        """Document no headers here: `operation` documents the ETag."""

    def _register_pagination_header(self) -> None:
        """Document no header here: lists are paged by the header Link, which `operation` documents."""


def complete(spec: APISpec) -> None:
    """Add to *spec* the schemas of all responses, events, views and options, and the security scheme.

    Raises:
        TypeError: a Struct of responses, events or views has the name of a type of sealed value, but another schema.
    """
    components = spec.components.schemas  # written directly: apispec's method refuses a name that has a schema already
    leaves = {name: _leaf(name, event) for name, event in EVENTS.items()}
    of_service = {name: _leaf(name, event) for name, event in SERVICE_EVENTS.items()}
    of_disputes = {name: _leaf(name, event) for name, event in DISPUTE_EVENTS.items()}
    made = {name: _made(name, event) for name, event in EVENTS.items() if issubclass(event, Decision)}
    views = [game.view_type for game in GAMES.values()]
    answers = sorted(ANSWERS, key=lambda answer: answer.__name__)
    _, drawn = msgspec.json.schema_components(
        [*answers, *leaves.values(), *of_service.values(), *of_disputes.values(), *made.values(), *views],
        ref_template=_COMPONENT,
    )
    sealed, of_sealed = msgspec.json.schema_components(
        [kind for game in GAMES.values() for kind in game.sealed_types], ref_template=_COMPONENT
    )
    for name, schema in (*drawn.items(), *of_sealed.items()):
        opened = _open(name, schema)
        if components.setdefault(name, opened) != opened and name in drawn and name in of_sealed:
            raise TypeError(f"Two Structs named {name} have different schemas: rename one of them.")
    components |= {
        "Leaf": _choice("Leaf", "An event as it is hashed: canonical JSON (log/v1), the same for everybody.", leaves),
        "ServiceLeaf": _choice("ServiceLeaf", "An event of the service's own stream as it is hashed.", of_service),
        "DisputeLeaf": _choice("DisputeLeaf", "An event of a table's disputes as it is hashed.", of_disputes),
        "DecisionMade": _choice("DecisionMade", "A decision in a hand, with the event's own members.", made),
    }
    for name in ("FieldOpening", "FieldToSeal"):
        components[name]["properties"]["value"]["anyOf"] = [_plain(schema) for schema in sealed]
    for view in views:
        _name_maps(components, view.__name__)
    view_union.split_by_game(components)
    components["Problem"] = _without_tables(components["Details"])
    for game in GAMES.values():
        _, options = msgspec.json.schema_components([game.options], ref_template=_COMPONENT)
        name = options_name(game.name)
        components[name] = {**_cleaned(options[game.options.__name__]), "title": name}
    spec.components.security_scheme(
        "key",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key: ctk_<id>_<secret>. Without a key the caller is a spectator.",
        },
    )


def _name(schema: Any) -> str:  # noqa: ANN401 -- apispec passes a schema or its class
    return cast("str", schema.title)


def _leaf(name: str, event: type[Struct]) -> type[Struct]:
    """Return a Struct with the schema of the leaf of one type of event."""
    version = getattr(event, "VERSION", 1)
    return defstruct(
        f"{event.__name__}Leaf",
        [
            ("v", int),
            ("stream", str),
            ("position", int),
            ("prev", str),
            ("version", int),
            ("by", str),
            ("at", str),
            ("pub", event),
            ("priv", dict[str, Commitment], {}),
            ("cmd", str, ""),
            ("sig", MoveSignature | UnsetType, UNSET),
        ],
        tag_field="type",
        tag=name,
        kw_only=True,
        namespace={"__doc__": f"The leaf of {name}, version {version}."},
    )


def _made(name: str, event: type[Struct]) -> type[Struct]:
    """Return a Struct with the schema of one type of decision, as the view of a hand lists decisions."""
    return defstruct(
        f"{event.__name__}Made",
        [("position", int), ("at", str), ("by", str), ("made", event)],
        tag_field="type",
        tag=name,
        kw_only=True,
        namespace={"__doc__": f"The decision {name} in a hand."},
    )


def _choice(title: str, description: str, structs: Mapping[str, type[Struct]]) -> dict[str, Any]:
    references = {name: _COMPONENT.format(name=struct.__name__) for name, struct in structs.items()}
    return {"title": title, "description": description} | _by_type(references)


def _by_type(references: dict[str, str]) -> dict[str, Any]:
    """Return the schema of a union of *references*; the member `type` selects the reference."""
    return {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "type", "mapping": references},
    }


def _without_tables(details: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of most problems: problem details without actions and events.

    The schemas of actions and events refer to most of the other schemas, and most problems need none of these.
    """
    members = {name: drawn for name, drawn in details["properties"].items() if name not in {"actions", "missed"}}
    about = "Problem details (RFC 9457). The members besides the required ones depend on the problem."
    return {**details, "title": "Problem", "description": about, "properties": members}


def _name_maps(components: dict[str, Any], title: str) -> None:
    """Move the schema of each map in a view to a component of its own, which has a name.

    openapi-python-client reads the schema of a view twice. If the schema of a map has no name, the generator names it
    at the first reading, and fails at the second.
    """
    for name, member in components[title]["properties"].items():
        if member.get("type") == "object":
            apart = f"{title}{name.title().replace('_', '')}"
            components[apart] = {"title": apart, **member}
            components[title]["properties"][name] = {
                "$ref": _COMPONENT.format(name=apart),
                "description": member["description"],
            }


def _open(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema*, explained by the glossary and rewritten for client generators, with unknown members allowed.

    Responses may have unknown members, because a release may add members without a new version of the API.
    """
    closed = schema.get("additionalProperties") is False
    opened = _cleaned(
        {name: value for name, value in schema.items() if not (closed and name == "additionalProperties")}
    )
    if "prefixItems" in opened:  # this Struct is encoded as an array
        members = {"properties": dict(zip(Transfer.__struct_fields__, opened["prefixItems"], strict=True))}
        glossary.explain(name, members)
    glossary.explain(name, opened)
    for member in opened.get("properties", {}).values():
        if "default" in member:  # openapi-typescript treats a member with a default as required
            default = msgspec.json.encode(member.pop("default")).decode()
            member["description"] = f"{member['description'].removesuffix('.')}; if left out: {default}."
    return opened


def _closed(items: list[Any]) -> dict[str, Any]:
    """Return the keywords that limit an array to as many items as *items* has schemas.

    The keyword `items` forbids any further item, in a form that our tools can read. The usual form is the schema
    `false`, which means the same as `{"not": {}}`. But Spectral treats a plain `false` as missing, and
    openapi-python-client can't read it. `{"not": {}}` has a type here, because openapi-python-client would read a
    schema without a type as any value.
    """
    return {"items": {"type": items[0]["type"], "not": {}}, "minItems": len(items), "maxItems": len(items)}


def _cleaned(schema: dict[str, Any]) -> dict[str, Any]:
    cleaned: dict[str, Any] = _plain(msgspec.json.decode(msgspec.json.encode(schema)))  # a tuple becomes a list
    return {**cleaned, "description": cleandoc(cleaned["description"])}


def _plain(schema: Any) -> Any:  # noqa: ANN401 -- a schema is JSON
    """Return *schema*, which msgspec made, rewritten with keywords that client generators can read."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _plain(value) for name, value in schema.items()}
    if "prefixItems" in plain:
        plain |= _closed(plain["prefixItems"])
    if "$ref" in plain:  # the schema to which the reference leads has the type
        plain.pop("type", None)
    if isinstance(values := plain.get("enum"), list):
        if len(values) == 1:
            del plain["enum"]
            plain["const"] = values[0]
        if isinstance(values[0], str):
            plain = {"type": "string", **plain}
    return plain
