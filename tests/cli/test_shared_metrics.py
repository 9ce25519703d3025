"""The folder with the metrics of several workers is removed when the server stops, or else by the next server."""

import os
from pathlib import Path

import pytest

from service.cli.support.shared_metrics import shared_metrics

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "")
    return tmp_path


def test_the_folder_exists_while_the_server_runs(temporary: Path) -> None:
    with shared_metrics(2):
        folder = Path(os.environ[VARIABLE])
        assert folder.parent == temporary
        (folder / "counter_1.db").touch()
    assert list(temporary.iterdir()) == []


def test_one_worker_needs_no_folder(temporary: Path) -> None:
    with shared_metrics(1):
        assert (os.environ[VARIABLE], list(temporary.iterdir())) == ("", [])


@pytest.mark.parametrize("workers", [1, 2])
def test_folders_of_killed_servers_are_removed_and_no_others(temporary: Path, workers: int) -> None:
    killed = temporary / "chiptrail-metrics-killed"
    others = [temporary / name for name in ("chiptrail-metrics-foreign", "chiptrail-metrics-link", "else")]
    killed.mkdir()
    (killed / "server.lock").touch()
    (killed / "counter_1.db").touch()
    others[0].mkdir()
    others[2].mkdir()
    (others[2] / "server.lock").touch()
    others[1].symlink_to(others[2])
    with shared_metrics(2):
        running = Path(os.environ[VARIABLE])
        killed_later = temporary / "chiptrail-metrics-later"
        killed_later.mkdir()
        (killed_later / "server.lock").touch()
        with shared_metrics(workers):
            assert (running.exists(), killed.exists(), killed_later.exists()) == (True, False, False)
    assert set(temporary.iterdir()) == set(others)
