"""Exclusive work on a database: a second process is refused immediately; a process that dies releases the lock."""

import subprocess
import sys

import pytest
from sqlalchemy import Engine, text

from service.database.engines import administering
from service.database.exclusive import (
    IMPORT,
    KEY_ROTATION,
    LOG_RESTART,
    REBUILD,
    SEQUENCING,
    WorkUnderWay,
    exclusive_work,
    without_servers,
)
from tests import databases
from tests.house.tree import ROOT


def test_the_second_process_is_refused_at_once_and_other_work_goes_on(storage: Engine) -> None:
    with exclusive_work(storage, REBUILD):
        with pytest.raises(WorkUnderWay, match="Another rebuild is running"), exclusive_work(storage, REBUILD):
            pass
        with exclusive_work(storage, IMPORT):
            pass
    with exclusive_work(storage, REBUILD):
        pass


def test_a_key_rotation_and_a_log_restart_name_who_is_in_their_way(storage: Engine) -> None:
    def refused(work: str, words: str) -> None:
        with (
            pytest.raises(WorkUnderWay, match=f"^{words} is running on this database$"),
            without_servers(storage, work),
        ):
            pass

    with exclusive_work(storage, SEQUENCING):  # as a server does
        refused(KEY_ROTATION, "A server")
        refused(LOG_RESTART, "A server")
    with without_servers(storage, KEY_ROTATION):
        refused(KEY_ROTATION, "Another key rotation")
        refused(LOG_RESTART, "A key rotation")
    with without_servers(storage, LOG_RESTART):
        refused(KEY_ROTATION, "A log restart")
    with without_servers(storage, KEY_ROTATION):
        refused(LOG_RESTART, "A key rotation")


def test_the_lock_is_released_if_the_work_fails(storage: Engine) -> None:
    with pytest.raises(ZeroDivisionError), exclusive_work(storage, REBUILD):
        raise ZeroDivisionError
    with exclusive_work(storage, REBUILD):
        pass


def test_a_killed_process_releases_the_lock(storage: Engine) -> None:
    line = [sys.executable, "-c", HOLDING, storage.url.render_as_string(hide_password=False)]
    with subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(WorkUnderWay), exclusive_work(storage, REBUILD):
            pass
        holder.kill()
    databases.wait_until_nobody_else_is_connected(storage)
    with exclusive_work(storage, REBUILD):
        pass


_END_HOLDERS = """
    SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
HOLDING = """
import sys
from service.database.exclusive import REBUILD, exclusive_work
from service.database.engines import make_engine
with exclusive_work(make_engine(sys.argv[1]), REBUILD):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])
def test_a_session_that_is_cut_meanwhile_does_not_spoil_the_work(storage: Engine) -> None:
    with exclusive_work(storage, REBUILD):
        with administering(storage) as connection:
            connection.execute(text(_END_HOLDERS))
        databases.wait_until_nobody_else_is_connected(storage)
        with exclusive_work(storage, REBUILD):
            pass
