"""The fixture of the tests of figures: a PostgreSQL server."""

import os
from pathlib import Path

import pytest

from tests import postgres


@pytest.fixture
def server_url() -> str:
    """Return the URL of this run's PostgreSQL."""
    found = postgres.given_server()
    return found or postgres.shared_server(postgres.installations()[0], Path(os.environ[postgres.SHARED_FOLDER]))
