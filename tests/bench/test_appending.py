"""The comparison of a long with a short log runs at a tiny size; its figures are not checked."""

import pytest
from click.testing import CliRunner

from service.bench import filling
from tests.bench.appending import sides
from tests.bench.appending.__main__ import main


def test_both_logs_are_filled_and_take_commands(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "MOVES", 40)
    monkeypatch.setattr(sides, "TABLES", 2)
    sizes = ["--few", "50", "--many", "500", "--commands", "3", "--tries", "2"]
    done = CliRunner().invoke(main, [*sizes, "--postgresql", server_url])
    assert done.exit_code == 0, done.output
    assert "long to short, medians of 2 tries of 3 commands" in " ".join(done.output.split())
