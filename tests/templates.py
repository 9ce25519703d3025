"""Compiles each template once: nearly every test of the API makes an app of its own, with the same templates."""

from types import CodeType
from typing import Any, Final

from jinja2 import Environment

_COMPILED: Final[dict[tuple[object, ...], CodeType]] = {}


def compile_once() -> None:
    """Let all environments with the same options share the code of the templates that Jinja has compiled."""
    compile_template: Any = Environment.compile

    def compiled(
        environment: Environment, source: str, name: str | None = None, filename: str | None = None
    ) -> CodeType:
        options = (
            environment.undefined,
            environment.trim_blocks,
            environment.lstrip_blocks,
            *sorted(environment.filters),
        )
        key = (source, name, filename, *options)
        if key not in _COMPILED:
            _COMPILED[key] = compile_template(environment, source, name, filename)
        return _COMPILED[key]

    Environment.compile = compiled  # type: ignore[assignment, method-assign]
