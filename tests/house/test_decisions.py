"""DECISIONS.md: the index and the entries agree, and every file that the page names is in the repository."""

import re
from pathlib import Path

import pytest

from tests.house import tree

DECISIONS = (tree.ROOT / "service" / "DECISIONS.md").read_text()
INDEX, *ENTRIES = re.split(r"^(?=## \d+\. )", DECISIONS, flags=re.MULTILINE)
FILE = re.compile(r"(?<![\w./<-])[\w./-]+\.(?:md|py|jsonl|json|lua|toml|txt)\b")
PAGES = ("service/DECISIONS.md", "service/bench/README.md")


def indexed() -> dict[int, tuple[str, str]]:
    """Return the title and status of each decision in the index."""
    found = re.findall(r"^- (\d+)\. (.+): (stands|changed by .+)$", INDEX, re.MULTILINE)
    assert len({number for number, _, _ in found}) == len(found), "a decision is in the index once"
    return {int(number): (title, status) for number, title, status in found}


def entered() -> dict[int, tuple[str, str]]:
    """Return the title and status of each decision in its entry."""
    entries = {}
    for entry in ENTRIES:
        number, title = re.findall(r"^## (\d+)\. (.+)$", entry, re.MULTILINE)[0]
        changed = re.search(r"^Changed by (.+?): ", entry, re.MULTILINE)
        entries[int(number)] = (title, f"changed by {changed[1]}" if changed else "stands")
    return entries


def is_there(name: str, page: str) -> bool:
    """Return whether *name*, written on *page*, is the path of a file from the root, service/ or the page's folder."""
    return any((folder / name).is_file() for folder in (tree.ROOT, tree.ROOT / "service", (tree.ROOT / page).parent))


def test_the_index_and_the_entries_agree() -> None:
    assert indexed() == entered()
    assert sorted(entered()) == list(range(1, len(ENTRIES) + 1))


def test_a_decision_names_the_later_decisions_that_change_it() -> None:
    for number, (_, status) in entered().items():
        assert all(number < int(later) <= len(ENTRIES) for later in re.findall(r"\d+", status)), number


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.split(".")[0].removeprefix("## "))
def test_each_entry_has_its_parts_and_names_its_files(entry: str) -> None:
    parts = re.findall(r"^\*\*(\w+)\.\*\* ", entry, re.MULTILINE)
    assert parts == ["Context", "Decision", "Consequence", "Files"]
    files = entry.partition("**Files.** ")[2].replace("\n", " ").strip().split(", ")
    assert [name for name in files if not (tree.ROOT / name).is_file()] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_refers_to_a_missing_file(page: str) -> None:
    names = set(FILE.findall((tree.ROOT / page).read_text()))
    assert names
    assert sorted(name for name in names if not is_there(name, page)) == []


def test_a_decision_lists_each_module_that_names_it() -> None:
    missing = []
    for path in sorted(Path(tree.ROOT, "service").rglob("*.py")):
        name = str(path.relative_to(tree.ROOT))
        for numbers in re.findall(r"DECISIONS (\d+(?:(?:, | and )\d+)*)", path.read_text()):
            cited = [int(number) for number in re.findall(r"\d+", numbers)]
            missing += [(name, number) for number in cited if name not in ENTRIES[number - 1]]
    assert missing == []


def test_a_module_that_an_entry_names_cites_it() -> None:
    missing = []
    for number, entry in enumerate(ENTRIES, start=1):
        for name in re.findall(r"service/[\w/]+\.py", entry.partition("**Files.** ")[2]):
            source = (tree.ROOT / name).read_text()
            cited = re.findall(r"DECISIONS (\d+(?:(?:, | and )\d+)*)", source)
            if str(number) not in re.findall(r"\d+", " ".join(cited)):
                missing.append((number, name))
    assert missing == []
