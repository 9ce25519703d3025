"""Compiles each route once: nearly every test of the API makes an app of its own, all with the same routes."""

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule

_BUILDERS: dict[tuple[object, ...], Callable[..., tuple[str, str]]] = {}


def compile_once() -> None:
    """Let werkzeug use a compiled builder of URLs again for each rule with the same text and the same defaults."""
    compile_builder: Any = Rule._compile_builder

    def compiled(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:  # noqa: FBT001, FBT002 -- werkzeug's
        key = (rule.rule, rule.host, rule.subdomain, repr(rule.defaults), append_unknown)
        if key not in _BUILDERS:
            _BUILDERS[key] = compile_builder(rule, append_unknown)
        return _BUILDERS[key]

    Rule._compile_builder = compiled  # type: ignore[assignment]
