"""A rebuild beside another rebuild changes nothing, says so, and exits with 1; so does an import beside an import."""

from pathlib import Path

import pytest

from service.database.engines import make_engine
from service.database.exclusive import IMPORT, REBUILD, exclusive_work
from tests.cli.commands import Instance


@pytest.mark.parametrize("work", [REBUILD, IMPORT])
def test_the_second_of_two_commands_reports_the_other_and_ends_with_1(
    instance: Instance, tmp_path: Path, work: str
) -> None:
    file = tmp_path / "nothing.ndjson"
    file.write_text("")
    arguments = [work, *([str(file)] if work == IMPORT else [])]
    assert instance.run("keys", "list").code == 0  # this makes the service key
    engine = make_engine(instance.database)
    with exclusive_work(engine, work):
        done = instance.run(*arguments)
    engine.dispose()
    assert (done.code, done.out) == (1, "")
    assert done.err == f"chiptrail: Another {work} is running on this database; this command changed nothing.\n"
