"""Soak: `python -m tests.faults.soak --minutes N [--on postgresql] [--seed N] [--also "COMMAND"] [--folder FOLDER]`."""

import argparse
import os
import random
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests import postgres
from tests.databases import Databases, kinds
from tests.faults.soak.incidents import another_command
from tests.faults.soak.world import Report, World, figures, soak


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="how long to play; at least one round is played")
    parser.add_argument("--on", choices=kinds(), default="sqlite", help="the kind of database")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the choices; times depend on the machine")
    parser.add_argument("--also", action="append", default=[], help='a further incident: a command such as "rebuild"')
    parser.add_argument("--folder", type=Path, help="the folder for all files; it stays if the soak fails")
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines of figures")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="chiptrail-soak-"))
    folder.mkdir(exist_ok=True)
    also = {line: another_command(line) for line in asked.also}
    print(f"seed {asked.seed}, files in {folder}", flush=True)  # noqa: T201 -- this module writes to a terminal
    with ExitStack() as stack:
        shared = postgres.make_shared_folder()
        stack.callback(postgres.remove_shared_folder, shared)
        os.environ[postgres.SHARED_FOLDER] = str(shared)
        databases = Databases(shared, folder)
        stack.callback(databases.close)
        world = World(databases, asked.on, folder, random.Random(asked.seed), also)
        stack.callback(world.close)
        soak(world, asked.minutes, Report(asked.every))
    print(f"no acknowledged event is missing, and nothing failed\n{figures(world)}")  # noqa: T201 -- as above


if __name__ == "__main__":
    main()
