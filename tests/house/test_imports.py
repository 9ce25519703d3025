"""Pure modules, such as the games, import only the modules listed here; import-linter can only forbid named modules."""

import ast
import subprocess
import sys

import pytest

from service.games import CURRENT
from tests.house import tree

# Modules of the standard library that only compute.
PURE = {
    "__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "enum", "functools", "heapq",
    "itertools", "math", "operator", "re", "string", "types", "typing",
}  # fmt: skip
HASHES = {"hashlib", "hmac"}


@pytest.mark.parametrize(
    ("place", "allowed"),
    [
        ("service/games/", PURE | {"msgspec"}),
        ("service/ledger/", PURE | {"msgspec"}),
        ("service/cards.py", PURE | {"msgspec"}),
        ("service/deck.py", PURE | HASHES | {"msgspec"}),
        ("service/__main__.py", set(sys.stdlib_module_names)),
        ("service/dossier/verify.py", set(sys.stdlib_module_names)),
    ],
)
def test_a_pure_place_imports_nothing_that_reaches_the_world(place: str, allowed: set[str]) -> None:
    modules = {path: module for path, module in tree.modules(room_of(place)).items() if path.startswith(place)}
    assert modules
    own = set() if place in {"service/__main__.py", "service/dossier/verify.py"} else {"service"}
    strangers = {path: imported(module) - allowed - own for path, module in modules.items()}
    assert {path: names for path, names in strangers.items() if names} == {}


def test_a_server_imports_the_library_of_metrics_and_granian_only_after_their_environment_is_set() -> None:
    loaded = "import service.cli.serve, sys; sys.exit(not {'prometheus_client', 'granian'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


def test_an_import_is_found_in_every_form() -> None:
    source = "import os.path as p\nfrom json import loads\ndef f():\n    import socket, re\nfrom . import sibling\n"
    assert imported(ast.parse(source)) == {"os", "json", "socket", "re", "service"}


@pytest.mark.parametrize("game", sorted(CURRENT))
def test_games_import_none_of_each_other_and_only_the_list_of_games_imports_a_game(game: str) -> None:
    """Only a game's own modules and the list of games import the game.

    The contracts of import-linter can't check this, because they would have to list the games.
    """
    importers = {
        path for path, module in tree.modules("service/games").items() if f"service.games.{game}" in packages(module)
    }
    own = {path for path in importers if path.startswith(f"service/games/{game}/")}
    assert own
    assert importers - own == {"service/games/__init__.py"}


def room_of(place: str) -> str:
    """Return the folder that has all modules whose paths begin with *place*."""
    return place.rpartition("/")[0]


def packages(module: ast.Module) -> set[str]:
    """Return the first three parts of the full names that *module* imports, such as `service.games.table_state`."""
    full = {
        f"{node.module}.{name.name}"
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    full |= {name.name for node in ast.walk(module) if isinstance(node, ast.Import) for name in node.names}
    return {".".join(name.split(".")[:3]) for name in full}


def imported(module: ast.Module) -> set[str]:
    """Return the top-level names of all imports of *module*; a relative import counts as `service`."""
    names = set()
    for node in ast.walk(module):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name.split(".")[0] for alias in aliases}
            case ast.ImportFrom(module=source, level=0):
                names.add(str(source).split(".")[0])
            case ast.ImportFrom():
                names.add("service")
            case _:
                pass
    return names
