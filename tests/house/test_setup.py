"""The set-up of `python3 -m service`, in a new tree with a fake pip: these tests do not use the network."""

import ast
import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.__main__ import RUNTIME, TEST, USAGE
from tests.house import tree

PIP = """\
import fcntl, os, pathlib, signal, sys

here = pathlib.Path(__file__).parent
with (here / "calls").open("a") as calls:
    calls.write(" ".join([sys.prefix, *sys.argv[1:]]) + "\\n")
behaviour = (here / "behaviour").read_text()
if behaviour == "fail":
    sys.exit("ERROR: no answer for flask")
if behaviour == "kill the set-up":
    parent = os.getppid()
    os.kill(parent, signal.SIGKILL)
    while os.getppid() == parent:
        pass
    try:
        fcntl.flock((here.parent / "tree" / ".venv.lock").open("w"), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        (here / "claim").write_text("kept")
"""
CLI = "import sys\ndef main():\n    print(sys.argv[1:], sys.prefix)\n    return 7\n"
TESTS = "import os, sys\nprint(sys.argv[1:], os.getcwd())\n"


@dataclass
class House:
    """A fresh clone in *root*, and in *first* a fake pip, which Python finds before the real pip."""

    root: Path
    first: Path

    def start(self, *arguments: str, python: str = sys.executable, **environment: str) -> subprocess.Popen[str]:
        paths = {"PATH": os.environ["PATH"], "HOME": str(self.first / "home"), "PYTHONPATH": str(self.first)}
        return subprocess.Popen(
            [python, "-m", "service", *arguments],
            cwd=self.root,
            env=paths | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, python: str = sys.executable, **environment: str) -> tuple[int, str, str]:
        with self.start(*arguments, python=python, **environment) as process:
            out, err = process.communicate()
        return process.returncode, out, err

    def pip_shall(self, behaviour: str) -> None:
        (self.first / "pip" / "behaviour").write_text(behaviour)

    @property
    def installs(self) -> list[str]:
        """The lock files that pip was called with so far, in order."""
        calls = self.first / "pip" / "calls"
        return [Path(call.split()[-1]).name for call in calls.read_text().splitlines()] if calls.exists() else []

    @property
    def venv(self) -> Path:
        return self.root / ".venv"


@pytest.fixture
def house(tmp_path: Path) -> House:
    root, first = tmp_path / "tree", tmp_path
    for folder in (root / "service", root / "tests", first / "pip"):
        folder.mkdir(parents=True)
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(tree.ROOT / "service" / name, root / "service" / name)
    (root / "service" / "cli.py").write_text(CLI)
    (root / "tests" / "__main__.py").write_text(TESTS)
    for lock in (RUNTIME, TEST):
        (root / lock).write_text("flask==3.1.3 --hash=sha256:00\n")
    (first / "pip" / "__init__.py").write_text("__version__ = '23.0.1'\n")
    (first / "pip" / "__main__.py").write_text(PIP)
    made = House(root, first)
    made.pip_shall("install")
    return made


def test_the_first_run_sets_up_and_the_job_has_the_last_word(house: House) -> None:
    code, out, err = house.run("demo", "--seed", "1")
    assert (code, out) == (7, f"['demo', '--seed', '1'] {house.venv}\n")
    assert "Setting up" in err


def test_the_second_run_sets_nothing_up(house: House) -> None:
    house.run("demo")
    code, out, err = house.run("serve")
    assert (code, out, err) == (7, f"['serve'] {house.venv}\n", "")
    assert house.installs == [RUNTIME]


def test_hashes_are_required(house: House) -> None:
    house.run("demo")
    assert "--require-hashes" in (house.first / "pip" / "calls").read_text()


def test_ensurepip_is_not_needed(house: House) -> None:
    house.run("demo")
    assert house.venv.exists()
    assert list(house.venv.rglob("pip*")) == []  # ensurepip would have installed pip there


@pytest.mark.parametrize("other", ["", str(tree.ROOT)])
def test_the_environment_has_the_command_of_this_tree_and_no_other(house: House, other: str) -> None:
    house.run("demo")
    command: list[str | Path] = [house.venv / "bin" / "chiptrail", "play", "a b"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": other}, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, f"['play', 'a b'] {house.venv}\n", "")


def test_tests_run_in_the_repository_and_build_on_the_environment_of_demo(house: House) -> None:
    house.run("demo")
    (house.venv / "stays").touch()
    assert house.run("test", "-k", "rule")[:2] == (0, f"['-k', 'rule'] {house.root}\n")
    assert house.installs == [RUNTIME, TEST]
    assert (house.venv / "stays").exists()


def test_the_environment_of_the_tests_serves_the_demo(house: House) -> None:
    house.run("test")
    house.run("demo")
    assert house.installs == [TEST]


@pytest.mark.parametrize("changed", [RUNTIME, "service/__main__.py"])
def test_a_changed_lock_or_recipe_makes_a_new_environment(house: House, changed: str) -> None:
    house.run("demo")
    (house.venv / "old").mkdir()
    with (house.root / changed).open("a") as file:
        file.write("# changed\n")
    assert house.run("demo")[0] == 7
    assert house.installs == [RUNTIME, RUNTIME]
    assert not (house.venv / "old").exists()


def test_a_moved_repository_makes_a_new_environment(house: House) -> None:
    house.run("demo")
    house.root = house.root.rename(house.root.with_name("else where"))
    assert house.run("demo")[1] == f"['demo'] {house.venv}\n"
    assert house.installs == [RUNTIME, RUNTIME]


def test_an_environment_without_its_python_is_made_again(house: House) -> None:
    house.run("demo")
    (house.venv / "bin" / "python").unlink()
    assert house.run("demo")[0] == 7


def test_a_failed_set_up_names_the_failure_and_is_made_again(house: House) -> None:
    house.pip_shall("fail")
    code, out, err = house.run("demo")
    assert (code, out) == (1, "")
    assert "ERROR: no answer for flask" in err
    assert str(house.root / RUNTIME) in err
    (house.venv / "half").touch()
    house.pip_shall("install")
    assert house.run("demo")[0] == 7
    assert not (house.venv / "half").exists()


def test_a_failed_set_up_of_the_tests_does_not_change_the_demo(house: House) -> None:
    house.run("demo")
    house.pip_shall("fail")
    assert house.run("test")[0] == 1
    assert house.run("demo")[0] == 7
    assert house.installs == [RUNTIME, TEST]


def test_a_failed_set_up_of_the_tests_is_made_again(house: House) -> None:
    house.run("demo")
    house.pip_shall("fail")
    house.run("test")
    (house.venv / "half").touch()
    house.pip_shall("install")
    assert house.run("test")[0] == 0
    assert not (house.venv / "half").exists()


def test_a_killed_set_up_is_made_again_once_its_pip_has_ended(house: House) -> None:
    house.pip_shall("kill the set-up")
    assert house.run("demo")[0] == -9
    with Path(f"{house.venv}.lock").open("w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)  # waits until the orphaned pip ends
    assert (house.first / "pip" / "claim").read_text() == "kept"
    house.pip_shall("install")
    assert house.run("demo")[0] == 7
    assert house.installs == [RUNTIME, RUNTIME]


def test_two_runs_at_once_set_up_once(house: House) -> None:
    with house.start("demo") as one, house.start("serve") as other:
        outputs = {one.communicate()[0], other.communicate()[0]}
    assert outputs == {f"['demo'] {house.venv}\n", f"['serve'] {house.venv}\n"}
    assert house.installs == [RUNTIME]


def test_another_folder_may_be_named(house: House, tmp_path: Path) -> None:
    elsewhere = tmp_path / "deep" / "in the woods"
    assert house.run("demo", CHIPTRAIL_VENV=str(elsewhere))[1] == f"['demo'] {elsewhere}\n"
    assert not house.venv.exists()


def test_a_folder_of_somebody_else_is_left_alone(house: House) -> None:
    house.venv.mkdir()
    (house.venv / "letters").touch()
    code, _, err = house.run("demo")
    assert code == 1
    assert "not an environment made by Chiptrail" in err
    assert [path.name for path in house.venv.iterdir()] == ["letters"]


def test_the_environment_of_another_clone_is_not_cleared_through_a_link(house: House) -> None:
    environment = house.first / "of another clone"
    house.run("demo", CHIPTRAIL_VENV=str(environment))
    before = sorted(environment.iterdir())
    house.venv.symlink_to(environment)
    code, _, err = house.run("demo")
    assert code == 1
    assert f"{house.venv} is a link to a folder that must be cleared first" in err
    assert sorted(environment.iterdir()) == before


def test_a_run_from_inside_the_environment_is_set_up_from_outside(house: House) -> None:
    house.run("demo")
    assert house.run("test", python=str(house.venv / "bin" / "python"))[0] == 0
    assert house.installs == [RUNTIME, TEST]
    assert f"{house.venv} " not in (house.first / "pip" / "calls").read_text()  # no call of pip ran with this Python


def test_a_place_that_cannot_be_written_is_named(house: House) -> None:
    house.venv.parent.joinpath(".venv.lock").mkdir()
    code, _, err = house.run("demo")
    assert code == 1
    assert str(house.venv) in err


def test_a_missing_pip_is_named_with_its_cure(house: House) -> None:
    (house.first / "pip" / "__init__.py").write_text("raise ImportError('no pip here')\n")
    code, _, err = house.run("demo")
    assert code == 1
    assert "apt install python3-pip" in err
    assert not house.venv.exists()


def test_a_pip_too_old_is_named(house: House) -> None:
    (house.first / "pip" / "__init__.py").write_text("__version__ = '22.0.2'\n")
    assert "pip 22.3 or newer is needed" in house.run("demo")[2]


@pytest.mark.parametrize("arguments", [(), ("deal",), ("--full",)])
def test_any_other_job_is_answered_with_the_usage(house: House, arguments: tuple[str, ...]) -> None:
    assert house.run(*arguments) == (2, "", USAGE)


def test_help_is_no_error(house: House) -> None:
    assert house.run("--help") == (0, USAGE, "")


def test_an_older_python_prints_the_needed_version(house: House) -> None:
    older = "import runpy, sys; sys.version_info = (3, 9, 2); runpy.run_module('service', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", older], cwd=house.root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Chiptrail needs Python 3.11 or newer")


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_an_older_python_can_parse_the_file_up_to_the_version_check(name: str) -> None:
    ast.parse((tree.ROOT / "service" / name).read_text(), feature_version=(3, 7))
