"""What a migration may contain, now that the tables of a database may be spread over several nodes (DECISIONS 129)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

VERSIONS = sorted((Path(__file__).parents[2] / "migrations" / "versions").glob("*.py"))
FIRST_THAT_CAN_BE_SPREAD = "messages_that_name_their_constraint"
LATER = VERSIONS[next(at for at, path in enumerate(VERSIONS) if path.stem.endswith(FIRST_THAT_CAN_BE_SPREAD)) :]
SUBCOMMAND = r"(?:ADD|ALTER|DROP|RENAME|SET|RESET|ENABLE|DISABLE|OWNER|VALIDATE|ATTACH|DETACH|CLUSTER)"


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in LATER])
def test_a_later_migration_has_only_what_a_spread_database_accepts(path: Path) -> None:
    assert [flaw for statement in statements(path.read_text()) for flaw in flaws(statement)] == []


@pytest.mark.parametrize(
    ("statement", "flaw"),
    [
        ("ALTER TABLE t DROP CONSTRAINT a, ADD CONSTRAINT b CHECK (c IN (1, 2))", "more than one subcommand"),
        ("ALTER TABLE t RENAME CONSTRAINT a TO b", "a renamed constraint"),
        ("CREATE SEQUENCE s", "a sequence"),
        ("CREATE TABLE t (n bigserial)", "a sequence"),
        ("CREATE TABLE t (n integer GENERATED ALWAYS AS IDENTITY)", "a sequence"),
    ],
)
def test_the_check_finds_each_flaw(statement: str, flaw: str) -> None:
    assert list(flaws(statement)) == [flaw]


def test_the_check_allows_what_was_tried() -> None:
    allowed = [
        "ALTER TABLE t ADD CONSTRAINT b CHECK (c IN (1, 2))",
        "ALTER TABLE t ALTER COLUMN c TYPE numeric(9, 2)",
        "DROP SEQUENCE IF EXISTS s",
    ]
    assert [flaw for statement in allowed for flaw in flaws(statement)] == []


def statements(source: str) -> Iterator[str]:
    """Yield the text of each string in a migration, with "x" for each part that is computed."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def flaws(statement: str) -> Iterator[str]:
    """Yield what Citus refuses in *statement*; trials with each kind of statement on spread tables showed it."""
    words = " ".join(statement.upper().split())
    while (shorter := re.sub(r"\([^()]*\)", "", words)) != words:
        words = shorter
    if re.match(rf"ALTER TABLE [^;]*, {SUBCOMMAND}\b", words):
        yield "more than one subcommand"
    if re.search(r"\bRENAME CONSTRAINT\b", words):
        yield "a renamed constraint"
    if re.search(r"\bCREATE SEQUENCE\b|\b(SMALL|BIG)?SERIAL\b|\bAS IDENTITY\b", " ".join(statement.upper().split())):
        yield "a sequence"
