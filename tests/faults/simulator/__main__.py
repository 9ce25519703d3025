"""Simulate: `python -m tests.faults.simulator --seed N --steps M [--on postgresql] [--full]`."""

# ruff: noqa: T201 -- this module writes to a terminal

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import postgres
from tests.databases import Databases, kinds
from tests.faults.simulator.world import run

_MANY = 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.simulator", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the seed that determines the run")
    parser.add_argument("--steps", type=int, default=3_000, help="the number of steps")
    parser.add_argument("--on", choices=kinds(), default="sqlite", help="the kind of database")
    parser.add_argument("--full", action="store_true", help=f"{_MANY} seeds from this one on")
    asked = parser.parse_args()
    with _databases() as databases:
        for seed in range(asked.seed, asked.seed + (_MANY if asked.full else 1)):
            with TemporaryDirectory() as folder, databases.migrated(asked.on) as url:
                digest, happened = run(Path(folder) / "data", url, seed, asked.steps)
            print(f"seed {seed}, {asked.steps} steps on {asked.on}: {digest}", flush=True)
            print(f"    {', '.join(f'{what}: {times}' for what, times in sorted(happened.items()))}", flush=True)


@contextmanager
def _databases() -> Iterator[Databases]:
    shared = postgres.make_shared_folder()
    os.environ[postgres.SHARED_FOLDER] = str(shared)
    try:
        with TemporaryDirectory() as own:
            made = Databases(shared, Path(own))
            try:
                yield made
            finally:
                made.close()
    finally:
        postgres.remove_shared_folder(shared)


if __name__ == "__main__":
    main()
