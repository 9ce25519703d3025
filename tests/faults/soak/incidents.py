"""Incidents of a soak: kills, stops, rotations of the key, backups, moves, rebuilds, verifications, upgrades."""

import random
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.cli.commands import Instance, Said
from tests.faults.soak.leftovers import ASIDE
from tests.upgrades.kept import kept, leaves_of, unpack

if TYPE_CHECKING:
    from tests.faults.soak.world import World

Incident = Callable[["World"], None]
OF_THE_DATABASE: Final = ("chiptrail.db", "server.log")


def kill(world: "World") -> None:
    """Kill all processes of the server, one worker, or the parent of the workers."""
    match world.chance.choice(["all", "all", "a worker", "the first"]):
        case "all":
            world.server.kill()
            world.server.start()
        case "a worker":
            world.server.kill_a_worker(world.chance)
        case _:
            world.server.kill_the_first()
            world.server.start()


def restart(world: "World") -> None:
    """Stop the server as an operator does, run `migrate`, which has nothing to change, and start the server again."""
    world.server.stop()
    done(world.instance.run_as_user("migrate"))
    world.server.start()


def rotate(world: "World") -> None:
    """Stop the server, rotate the service key, and start the server again."""
    world.server.stop()
    done(world.instance.run_as_user("key", "rotate"))
    world.expect_other_signatures()
    world.server.start()


def back_up(world: "World") -> None:
    """Make a backup while the server runs, restore it elsewhere, and look there for the retired heads of the record."""
    with TemporaryDirectory(prefix=ASIDE, dir=world.folder) as folder, world.place(Path(folder) / "data") as elsewhere:
        _copy(world.instance, elsewhere, Path(folder) / "backup")
        world.must_have_all_retired(elsewhere)


def move(world: "World") -> None:
    """Stop the server, restore a backup elsewhere, check that the copy has every leaf, and go on there."""

    def fill(elsewhere: Instance) -> None:
        with TemporaryDirectory(prefix=ASIDE, dir=world.folder) as folder:
            _copy(world.instance, elsewhere, Path(folder) / "backup")
        assert leaves_of(elsewhere) == leaves_of(world.instance)

    world.server.stop()
    world.move_to(fill)


def rebuild(world: "World") -> None:
    """Rebuild the projections while the server runs."""
    done(world.instance.run_as_user("rebuild"))


def verify(world: "World") -> None:
    """Verify the whole database while the server runs."""
    done(world.instance.run_as_user("verify"))


def upgrade(world: "World") -> None:
    """Migrate a kept database of an earlier release, verify it, and check that its leaves are unchanged."""
    with TemporaryDirectory(prefix=ASIDE, dir=world.folder) as folder:
        instance, known = unpack(world.chance.choice(kept()), Path(folder))
        done(instance.run_as_user("migrate"))
        done(instance.run_as_user("verify"))
        assert leaves_of(instance) == (known.leaves, known.sha256)


def another_command(line: str) -> Incident:
    """Return the incident that runs the command *line* of Chiptrail on the database while the server runs."""

    def run(world: "World") -> None:
        done(world.instance.run_as_user(*shlex.split(line)))

    return run


WEIGHTS: Final[Mapping[Incident, int]] = {
    kill: 8,
    restart: 2,
    rotate: 1,
    back_up: 2,
    move: 1,
    rebuild: 1,
    verify: 1,
    upgrade: 1,
}


def drawn(chance: random.Random, also: Mapping[str, Incident]) -> tuple[str, Incident]:
    """Return a random incident with its name; each command of *also* is as likely as a restart."""
    weights = {**{one.__name__: (one, weight) for one, weight in WEIGHTS.items()}}
    weights |= {name: (one, WEIGHTS[restart]) for name, one in also.items()}
    name = chance.choices(list(weights), [weight for _, weight in weights.values()])[0]
    return name, weights[name][0]


def done(said: Said) -> None:
    assert said.code == 0, said.out[-4000:] + said.err[-4000:]


def _copy(instance: Instance, elsewhere: Instance, backup: Path) -> None:
    """Back *instance* up as the operators' page says, the keys first; restore and verify the backup *elsewhere*."""
    elsewhere.data.mkdir(parents=True)
    for file in sorted(instance.data.iterdir()):
        if file.is_file() and not file.name.startswith(OF_THE_DATABASE):
            shutil.copy(file, elsewhere.data)
    done(instance.run_as_user("backup", str(backup)))
    done(elsewhere.run_as_user("restore", str(backup)))
    done(elsewhere.run_as_user("verify", "--head", f"{backup}.head"))
