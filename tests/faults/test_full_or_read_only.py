"""A disk is full or fails, or a database is read-only: commands get 503, reads go on, and no command is partial.

On SQLite a traced file layer returns the error codes of a failing disk, or the operating system forbids the database's
files to grow or to be written. On PostgreSQL a trigger raises the error of a full disk, and a lone standby is
read-only; with `--full`, a test also mounts a small disk and fills it.
"""

import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.cli.commands import COMMAND, Instance
from tests.faults import surroundings
from tests.faults.clusters import DATABASE, clusters
from tests.faults.party import Game, playing
from tests.faults.people import impatient
from tests.faults.servers import Serving, must_be_clean, serving, wait_until
from tests.once.clients import Crowd

WITHOUT_RIGHTS: Final = (sys.executable, "-P", str(Path(__file__).with_name("without_rights.py")), *COMMAND)
SQLITE_FAILURES: Final = {
    "the disk is full": 13,
    "writing fails": 778,
    "syncing fails": 1034,
    "the file may only be read": 8,
}
"""The code that SQLite's file layer returns for each failure."""

LARGEST_BYTES: Final = 32_768  # enough for the WAL's index, which readers need; too little for a commit
ENOUGH_TO_READ: Final = (LARGEST_BYTES, resource.RLIM_INFINITY)

on_sqlite = pytest.mark.parametrize("kind", ["sqlite"])


@on_sqlite
def test_while_the_disk_of_sqlite_fails_commands_are_refused_and_reads_go_on(
    instance: Instance, chance: random.Random
) -> None:
    failing = surroundings.failing(instance.data)
    with _served(instance, more=surroundings.of(instance.data)) as (_, crowd):
        for code in SQLITE_FAILURES.values():
            game = Game(crowd, chance)
            failing.write_text(str(code))
            _must_only_be_read(game)
            failing.unlink()
            _must_go_on(game)
    must_be_clean(instance)


@on_sqlite
def test_while_files_cannot_grow_commands_are_refused_and_reads_go_on(
    instance: Instance, chance: random.Random
) -> None:
    instance.data.mkdir()
    (instance.data / "server.log").write_text(LARGEST_BYTES * " ")  # the log file can't grow either
    with _served(instance) as (server, crowd):
        game = Game(crowd, chance)
        workers = server.workers()
        before = {one: resource.prlimit(one, resource.RLIMIT_FSIZE, ENOUGH_TO_READ) for one in workers}
        _must_only_be_read(game)
        for worker, limits in before.items():
            resource.prlimit(worker, resource.RLIMIT_FSIZE, limits)
        _must_go_on(game)
    must_be_clean(instance)


@on_sqlite
def test_a_file_that_may_only_be_read_is_read_and_takes_no_commands(instance: Instance, chance: random.Random) -> None:
    file = Path(instance.database.removeprefix("sqlite:///"))
    with _served(instance) as (_, crowd):
        game = Game(crowd, chance)
    files = list(file.parent.iterdir())
    for one in files:
        one.chmod(0o444)
    with serving(instance, "--workers", "1", command=WITHOUT_RIGHTS) as server:
        game.move_to(server.url)
        _must_only_be_read(game)
    for one in files:
        one.chmod(0o644)
    with serving(instance, "--workers", "1") as server:
        game.move_to(server.url)
        _must_go_on(game)
    must_be_clean(instance)


def test_an_error_of_postgresql_about_a_full_disk_refuses_commands_or_leaves_them_in_doubt(
    chance: random.Random, tmp_path: Path
) -> None:
    with clusters(1) as (cluster,):
        cluster.make()
        instance = Instance(cluster.url, tmp_path / "data")
        with _served(instance, "--migrate") as (_, crowd):
            cluster.tell(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
            )
            for timing in ("NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"):  # at INSERT, or at COMMIT
                game = Game(crowd, chance)
                cluster.tell(
                    f"CREATE CONSTRAINT TRIGGER full_disk AFTER INSERT ON events {timing}"
                    " FOR EACH ROW EXECUTE FUNCTION full_disk()"
                )
                _must_only_be_read(game)
                cluster.tell("DROP TRIGGER full_disk ON events")
                _must_go_on(game)
        must_be_clean(instance)


def test_a_lone_standby_of_postgresql_is_read_and_takes_no_commands(chance: random.Random, tmp_path: Path) -> None:
    with clusters(2) as (primary, standby):
        primary.make()
        standby.follow(primary)
        instance = Instance(
            f"postgresql+psycopg://postgres@/{DATABASE}?host={primary.home},{standby.home}", tmp_path / "data"
        )
        with _served(instance, "--migrate") as (_, crowd):
            primary.acknowledge_only_with_a_standby(wanted=True)
            game = Game(crowd, chance)
            primary.crash()
            _must_only_be_read(game)
            standby.promote()
            _must_go_on(game)
        must_be_clean(instance)


@pytest.mark.full  # The test needs the right to mount a disk; a test above raises the same error.
def test_if_the_disk_of_postgresql_is_full_commands_are_refused_and_reads_go_on(
    chance: random.Random, tmp_path: Path
) -> None:
    with clusters(1) as (cluster,), _small_disk(cluster.home.with_suffix(".disk")) as disk:
        cluster.make_on(disk)
        instance = Instance(cluster.url, tmp_path / "data")
        with _served(instance, "--migrate") as (_, crowd):
            game = Game(crowd, chance)
            filler = disk / "filler"
            filler.write_bytes(bytes(shutil.disk_usage(disk).free))
            with playing([game], through_faults=True) as load:
                wait_until(lambda: load.in_trouble > 0)  # PostgreSQL first uses the free space in its pages
                assert crowd.admin.get(game.table).status == 200
                filler.unlink()
                before = load.heard
                wait_until(lambda: load.heard > before + 20 or load.has_ended)
            game.must_hold()
        must_be_clean(instance)


@contextmanager
def _served(instance: Instance, *arguments: str, more: dict[str, str] | None = None) -> Iterator[tuple[Serving, Crowd]]:
    with (
        serving(instance, *arguments, "--workers", "1", more=more) as server,
        closing(Crowd(server.url, instance.first_key)) as crowd,
    ):
        yield server, crowd


def _must_only_be_read(game: Game) -> None:
    """Check that a legal command gets 503 (refused, or in doubt), and that reads show the same events as before."""
    dealer = game.dealer
    with closing(impatient(dealer.person)) as caller:
        before = dealer.person.get(f"{game.table}/events").body
        for _ in range(3):
            told = caller.post(f"{game.table}/actions", {"type": "deal_hand"}, "deal")
            assert told.status == 503, told
            assert told.json["code"] in {"database_must_answer", "outcome_must_be_known"}
            assert dealer.person.get(f"{game.table}/events").body == before


def _must_go_on(game: Game) -> None:
    """Repeat the refused command, and go on playing."""
    game.dealer.post(f"{game.table}/actions", {"type": "deal_hand"}, "deal")
    with playing([game]) as load:
        wait_until(lambda: load.heard > 30 or load.has_ended)
    game.must_hold()


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of 24 MiB; fail if this process may not mount one."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", folder], check=False, capture_output=True)
    if done.returncode:
        pytest.fail(f"a small disk is required, and mounting one is not allowed here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
