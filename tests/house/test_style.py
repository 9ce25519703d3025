"""Style rules of the project that no linter checks."""

import ast
import re

from tests.house import tree

MODULE_LINES = 300
OF_ONE_FILE = {"service/dossier/verify.py": 1499}
"""Programs that people run without the rest of the package, so they have one file; each has its own limit of lines."""
FUNCTION_LINES = 50
TOP_LEVEL = {
    ".ci", ".editorconfig", ".gitattributes", ".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "api_spec",
    "migrations", "pyproject.toml", "requirements-test.lock", "requirements.lock", "service", "tests",
}  # fmt: skip
# The brackets keep this pattern from matching this file.
MACHINE = re.compile(rb"/(?:ho[m]e|ro[o]t|Use[r]s|wo[r]k|op[t])/\w")


def test_a_module_has_at_most_300_lines() -> None:
    lengths = {path: (tree.ROOT / path).read_text().count("\n") for path in tree.paths("service")}
    assert {path: length for path, length in lengths.items() if length > OF_ONE_FILE.get(path, MODULE_LINES)} == {}


def test_a_function_has_at_most_50_lines() -> None:
    long = [
        f"{path}:{node.lineno} {node.name} has {length} lines"
        for path, module in tree.modules("service").items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    ]
    assert long == []


def test_a_module_states_its_purpose_in_a_docstring_of_one_line() -> None:
    wordless = [
        path
        for path, module in tree.modules("service").items()
        if module.body and (not (says := ast.get_docstring(module)) or "\n" in says)
    ]
    assert wordless == []


def test_the_top_level_has_the_agreed_files() -> None:
    assert {path.split("/")[0] for path in tree.files()} - TOP_LEVEL == set()


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    found = [
        f"{path}:{number} {line.decode(errors='replace').strip()[:100]}"
        for path in tree.files()
        if (tree.ROOT / path).is_file()
        for number, line in enumerate((tree.ROOT / path).read_bytes().splitlines(), start=1)
        if MACHINE.search(line)
    ]
    assert found == []
