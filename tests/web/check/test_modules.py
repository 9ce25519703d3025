"""The modules of the page `/check` can be read by a stranger, need nothing from elsewhere, and are small to load."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import service.web

FOLDER = Path(service.web.__file__).parent / "static" / "check"
MODULES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.js"))}
MODULE_LINES, LINE_LENGTH, COMPRESSED = 300, 120, 50_000
NETWORK = re.compile(r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|eval|Function)\(|await import\(")
IMPORT = re.compile(r'^(?:import .*|\} )from "([^"]+)";$', re.MULTILINE)
TYPES = (
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--target", "es2022"),
    *("--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable,dom.asynciterable"),
)


def test_each_module_is_short_and_says_its_job() -> None:
    assert {name for name, text in MODULES.items() if text.count("\n") > MODULE_LINES} == set()
    assert {name for name, text in MODULES.items() if max(map(len, text.splitlines())) > LINE_LENGTH} == set()
    assert {name for name, text in MODULES.items() if not re.match(r"/\*\*\n \* \w", text)} == set()


def test_a_module_needs_only_its_neighbours_and_only_the_page_asks_the_service() -> None:
    imported = {name for text in MODULES.values() for name in IMPORT.findall(text)}
    assert imported == {f"./{name}" for name in MODULES if name != "check_page.js"}
    assert {name for name, text in MODULES.items() if NETWORK.search(text)} == {"check_page.js"}


def test_all_modules_together_are_small() -> None:
    assert sum(len(gzip.compress(text.encode())) for text in MODULES.values()) < COMPRESSED


def test_the_types_in_the_comments_hold() -> None:
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("There is no tsc, which checks the types; npm installs it with the package typescript.")
    done = subprocess.run([tsc, *TYPES, *map(str, FOLDER.glob("*.js"))], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
