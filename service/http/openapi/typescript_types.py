"""Writes the API's document as TypeScript types, in the form of openapi-typescript: `paths` and `components`."""

# DECISIONS 136

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

_HEAD: Final = "/** Types of all that openapi.json describes; `python -m service.http.openapi.generate` writes them. */"
_BASIC: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

_Schema: TypeAlias = Mapping[str, Any]


def types_of(document: _Schema) -> str:
    """Return the text of a TypeScript file with the types of every path and every schema of *document*."""
    return "\n".join([_HEAD, *_paths(document["paths"]), *_schemas(document["components"]["schemas"]), ""])


def _paths(paths: _Schema) -> Iterator[str]:
    yield "export interface paths {"
    for path, item in paths.items():
        yield f"  {json.dumps(path)}: {{"
        for method, operation in item.items():
            if method != "parameters":
                yield f"    {method}: {{"
                yield from (f"      {line}" for line in _operation(operation, item.get("parameters", [])))
                yield "    };"
        yield "  };"
    yield "}"


def _operation(operation: _Schema, of_path: list[_Schema]) -> Iterator[str]:
    places: dict[str, list[_Schema]] = {}
    for one in [*of_path, *operation.get("parameters", [])]:
        places.setdefault(one["in"], []).append(one)
    yield f"parameters: {_object(_parameters(*place) for place in places.items())};"
    if body := operation.get("requestBody"):
        yield f"requestBody{_optional(body)}: {_content(body)};"
    yield "responses: {"
    yield from (f"  {status}: {_content(answer)};" for status, answer in operation["responses"].items())
    yield "};"


def _parameters(place: str, parameters: list[_Schema]) -> str:
    named = _object(f"{_name(one['name'])}{_optional(one)}: {_type(one['schema'])}" for one in parameters)
    return f"{place}{'' if any(one.get('required') for one in parameters) else '?'}: {named}"


def _optional(one: _Schema) -> str:
    return "" if one.get("required") else "?"


def _content(body: _Schema) -> str:
    content = [f"{json.dumps(kind)}: {_type(one.get('schema', {}))}" for kind, one in body.get("content", {}).items()]
    return _object([f"content: {_object(content)}" if content else "content?: never"])


def _schemas(schemas: _Schema) -> Iterator[str]:
    yield "export interface components {\n  schemas: {"
    for name, schema in schemas.items():
        yield from _described(schema, "    ")
        if "properties" not in schema:
            yield f"    {name}: {_type(schema)};"
            continue
        yield f"    {name}: {{"
        for member, one in schema["properties"].items():
            yield from _described(one, "      ")
            yield f"      {_member(schema, member)};"
        yield from (f"      {rest};" for rest in _rest(schema))
        yield "    };"
    yield "  };\n}"


def _described(schema: _Schema, indent: str) -> Iterator[str]:
    if text := " ".join(schema.get("description", "").split()).replace("*/", "*\\/"):
        yield f"{indent}/** {text} */"


def _type(schema: _Schema) -> str:
    """Return the type of the values that *schema* allows; patterns of texts and limits of numbers are left out."""
    if "$ref" in schema:
        return f'components["schemas"]["{schema["$ref"].rpartition("/")[2]}"]'
    if either := schema.get("oneOf") or schema.get("anyOf"):
        return _union(_type(one) for one in either)
    if "const" in schema or "enum" in schema:
        return _union(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return _array(schema)
    if schema.get("type") == "object":
        members = [_member(schema, member) for member in schema.get("properties", {})]
        return _object([*members, *_rest(schema)])
    return _BASIC[schema["type"]] if "type" in schema else "unknown"


def _member(schema: _Schema, member: str) -> str:
    optional = "" if member in schema.get("required", []) else "?"
    return f"{_name(member)}{optional}: {_type(schema['properties'][member])}"


def _rest(schema: _Schema) -> Iterator[str]:
    """Yield the type of the members that *schema* does not name, if it allows such members."""
    rest = schema.get("additionalProperties", "properties" not in schema)
    if rest is not False:
        named = isinstance(rest, bool) or "properties" in schema
        yield f"[member: string]: {'unknown' if named else _type(rest)}"


def _array(schema: _Schema) -> str:
    first = [_type(one) for one in schema.get("prefixItems", [])]
    if first:
        return f"[{', '.join(first)}]"
    return f"({_type(schema.get('items', {}))})[]"


def _union(types: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _object(members: Iterable[str]) -> str:
    return f"{{ {'; '.join(members)} }}".replace("{  }", "{}")


def _name(member: str) -> str:
    return member if member.isidentifier() else json.dumps(member)
