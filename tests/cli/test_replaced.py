"""A server's database file is replaced, removed or overwritten: the server acknowledges nothing more, and stops."""

import re
import shutil
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.cli.support import server_process
from service.database import sqlite_file
from service.database.engines import UnknownCommit, administering, make_engine, require_file
from service.database.sqlite_file import DatabaseWasReplaced
from tests.cli.commands import UNHURRIED, Instance
from tests.databases import SQLITE

pytestmark = pytest.mark.parametrize("kind", [SQLITE], indirect=True)

COMMANDS = 300


def _replace(file: Path) -> None:
    copy = file.with_name("backup")
    shutil.copy(file, copy)
    copy.replace(file)


def _overwrite(file: Path) -> None:
    """Begin to copy a shorter backup over *file*, as `cp` does: the file keeps its inode, and is emptied first."""
    with file.open("r+b") as open_file:
        open_file.truncate(0)


def _opens_a_table(url: str, token: str, number: int) -> bool:
    """Try to open a table; return whether the server acknowledged the command."""
    parts = urlsplit(url)
    asking = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"table {number}"}
    try:
        asking.request("POST", "/v1/tables", '{"game":"bankrupt"}', {**headers, "Content-Type": "application/json"})
        return asking.getresponse().status == 201
    except (OSError, HTTPException):
        return False
    finally:
        asking.close()


@pytest.mark.parametrize("how", [Path.unlink, _replace, _overwrite], ids=["removed", "replaced", "overwritten"])
def test_nothing_is_acknowledged_any_more_and_the_server_stops(
    instance: Instance, tmp_path: Path, how: Callable[[Path], None]
) -> None:
    log = tmp_path / "log"
    with server_process.run_server([*instance.flags, *UNHURRIED, "--tables-per-owner", "0"], log) as server:
        assert all(_opens_a_table(server.url, instance.first_key, number) for number in range(5))
        how(Path(instance.database.removeprefix("sqlite:///")))
        assert not any(_opens_a_table(server.url, instance.first_key, number) for number in range(5, COMMANDS))
        assert server.process.wait(60) == 1
    said = log.read_text()
    assert "The server has stopped: " in said
    assert re.search("was (replaced or removed|overwritten) while it was open", said)
    assert "stop the server before you restore a backup" in said


def test_a_replaced_file_is_noticed_before_and_after_a_commit(instance: Instance) -> None:
    file = Path(instance.database.removeprefix("sqlite:///"))
    engine = make_engine(instance.database)
    with administering(engine) as connection:
        connection.exec_driver_sql("UPDATE projection_generation SET generation = 2")
    with pytest.raises(UnknownCommit, match="replaced or removed"), administering(engine):
        _replace(file)
    for _ in range(2):
        with pytest.raises(DatabaseWasReplaced), administering(engine):
            pass
    engine.dispose()


def test_an_overwritten_file_is_noticed_even_after_it_is_long_again(instance: Instance) -> None:
    file = Path(instance.database.removeprefix("sqlite:///"))
    before = file.read_bytes()
    engine = make_engine(instance.database)
    with administering(engine):
        pass
    file.write_bytes(before[:-4096])
    with pytest.raises(DatabaseWasReplaced, match="overwritten"), administering(engine):
        pass
    file.write_bytes(before + bytes(4096))
    with pytest.raises(DatabaseWasReplaced), administering(engine):
        pass
    engine.dispose()


def test_a_worker_that_opens_the_file_late_opens_the_file_of_its_own_server(instance: Instance) -> None:
    file = sqlite_file.current(instance.database)
    assert file
    _replace(Path(instance.database.removeprefix("sqlite:///")))
    engine = make_engine(instance.database)
    require_file(engine, file)
    with pytest.raises(DatabaseWasReplaced), administering(engine):
        pass
    engine.dispose()
