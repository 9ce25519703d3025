"""The OpenAPI document: what apispec has to be told besides."""

from inspect import cleandoc
from typing import Any, Final, cast

import msgspec
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask_smorest import Api
from marshmallow import Schema
from msgspec import Struct, defstruct

from service.games import EVENTS, GAMES
from service.http.operations import ANSWERS
from service.http.shapes import Choice, Shape, options_name
from service.log.leaf import Commitment

CONFIG: Final = {
    "API_TITLE": "Chiptrail",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.1.0",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": "Card tables, and one append-only log that proves every chip, card and decision.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"key": []}, {}],
    },
}

_COMPONENT: Final = "#/components/schemas/{name}"


class _Converter(OpenAPIConverter):
    """Draws our schemas as they are: a choice as oneOf, and with what their Structs say about themselves."""

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        if isinstance(schema, Choice):
            return self._choice(schema)
        drawn: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]  # it has no types
        if isinstance(schema, Shape):
            drawn |= {"description": cleandoc(schema.struct.__doc__ or ""), "additionalProperties": False}
        return drawn

    def _choice(self, schema: Choice) -> dict[str, Any]:
        references = {}
        for name, one in schema.shapes.items():
            drawn = self.schema2jsonschema(one)
            drawn["properties"] = {"type": {"type": "string", "const": name}, **drawn["properties"]}
            drawn["required"] = ["type", *drawn.get("required", ())]
            self.spec.components.schema(one.title, drawn)
            references[name] = _COMPONENT.format(name=one.title)
        return {
            "oneOf": [{"$ref": reference} for reference in references.values()],
            "discriminator": {"propertyName": "type", "mapping": references},
        }


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


class Documented(Api):
    """The Api of flask-smorest, with problems documented where they belong."""

    DEFAULT_ERROR_RESPONSE_NAME = ""

    def __init__(self, app: Flask) -> None:
        plugin = _Plugin(schema_name_resolver=_name)
        super().__init__(app, spec_kwargs={"marshmallow_plugin": plugin})  # type: ignore[no-untyped-call]  # nor has it

    def _register_error_handlers(self) -> None:
        """Leave errors to `failures`."""

    def _register_responses(self) -> None:
        """Leave problems to `operation`."""

    def _register_etag_headers(self) -> None:
        """Leave headers to `operation`, too."""

    def _register_pagination_header(self) -> None:
        """Turn pages by cursors alone."""


def complete(spec: APISpec) -> None:
    """Add to *spec* what no single operation knows: all answers, events and views, and how keys are sent."""
    components = spec.components.schemas  # apispec's own way in would take `false` for a name
    leaves = {name: _leaf(name, event) for name, event in EVENTS.items()}
    views = [game.view_type for game in GAMES.values()]
    _, drawn = msgspec.json.schema_components(
        [*sorted(ANSWERS, key=lambda one: one.__name__), *leaves.values(), *views], ref_template=_COMPONENT
    )
    for name, schema in drawn.items():
        components.setdefault(name, _open(schema))  # a Struct may be asked for and answered with
    mapping = {name: _COMPONENT.format(name=leaf.__name__) for name, leaf in leaves.items()}
    components["Leaf"] = {
        "description": "An event as it is hashed: canonical JSON (log/v1), the same bytes for everybody.",
        "oneOf": [{"$ref": reference} for reference in mapping.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }
    components["GameView"] = {
        "description": "What is particular to the game; which view it is, the table's member `game` says.",
        "anyOf": [{"$ref": _COMPONENT.format(name=view.__name__)} for view in views],
    }
    for game in GAMES.values():
        _, options = msgspec.json.schema_components([game.options], ref_template=_COMPONENT)
        name = options_name(game.name)
        components[name] = {**_cleaned(options[game.options.__name__]), "title": name}
    spec.components.security_scheme(
        "key", {"type": "http", "scheme": "bearer", "description": "ctk_<id>_<secret>; without a key: a spectator."}
    )


def _name(schema: Any) -> str:  # noqa: ANN401 -- a schema, or its class
    return cast("str", schema.title)


def _leaf(name: str, event: type[Struct]) -> type[Struct]:
    """Return the leaf of one type of event, to be drawn."""
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
        ],
        tag_field="type",
        tag=name,
        kw_only=True,
        namespace={"__doc__": f"The leaf of {name}, version {version}."},
    )


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """Let what is answered have further members: additions are no new version of the interface."""
    left = {name: value for name, value in schema.items() if name != "additionalProperties" or value is not False}
    return _cleaned(left)


def _cleaned(schema: dict[str, Any]) -> dict[str, Any]:
    drawn: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(schema))  # a default may be a tuple
    return {**drawn, "description": cleandoc(drawn["description"])}
