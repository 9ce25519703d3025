"""Soak: `python -m tests.faults.soak --minutes N [--on postgresql] [--seed N] [--also "COMMAND"] [--keep FOLDER]`."""

import argparse
import fcntl
import os
import random
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests import postgres, seeds
from tests.databases import SQLITE, Databases, kinds
from tests.faults.soak.incidents import another_command
from tests.faults.soak.world import Report, World, figures, soak


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="how long to play; at least one round is played")
    parser.add_argument("--on", choices=kinds(), default=SQLITE, help="the kind of database")
    parser.add_argument("--seed", default=seeds.settle(), help="the seed of the choices; times depend on the machine")
    parser.add_argument("--also", action="append", default=[], help='a further incident: a command such as "rebuild"')
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a folder that stays; a later run continues in it")
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines of figures")
    asked = parser.parse_args()
    if asked.keep and asked.on != SQLITE:
        parser.error("--keep needs SQLite: a server of PostgreSQL ends with its run")
    folder = (asked.keep or Path(tempfile.mkdtemp(prefix="chiptrail-soak-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    also = {line: another_command(line) for line in asked.also}
    with ExitStack() as stack:
        only_run = stack.enter_context((folder / "lock").open("w"))
        try:
            fcntl.flock(only_run, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            parser.error(f"another run is playing in {folder}")
        shared = postgres.make_shared_folder()
        stack.callback(postgres.remove_shared_folder, shared)
        os.environ[postgres.SHARED_FOLDER] = str(shared)
        databases = Databases(shared, folder)
        stack.callback(databases.close)
        world = World(databases, asked.on, folder, random.Random(asked.seed), also)
        stack.callback(world.close)
        say(f"seed {asked.seed}, files in {folder}, run {world.record.happened['runs']}")
        soak(world, asked.minutes, Report(asked.every))
        say(f"no acknowledged event is missing, and nothing failed\n{figures(world)}")
    if not asked.keep:
        shutil.rmtree(folder)


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 -- this module writes to a terminal


if __name__ == "__main__":
    main()
