"""service/web/README.md names a test for each protection of the pages. Each test exists."""

import re

from tests.house.tree import ROOT

PAGE = (ROOT / "service" / "web" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([^|]+) \| `(tests/[^`:]+)::(test_\w+)` \|$", re.MULTILINE)


def test_each_line_of_the_list_names_a_test_that_exists() -> None:
    rows = ROW.findall(PAGE)
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| what is done")]
    assert len(lines) == len(rows) > 20
    for what, path, name in rows:
        assert re.search(rf"^def {name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), what


def test_each_protection_is_on_the_list_once() -> None:
    assert len({what for what, *_ in ROW.findall(PAGE)}) == len(ROW.findall(PAGE))
