"""A new file appears under its name whole and durable, or not at all."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from service.exchange import new_files
from service.exchange.new_files import CannotWriteFile, new_file


def test_a_file_appears_at_the_end_of_the_block(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with new_file(target) as part:
        part.write_text("whole")
        assert not target.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("whole", 0o600)


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("earlier")
    with pytest.raises(CannotWriteFile, match="exists already"), new_file(target) as part:
        part.write_text("later")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["earlier"]


def test_an_error_about_another_file_names_that_file(tmp_path: Path) -> None:
    target, source = tmp_path / "target", tmp_path / "source"
    with (
        pytest.raises(CannotWriteFile, match=rf"target can't be written: No such .* \({source}\)"),
        new_file(target) as part,
    ):
        shutil.copyfile(source, part)
    assert list(tmp_path.iterdir()) == []


def test_if_the_folder_is_not_synced_there_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = new_files._sync

    def fail_for_folders(path: Path) -> None:
        if path.is_dir():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(path)

    monkeypatch.setattr(new_files, "_sync", fail_for_folders)
    with pytest.raises(CannotWriteFile, match="Input/output error"), new_file(tmp_path / "target") as part:
        part.write_text("whole")
    assert list(tmp_path.iterdir()) == []
