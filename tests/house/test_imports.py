"""Pure modules, such as the games, import only the modules listed here; import-linter can only forbid named modules."""

import ast
import subprocess
import sys
import tomllib

import pytest

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
    ],
)
def test_a_pure_place_imports_nothing_that_reaches_the_world(place: str, allowed: set[str]) -> None:
    modules = {path: module for path, module in tree.modules("service").items() if path.startswith(place)}
    assert modules
    own = set() if place == "service/__main__.py" else {"service"}
    strangers = {path: imported(module) - allowed - own for path, module in modules.items()}
    assert {path: names for path, names in strangers.items() if names} == {}


def test_no_command_imports_the_library_of_metrics_before_it_is_told_where_processes_meet() -> None:
    loaded = "import service.cli, sys; sys.exit('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


def test_an_import_is_seen_in_every_form() -> None:
    source = "import os.path as p\nfrom json import loads\ndef f():\n    import socket, re\nfrom . import sibling\n"
    assert imported(ast.parse(source)) == {"os", "json", "socket", "re", "service"}


def test_every_game_is_held_apart_from_the_others() -> None:
    contracts = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layer,) = next(each["layers"] for each in contracts if each["name"] == "Games import none of each other")
    games = {path.name for path in (tree.ROOT / "service" / "games").iterdir() if (path / "__init__.py").exists()}
    assert games
    assert games <= {name.strip(" ()") for name in layer.split("|")}


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
