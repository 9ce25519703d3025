"""Every rule of the sheet and every ruling is the reason of a test; what is cited exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.games import bankrupt
from service.games.bankrupt.rulings import RULINGS
from service.games.rulings import RULINGS as FOR_ALL_GAMES
from tests.games.citations import RULING, citations

HERE = Path(__file__).parent
RULES_IN_OUR_WORDS = Path(bankrupt.__file__).parent / "RULES.md"
RULES = [*map(str, range(1, 21)), "option 1", "option 2"]
OF_NO_CONCERN = {
    "G.1": "nothing in Bankrupt is chosen at the same time",
}
CITED = tuple(citations(HERE))


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_the_reason_of_a_test(rule: str) -> None:
    assert [cited.test for cited in CITED if rule in cited.rules]


@pytest.mark.parametrize("ruling", [*RULINGS, *(ruling for ruling in FOR_ALL_GAMES if ruling not in OF_NO_CONCERN)])
def test_every_ruling_is_the_reason_of_a_test(ruling: str) -> None:
    assert [cited.test for cited in CITED if ruling in cited.rulings]


def test_what_is_cited_exists() -> None:
    rulings = {ruling for cited in CITED for ruling in cited.rulings}
    rules = {rule for cited in CITED for rule in cited.rules}
    assert rulings <= {*RULINGS, *FOR_ALL_GAMES}
    assert rules <= set(RULES)


def test_a_test_that_cites_nothing_is_the_exception() -> None:
    silent = [cited.test for cited in CITED if not cited.rules and not cited.rulings]
    assert len(silent) < len(CITED) / 10


def test_the_rules_in_our_words_name_every_rule_every_ruling_and_the_inventor() -> None:  # G.8
    text = RULES_IN_OUR_WORDS.read_text(encoding="utf-8")
    rows = [row.split("|") for row in text.splitlines() if re.match(r"\| \d+ \|", row)]
    assert sorted(int(number) for _, number, *_ in rows) == sorted([*range(1, 21), 1, 2])  # Twenty rules, two options.
    assert set(RULINGS) <= set(named(text))
    assert set(named(text)) <= {*RULINGS, *FOR_ALL_GAMES}
    assert "Aidan-B. Howard" in text
    assert "2011" in text


def named(text: str) -> Iterator[str]:
    """Yield every ruling that *text* names, those between the two ends of a range as well."""
    yield from RULING.findall(text)
    for rule, first, last in re.findall(r"(B\d+)\.(\d+) – B\d+\.(\d+)", text):
        yield from (f"{rule}.{number}" for number in range(int(first), int(last)))


def test_the_rules_in_our_words_name_modules_that_exist() -> None:
    folder = RULES_IN_OUR_WORDS.parent
    modules = re.findall(r"`([./a-z_]+\.py)`", RULES_IN_OUR_WORDS.read_text(encoding="utf-8"))
    assert modules
    assert {module for module in modules if not (folder / module).is_file()} == set()
