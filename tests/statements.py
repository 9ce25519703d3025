"""Compiles each SQL statement once: nearly every test makes an engine of its own, for the same statements."""

from functools import partial
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import Dialect

from service.database import engines


def compile_once() -> None:
    """Let all engines on the same kind and version of database share the statements that SQLAlchemy has compiled."""
    options = {"compiled_cache": _Statements()}
    module: Any = engines
    module.create_engine = partial(create_engine, execution_options=options)


class _Statements(dict[tuple[Any, ...], Any]):
    """Compiled statements; `_common` replaces the dialect in a key, because each engine has a dialect of its own."""

    def get(self, key: tuple[Any, ...], default: object = None) -> Any:  # noqa: ANN401 -- SQLAlchemy's
        return super().get(_common(*key), default)

    def __setitem__(self, key: tuple[Any, ...], statement: object) -> None:
        super().__setitem__(_common(*key), statement)


def _common(dialect: Dialect, *statement: object) -> tuple[object, ...]:
    return (dialect.name, dialect.server_version_info, *statement)
