"""Runs the commands of the pages for auditors and operators, and checks the names on these and other pages."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from service import settings
from service.bench.postgres import Installation, installations
from service.database.engines import make_engine, reading
from service.transparency import published, tree
from tests import postgres
from tests.cli import commands
from tests.cli.commands import environment, running_server
from tests.cli.page_blocks import blocks
from tests.faults.servers import wait_until
from tests.house.tree import ROOT

AUDITING = (ROOT / "service" / "AUDITING.md").read_text()
OPERATING = (ROOT / "service" / "OPERATING.md").read_text()
DEVELOPING = (ROOT / "service" / "README.md").read_text()
PAGES = {
    "README.md", "api_spec/README.md", "api_spec/log_format.md", "service/AUDITING.md", "service/GLOSSARY.md",
    "service/OPERATING.md", "service/README.md", "service/bench/README.md", "service/ops/README.md",
    "service/web/README.md",
}  # fmt: skip


NOT_RUN: Final[dict[str, dict[str, str]]] = {
    AUDITING: {"API=http://127.0.0.1:8000/v1": "it needs a server; the test of open disputes runs it"},
    OPERATING: {
        "chiptrail serve --migrate": "`data_of_a_game` has already run it",
        "createdb chiptrail": "it needs PostgreSQL; the test on PostgreSQL runs it",
        "chiptrail migrate --database postgresql://…@COORDINATOR": "it needs nodes; test_distribute.py has a stand-in",
        "chiptrail backup backup.zip  ": "it needs nodes; test_distribute.py has a stand-in",
        "export CHIPTRAIL_WITNESSES=": "nobody answers at this address; test_witness.py has other witnesses",
        'chiptrail witness --file witness.json --log "$VKEY" --audit': "it needs a server at https://cards.example",
    },
}
"""The beginnings of the blocks that a test of a whole page leaves out, by page, each with the reason."""


def blocks_to_run(page: str) -> list[str]:
    """Return the blocks of *page* that `NOT_RUN` does not list; check that *page* has all that `NOT_RUN` lists."""
    found = blocks(page)
    for begins in NOT_RUN[page]:
        (left_out,) = (block for block in found if block.startswith(begins))
        found.remove(left_out)
    return found


def the_block(page: str, begins: str) -> str:
    """Return the block of *page* that starts with *begins*; check that the test of the whole page leaves it out."""
    assert begins in NOT_RUN[page]
    (found,) = (block for block in blocks(page) if block.startswith(begins))
    return found


@pytest.fixture
def shell(tmp_path: Path, quick_script: Path) -> Path:
    """Return an empty working folder whose folder `bin` has `chiptrail`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chiptrail").symlink_to(quick_script)
    return tmp_path


@pytest.fixture(scope="module")
def data_of_a_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of a stopped server; one game was played to its end there."""
    folder = tmp_path_factory.mktemp("game")
    data, key_file = folder / "chiptrail-data", folder / "chiptrail-data" / "first-key.txt"
    with running_server(["--migrate", "--data", str(data)], folder / "log") as server:
        asked = ("--url", server.url, "--key-file", str(key_file), "--players", "2", "--option", "buy_in=3")
        assert commands.run("play", *asked).code == 0
        wait_until(lambda: is_covered(data / "chiptrail.db"))
    return data


@pytest.fixture
def played(shell: Path, data_of_a_game: Path) -> Path:
    """Return the folder of `shell` with a copy of the data of a game."""
    shutil.copytree(data_of_a_game, shell / "chiptrail-data")
    return shell


def is_covered(database: Path) -> bool:
    """Return whether a checkpoint covers all events."""
    engine = make_engine(f"sqlite:///{database}")
    with reading(engine) as connection:
        (origin,) = published.origins(connection) or ("",)
        size = published.newest_size(connection, origin)
        covered = not published.leaves_without_index(connection) and size == tree.number_of_leaves(connection)
    engine.dispose()
    return covered


def run(folder: Path, commands: str, **variables: str) -> str:
    """Run *commands* in *folder*, with *variables* in the environment; return the output; fail if a command fails."""
    path = f"{folder / 'bin'}:{variables.pop('PATH', environment()['PATH'])}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=environment() | {"PATH": path} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_command_that_fails_is_noticed(shell: Path) -> None:
    assert run(shell, "chiptrail deal 2>&1 || echo $?").endswith("No such command 'deal'.\n2\n")


def test_the_commands_of_the_auditors_page_work(played: Path) -> None:
    setup, verified, heads, whole, hand, dossier, export, imported, others, figures = blocks_to_run(AUDITING)
    assert "Commands:" in run(played, setup)
    assert '"verdict":"clean"' in run(played, verified)
    run(played, heads)
    assert "nothing failed" in run(played, whole)
    assert "vkey" in (played / "saved-keys").read_text()
    assert "Bankrupt, a card game by Aidan-B. Howard (2011)" in run(played, hand)
    (played / "service").symlink_to(ROOT / "service")
    assert "hand 1: clean\n" in (said := run(played, dossier))
    assert said.endswith("Every check passed.\n")
    run(played, export)
    assert "nothing failed" in run(played, imported)
    table = "\n".join(hand.splitlines()[:2])
    assert "; whole." in run(played, f"{table}\n{others}")
    assert "; whole." in (played / "all.journal").read_text()
    assert ",whole: " in (played / "statements.csv").read_text()
    assert "bankrupt" in run(played, f"{hand.splitlines()[0]}\n{hand.splitlines()[1]}\n{figures}")


def test_an_auditor_gets_from_the_open_disputes_to_an_approved_correction(played: Path) -> None:
    decided = the_block(AUDITING, "API=http://127.0.0.1:8000/v1")
    table = re.findall("tbl_[0-9a-f]{32}", run(played, "chiptrail export"))[-1]
    with running_server(["--data", str(played / "chiptrail-data")], played / "log") as server:
        complaint = '{"hand": 1, "ground": "time", "statement": "I had called before."}'
        key = (played / "chiptrail-data" / "first-key.txt").read_text().strip()
        run(
            played,
            f"curl -sS -H 'Authorization: Bearer {key}' -H 'Idempotency-Key: complain'"
            f" -H 'Content-Type: application/json' {server.url}/v1/tables/{table}/disputes -d '{complaint}'",
        )
        said = run(played, decided.replace("http://127.0.0.1:8000", server.url))
    assert "I had called before." in said
    assert "status   corrected, fault (G.3)" in said
    assert "gives 5 chips to" in said


def test_an_auditor_gets_from_a_complaint_to_a_dossier_that_is_checked_in_an_empty_folder(played: Path) -> None:
    _, auditor = blocks((ROOT / "README.md").read_text())
    assert auditor.count("\n") == 5
    (played / "service").symlink_to(ROOT / "service")
    exported = run(played, "chiptrail export")
    table = re.findall("tbl_[0-9a-f]{32}", exported)[-1]
    said = run(played, auditor.replace("tbl_…", table))
    assert "hand 1: clean\n" in said, said
    assert said.endswith("Every check passed.\n")
    assert sorted(path.name for path in (played / "empty").iterdir()) == ["dossier.zip", "verify.py"]


def test_the_commands_of_the_operators_page_work_on_sqlite(played: Path) -> None:
    setup, daily, backup, restart, rotate, sign, witness, erase, archive = blocks_to_run(OPERATING)
    run(played, setup)
    assert the_block(OPERATING, "chiptrail serve --migrate") == "chiptrail serve --migrate\n"
    assert "1 tables rebuilt" in run(played, daily)
    run(played, backup)
    assert "new vkey" in run(played, restart)
    assert "nothing failed" in run(played, "chiptrail verify --data restored")
    assert "with 1 earlier key" in run(played, rotate)
    run(played, erase)
    said = run(played, archive)
    assert ("no new table has ended" in said, "1 tables with" in said, "nothing failed" in said) == (True, True, True)
    # The other commands of `sign` and `witness` start servers that do not end, or need a server at
    # https://cards.example.
    assert run(played, sign.splitlines()[0] + '\nprintf %s "$VKEY"').startswith("chiptrail/")
    assert run(played, witness.splitlines()[0]).startswith("witness.example/w1+")


@pytest.fixture
def server_of_postgresql(shell: Path) -> Iterator[dict[str, str]]:
    """Yield the environment variables with which PostgreSQL's programs find a new server without Chiptrail's tables."""
    installation: Installation = installations()[0]
    home = Path(os.environ[postgres.SHARED_FOLDER]) / f"page-{os.getpid()}"
    postgres.start(installation, home)
    programs = Path((home / "programs").read_text())
    yield {"PATH": f"{programs}:{environment()['PATH']}", "PGHOST": str(home), "PGUSER": "postgres"}
    postgres.stop(programs, home)
    shutil.rmtree(home)


def test_the_commands_of_the_operators_page_work_on_postgresql(
    shell: Path, server_of_postgresql: dict[str, str]
) -> None:
    block = the_block(OPERATING, "createdb chiptrail")
    commands = block.replace("@localhost/chiptrail", "@/chiptrail?host=$PGHOST").replace("'", '"')
    *prepared, url, serve = commands.replace('"change me"', "'change me'").splitlines()
    run(shell, "\n".join(prepared), **server_of_postgresql)
    assert url.startswith("export CHIPTRAIL_DATABASE_URL=")
    database = run(shell, f'{url}; printf %s "$CHIPTRAIL_DATABASE_URL"', **server_of_postgresql)
    assert serve.split()[:2] == ["chiptrail", "serve"]
    with running_server(
        [*serve.split()[2:], "--database", database, "--data", str(shell / "chiptrail-data")], shell / "log"
    ) as server:
        assert "won by" in run(shell, f"chiptrail play --url {server.url} --players 2 --option buy_in=3")


def test_the_operators_page_names_every_setting_with_its_default() -> None:
    defaults = settings.load({})
    rows = dict(re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", OPERATING, re.MULTILINE))
    named = {name: default for names, default in rows.items() for name in re.findall(r"`([A-Z_]+)`", names)}
    assert set(named) == {name.upper() for name in settings.Settings.__struct_fields__} | {"WORKERS"}
    for name, default in named.items():
        if default.isdigit():
            assert int(default) == getattr(defaults, name.lower()), name


def test_a_developer_finds_the_arguments_that_the_page_names() -> None:
    testing, simulating = blocks(DEVELOPING)
    assert testing.split("#")[0].strip() == "python3 -m service test"
    assert re.fullmatch(r"python -m tests\.faults\.simulator --seed \d+ --steps \d+\n", simulating)


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_file_that_a_page_links_to_exists(page: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), target


def test_the_developers_page_names_existing_rooms_and_modules() -> None:
    line, _, rooms = DEVELOPING.partition("## The rooms")
    named = re.findall(r"^      +([a-z_]+/[a-z_/]*\.py)", line, re.MULTILINE)
    named += re.findall(r"`([a-z_]+(?:/|\.py))`", rooms.partition("## Work")[0])
    assert len(named) > 20
    folder = ROOT / "service"
    places = (folder, folder / "games" / "bankrupt")
    assert {name for name in named if not any((place / name).exists() for place in places)} <= {
        "resources/", "request/", "responses/", "auditing/", "openapi/", "operations/", "problems/", "support/",
        "measures/", "reports/", "rebuild/", "strategies/", "kept/", "connection/", "player.py", "asking/",
        "pages/", "playing/", "drawing/", "spread/", "checks/",
        "templates/", "static/", "serving/", "writing/",
    }  # fmt: skip
    rooms_there = {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}
    assert rooms_there <= {name.strip("/") for name in named}


def test_the_readme_fits_on_one_screen_and_opens_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.count("\n") <= 50
    first = readme.split("```sh\n")[1].split("```")[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == [
        "python3 -m service demo",
        "python3 -m service test",
    ]
