"""The modules of the page `/check` are short, say what they do, need no other files, and are small to load."""

import ast
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import service.web
from service.dossier import verify

FOLDER = Path(service.web.__file__).parent / "static" / "check"
MODULES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.js"))}
MODULE_LINES, LINE_LENGTH, COMPRESSED = 300, 120, 50_000
NETWORK = re.compile(r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|eval|Function)\(|await import\(")
IMPORT = re.compile(r'^(?:import .*|\} )from "([^"]+)";$', re.MULTILINE)


def test_each_module_is_short_and_says_its_job() -> None:
    assert {name for name, text in MODULES.items() if text.count("\n") > MODULE_LINES} == set()
    assert {name for name, text in MODULES.items() if max(map(len, text.splitlines())) > LINE_LENGTH} == set()
    assert {name for name, text in MODULES.items() if not re.match(r"/\*\*\n \* \w", text)} == set()


def test_a_module_needs_only_its_neighbours_and_only_the_page_asks_the_service() -> None:
    imported = {name for text in MODULES.values() for name in IMPORT.findall(text)}
    assert imported == {f"./{name}" for name in MODULES if name != "check_page.js"}
    assert {name for name, text in MODULES.items() if NETWORK.search(text)} == {"check_page.js"}


def test_each_text_of_a_flaw_in_verify_py_is_there() -> None:
    """The other tests compare findings, but their files don't have every flaw: so this test compares the texts."""
    there = "".join(MODULES.values())
    texts = {*_texts(ast.parse(Path(verify.__file__).read_text(encoding="utf-8")))}
    assert len(texts) > 150
    assert {text for text in texts if text not in there} == set()


def _texts(program: ast.Module) -> Iterator[str]:
    """Yield the constant parts of the texts that say what must hold."""
    for node in ast.walk(program):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"must", "Flaw"}:
            yield from _constants(node.args[-1])
        if isinstance(node, ast.Assign) and [one.id for one in node.targets if isinstance(one, ast.Name)] == ["why"]:
            yield from _constants(node.value)


def _constants(text: ast.expr) -> Iterator[str]:
    for node in ast.walk(text):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_all_modules_together_are_small() -> None:
    assert sum(len(gzip.compress(text.encode())) for text in MODULES.values()) < COMPRESSED
