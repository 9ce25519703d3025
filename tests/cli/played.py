"""Instances with played games: many tests share a set of games, which is played once; each test gets its own copy."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from service.database.closing import close_for_good
from service.database.engines import make_engine
from tests.cli.commands import Instance
from tests.databases import Databases
from tests.http.service import Service, Table, running
from tests.play.hearts import Stop, over, play_on

Play = Callable[[Service], Any]
"""Plays games on a service, and returns the facts about these games that a test needs."""


class Played(NamedTuple):
    """An instance with played games; *known* has the facts about these games that a test needs."""

    instance: Instance
    known: Any


class Originals:
    """Plays each set of games once on each kind of database, and makes copies of the instance."""

    def __init__(self, stack: ExitStack, databases: Databases, folder: Path) -> None:
        self._stack = stack
        self._databases = databases
        self._folder = folder
        self._made: dict[tuple[str, Play], Played] = {}

    @contextmanager
    def copied(self, kind: str, play: Play, folder: Path) -> Iterator[Played]:
        """Yield a copy of the instance with the games of *play*; the copy's keys are in *folder*."""
        original = self._original(kind, play)
        shutil.copytree(original.instance.data, folder)
        with self._databases.copied(kind, original.instance.database) as url:
            yield Played(Instance(url, folder), original.known)

    def _original(self, kind: str, play: Play) -> Played:
        if (kind, play) not in self._made:
            folder = self._folder / str(len(self._made))
            instance = Instance(self._stack.enter_context(self._databases.migrated(kind)), folder)
            with running(folder, instance.database) as service:
                known = play(service)
            assert close_for_good(make_engine(instance.database))
            self._made[kind, play] = Played(instance, known)
        return self._made[kind, play]


def play_to(service: Service, table: Table, until: Stop, seed: int) -> Table:
    """Play random legal moves at *table*, whose game has started, until the game is over or *until* returns true."""
    play_on(service.parts, bytes.fromhex(table.id.removeprefix("tbl_")), Random(seed), until)
    return table


def two_tables(service: Service) -> str:
    """Play two tables to their ends, so that each of a command's two processes has one; return the first table's id."""
    tables = [play_to(service, Table(service, 2, buy_in=4).started(), over, seed) for seed in (1, 2)]
    return str(tables[0].id)


@pytest.fixture(scope="package")
def originals(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Originals]:
    """Yield the instances with played games, which the tests of a package share."""
    with ExitStack() as stack:
        yield Originals(stack, all_databases, tmp_path_factory.mktemp("originals"))
