"""No two packages have modules of one name, and a package has at most sixteen modules; exceptions are listed here."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import PurePath

from service.games import CURRENT
from tests.house import tree

MODULES = 16
LARGE = {
    "service/bench",  # one file for each figure
    "service/cli",  # one file for each command
}
"""The packages without a limit of modules; the package of a game has no limit either."""
PARTS_OF_GAMES = {
    "accounts.py", "actions.py", "commands.py", "dealing.py", "ending.py", "events.py", "evolve.py", "explaining.py",
    "moves.py", "options.py", "refusals.py", "rule_texts.py", "rulings.py", "settlement.py", "state.py", "turns.py",
    "view.py",
}  # fmt: skip
"""Base names that may be in the folder of every game."""
DOORS = {"actions.py", "archive.py", "balances.py", "events.py", "keys.py", "verify.py"}
"""Public names of API resources and commands, which may be the same as names of inner modules."""
ROOMS_OF_GAMES = {
    "service/bench/games",
    "service/bots/strategies",
    "service/player_statistics/measures",
    "service/wording/games",
}
"""Folders in which a module has the name of the game that it is for."""
ROOMS_OF_DOORS = {"service/cli", "service/http/resources"}


def rooms_by_name() -> dict[str, list[str]]:
    """Return, for each base name that may occur only once, the folders that have a file of this name.

    The names in `PARTS_OF_GAMES` and `DOORS`, and the names of games, may occur again in the folders for them.
    """
    rooms = defaultdict(list)
    for path in map(PurePath, tree.paths("service")):
        room = path.parent.as_posix()
        is_part = room.startswith("service/games/") and path.name in PARTS_OF_GAMES
        is_door = room in ROOMS_OF_DOORS and path.name in DOORS
        is_of_game = room in ROOMS_OF_GAMES and path.stem in CURRENT
        if not (is_part or is_door or is_of_game or path.name in {"__init__.py", "__main__.py"}):
            rooms[path.name].append(room)
    return rooms


def test_a_base_name_occurs_once() -> None:
    assert {name: rooms for name, rooms in rooms_by_name().items() if len(rooms) > 1} == {}


def test_each_allowed_repetition_occurs() -> None:
    everywhere = Counter(PurePath(path).name for path in tree.paths("service"))
    assert {name for name in PARTS_OF_GAMES | DOORS if everywhere[name] < 2} == set()


def test_a_room_has_at_most_sixteen_modules() -> None:
    sizes = Counter(
        PurePath(path).parent.as_posix() for path in tree.paths("service") if not path.endswith("__init__.py")
    )
    large = {room for room, size in sizes.items() if size > MODULES and not room.startswith("service/games/")}
    assert large - LARGE == set()


def test_every_module_is_imported_by_its_own_name() -> None:
    modules = {path.removesuffix(".py").replace("/", ".") for path in tree.paths("service")}
    with_an_alias = re.compile(rf"\b({'|'.join(sorted({name.rpartition('.')[2] for name in modules}))}) as \w")
    texts = {path: (tree.ROOT / path).read_text() for room in ("service", "tests") for path in tree.paths(room)}
    renamed = [
        f"{path}: {node.module}.{name.name} as {name.asname}"
        for path, text in texts.items()
        if with_an_alias.search(text)  # to parse each module would take seconds
        for node in ast.walk(tree.parsed(text))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname and f"{node.module}.{name.name}" in modules
    ]
    assert renamed == []
