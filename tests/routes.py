"""Compiles each route once: nearly every test of the API makes its own app, and all apps have the same routes."""

from typing import Any, Final

from werkzeug.routing import Rule

_MADE: Final = ("_parts", "_trace", "_converters", "arguments")
"""What werkzeug makes of the text of a rule, and then only reads."""
_BUILDERS: Final = ("_build", "_build_unknown")
"""The methods that werkzeug makes for a rule; they build URLs."""

_COMPILED: Final[dict[tuple[object, ...], dict[str, Any]]] = {}


def compile_once() -> None:
    """Let werkzeug reuse the compiled parts of a rule for each rule with the same text, defaults and converters."""
    compile_rule: Any = Rule.compile

    def compiled(rule: Rule) -> None:
        texts = (rule.rule, rule.host, rule.subdomain, rule.merge_slashes, repr(rule.defaults))
        key = (*texts, *rule.map.converters.values())
        if key in _COMPILED:
            kept = _COMPILED[key]
            vars(rule).update({name: kept[name] for name in _MADE})
            vars(rule).update({name: kept[name].__get__(rule) for name in _BUILDERS})
        else:
            compile_rule(rule)
            made = {name: vars(rule)[name] for name in _MADE}
            _COMPILED[key] = made | {name: vars(rule)[name].__func__ for name in _BUILDERS}

    Rule.compile = compiled  # type: ignore[assignment, method-assign]
