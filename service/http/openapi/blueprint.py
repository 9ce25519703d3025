"""A resource: a flask-smorest blueprint that loads bodies and queries, and documents its operations (DECISIONS 50)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

from flask import Flask
from flask_smorest.blueprint import Blueprint
from marshmallow import Schema
from msgspec import Struct

from service.api_keys.repository import Scope
from service.games import GAMES
from service.http.problems.problem import repeated_error
from service.http.request.authentication import caller_with_scope
from service.http.request.context import request_context
from service.http.request.parsing import Parser
from service.http.request.schemas import schema_of

F = TypeVar("F", bound=Callable[..., Any])

TAKES_QUERY: Final = "takes_query"
"""The name of the attribute in which a view function has the Struct of its query."""

_IN_PATH: Final[dict[str, dict[str, Any]]] = {
    "table": {
        "schema": {"type": "string", "pattern": "^tbl_[0-9a-f]{32}$"},
        "description": "The table's id.",
        "example": "tbl_1605853816b2a299bd1d5968516c7a45",
    },
    "hand": {"description": "The number of the hand, from 1.", "example": 1},
    "dispute": {"description": "The number of the dispute at its table, from 1.", "example": 1},
    "position": {"description": "The position of the event in its stream, from 1.", "example": 1},
    "account": {
        "schema": {"type": "string", "minLength": 1},
        "description": "The account's name, such as stack:1 or house.",
        "example": "stack:1",
    },
    "game": {"description": "The game's name.", "example": next(iter(GAMES.values())).name},
    "level": {"description": "The level of the tile: 0 for the hashes of leaves.", "example": 0},
    "tile": {
        "schema": {"type": "string", "pattern": "^(x[0-9]{3}/){0,5}[0-9]{3}([.]p/[1-9][0-9]{0,2})?$"},
        "description": "The number of the tile, in groups of three digits: x001/x234/067. The number of a "
        "partial tile ends with the tile's width: 000.p/17. The slashes need not be escaped.",
        "example": "000.p/1",
    },
    "old": {"description": "The size of the smaller tree, such as the size in an earlier checkpoint.", "example": 1},
    "new": {"description": "The size of the larger tree; the log must have a checkpoint of this size.", "example": 2},
    "key": {
        "schema": {"type": "string", "pattern": "^key_[0-9a-f]{32}$"},
        "description": "The key's id.",
        "example": "key_39edc97d3f49a86c53669a4c16d01284",
    },
}


class Resource(Blueprint):
    """The operations of one resource."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, description: str) -> None:
        """Create the resource; *name* and *description* become a tag of the OpenAPI document."""
        super().__init__(name, __name__, description=description)  # type: ignore[no-untyped-call]  # smorest has none

    def route(self, rule: str, **options: Any) -> Callable[[F], F]:  # noqa: ANN401 -- Flask defines the options
        """Route *rule* to a view function, and document the parameters of the path."""
        named = [name.rpartition(":")[2] for name in re.findall("<([^>]+)>", rule)]
        parameters = [{"in": "path", "name": name, **_IN_PATH[name]} for name in named]
        add: Callable[[F], F] = super().route(rule, parameters=parameters, **options)  # type: ignore[no-untyped-call]
        return add

    def body(
        self, schema: Schema, *, scopes: tuple[Scope, ...], examples: Mapping[str, Any]
    ) -> Callable[[F], Callable[..., Any]]:
        """Load the body by *schema*, and pass the loaded Struct to the view function.

        *examples* are documented under their names. The body is read only if the request has a key with one of *scopes*
        (even a key that has ended); otherwise the request is refused.
        """
        named = {name: {"value": example} for name, example in examples.items()}
        load: Callable[[F], F] = self.arguments(schema, examples=named)  # type: ignore[no-untyped-call]

        def guard(view: F) -> Callable[..., Any]:
            loaded = load(view)

            @wraps(loaded)
            def granted(*args: Any, **members: Any) -> Any:  # noqa: ANN401 -- each view has other types
                caller_with_scope(*scopes, may_have_ended=True)
                return loaded(*args, **members)

            return granted

        return guard

    def query(self, struct: type[Struct]) -> Callable[[F], F]:
        """Load the query into a new *struct*, and pass this Struct to the view function."""
        load: Callable[[F], F] = self.arguments(schema_of(struct, in_query=True), location="query")  # type: ignore[no-untyped-call]

        def mark(view: F) -> F:
            loaded = load(view)
            setattr(loaded, TAKES_QUERY, struct)
            return loaded

        return mark

    def documented(self, members: dict[str, Any], parameters: Sequence[dict[str, Any]]) -> Callable[[F], F]:
        """Document a view function with *members* of an Operation Object.

        *parameters* are the parameters outside the path and the query.
        """
        document: Callable[[F], Any] = self.doc(**members)  # type: ignore[no-untyped-call]

        def mark(view: F) -> F:
            documented = document(view)
            documented._apidoc["arguments"] = {"parameters": list(parameters)}  # noqa: SLF001 -- flask-smorest reads this
            return documented  # type: ignore[no-any-return]  # flask-smorest returns a function of the type of *view*

        return mark

    def _prepare_arguments_doc(self, doc: Any, doc_info: Any, **more: Any) -> Any:  # noqa: ANN401 -- smorest has no types
        """Document no problems of arguments: `operation` documents all problems."""
        doc_info.get("arguments", {}).pop("responses", None)
        return super()._prepare_arguments_doc(doc, doc_info, **more)  # type: ignore[no-untyped-call]


def refuse_stray_queries(app: Flask) -> None:
    """Make *app* refuse each request that has a query although its operation takes none."""

    def check() -> None:
        context = request_context()
        if not context.query_string:
            return
        if context.method == "OPTIONS":
            return  # A CORS preflight has the query of the request that the browser sends next.
        if context.args and context.endpoint and not hasattr(app.view_functions[context.endpoint], TAKES_QUERY):
            raise repeated_error("member_must_be_known", list(context.args), in_query=True)

    app.before_request(check)
