"""The OpenAPI document as a contract: the tests check every response against the document."""

# ruff: noqa: ANN401 -- JSON may be any value

from functools import cache
from typing import Any
from urllib.parse import unquote

from flask import Flask
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from service.http import api
from service.http.problems.problem import CONTENT_TYPE

Document = dict[str, Any]
_DOCUMENTED = {"ETag", "Link", "Location", "Log-Checkpoint"}
"""The headers that the document lists for each response that has them."""


class Contract:
    """The operations and responses that the OpenAPI document of an app promises."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._validators: dict[str, Draft202012Validator] = {}

    def must_hold(self, app: Flask, method: str, path: str, answer: TestResponse) -> None:
        """Check the status, headers, content type and schema of *answer*, if the document has the operation."""
        operation = self.operation(app, method, path)
        if operation is None:
            return
        where = f"{method} {path}: {answer.status_code}"
        promised = operation["responses"].get(str(answer.status_code))
        assert promised, f"{where} is not documented: {answer.get_data(as_text=True)}"
        assert set(promised.get("headers", ())) >= _DOCUMENTED & set(answer.headers.keys()), where
        if "content" not in promised or not answer.data:
            return
        media = promised["content"].get(answer.content_type)
        assert media, f"{where} as {answer.content_type} is not documented"
        if answer.content_type == CONTENT_TYPE:
            self._must_list(answer, promised["description"])
            self._must_be_like_its_example(answer)
        if answer.is_json:
            self.validate(media["schema"], answer.get_json())

    def operation(self, app: Flask, method: str, path: str) -> Document | None:
        """Return the operation of *method* and *path*; None: the document has no such operation."""
        adapter = app.url_map.bind("localhost")
        try:
            rule, _ = adapter.match(unquote(path.partition("?")[0]), method=method, return_rule=True)
        except Exception:  # noqa: BLE001  # No operation has this path and method.
            return None
        template = "".join(f"{{{part}}}" if dynamic else part for dynamic, part in rule._trace).lstrip("|")
        operations: Document = self.document["paths"].get(template, {})
        found: Document | None = operations.get("get" if method == "HEAD" else method.lower())
        return found

    def validate(self, schema: Document, value: Any) -> None:
        """Check that *value* matches *schema*."""
        name = str(schema)
        if name not in self._validators:
            self._validators[name] = Draft202012Validator({**schema, "components": self.document["components"]})
        self._validators[name].validate(value)

    def _must_be_like_its_example(self, answer: TestResponse) -> None:
        details = answer.get_json()
        example = self.document["components"]["examples"][details["type"].removeprefix("/problems/")]["value"]
        for member in ("type", "title", "status"):
            assert details[member] == example[member]

    @staticmethod
    def _must_list(answer: TestResponse, description: str) -> None:
        problem = answer.get_json()["type"].removeprefix("/problems/")
        assert f"`{problem}`" in description, f"{problem} is not documented: {description}"


@cache
def ours() -> Contract:
    """Return the contract of our API, whose validators a process makes only once."""
    return Contract(api.document())
