"""Several processes answer as one: their counts are put together, and their limits shared out."""

import os
from pathlib import Path

import urllib3
from urllib3 import BaseHTTPResponse

from service.cli import background
from tests.cli.commands import Place
from tests.databases import Databases

_ASKED = 40


def _ask(url: str, path: str, **headers: str) -> BaseHTTPResponse:
    """Ask over a connection of its own, which any of the processes may take."""
    return urllib3.request("GET", url + path, headers={"Connection": "close", **headers})


def test_one_scrape_tells_of_all_processes_and_limits_are_shared_out(all_databases: Databases, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with all_databases.migrated("postgresql") as url:
        place = Place(url, tmp_path / "data")
        environment = {**os.environ, "TMPDIR": str(temporary)}
        with background.running([*place.flags, "--workers", "2"], tmp_path / "log", environment) as server:
            for _ in range(_ASKED):
                answer = _ask(server.url, "/v1/games")
                assert answer.headers["RateLimit-Policy"] == '"address";q=250;w=10'
            line = f'chiptrail_answers_total{{method="GET",route="/v1/games",status="200"}} {_ASKED}.0'
            for _ in range(8):
                assert line in _ask(server.url, "/metrics").data.decode().splitlines()
            (folder,) = temporary.iterdir()
            assert len(list(folder.glob("gauge_livesum_*.db"))) >= 1
        assert list(temporary.iterdir()) == []
