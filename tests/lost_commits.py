"""Commits that get no answer: the service does not learn whether the database has committed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine


@contextmanager
def failing_commits(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each COMMIT of *engine* fail while the block runs, also the COMMITs of readers."""

    def fail(_driver: Any) -> None:  # noqa: ANN401 -- each driver has its own type
        raise engine.dialect.loaded_dbapi.OperationalError("the line went dead")

    with monkeypatch.context() as patch:
        patch.setattr(engine.dialect, "do_commit", fail)
        yield
