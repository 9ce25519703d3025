"""Each line of a lock file is a pin with hashes; each requirement of pyproject.toml is pinned within its range."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from service.__main__ import COVERS, LOCKS, RUNTIME, SCRIPT, TEST
from tests.house import tree

PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"[a-z0-9-]+==[^\s;]+(?: ; [^\\]+)?(?: --hash=sha256:[0-9a-f]{64})+")


def lines(lock: str) -> list[str]:
    """Return one line for each pin of *lock*, with all hashes of the pin."""
    return [re.sub(r"\s*\\\n\s+", " ", pin) for pin in re.findall(r"(?:.*\\\n)*.+\n", (tree.ROOT / lock).read_text())]


def pins(lock: str) -> dict[str, Requirement]:
    """Return the pinned requirements of *lock* by name."""
    return {(pin := Requirement(line.split(" --hash")[0])).name: pin for line in lines(lock)}


def asked(*extras: str) -> list[Requirement]:
    """Return the requirements of pyproject.toml with *extras*, including extras that these extras name."""
    own, listed = PROJECT["name"], list(PROJECT["dependencies"])
    for extra in extras:
        listed += PROJECT["optional-dependencies"][extra]
    requirements = [Requirement(each) for each in listed]
    more = [asked(*each.extras) for each in requirements if each.name == own]
    return [each for each in requirements if each.name != own] + [each for listed in more for each in listed]


@pytest.mark.parametrize("lock", [RUNTIME, TEST])
def test_a_line_is_a_pin_with_hashes_and_nothing_else(lock: str) -> None:
    assert [line for line in lines(lock) if not PIN.fullmatch(line.strip())] == []


@pytest.mark.parametrize(("lock", "extra"), [(RUNTIME, "postgres"), (TEST, "test")])
def test_each_requirement_is_pinned_within_its_range(lock: str, extra: str) -> None:
    pinned = {name: pin.specifier for name, pin in pins(lock).items()}
    for each in asked(extra):
        version = str(pinned[canonicalize_name(each.name)]).removeprefix("==")
        assert each.specifier.contains(version), f"{lock} pins {each.name} {version}, asked for is {each.specifier}"


def test_the_tests_lock_holds_the_other_line_by_line() -> None:
    assert set(lines(RUNTIME)) - set(lines(TEST)) == set()


def test_every_job_has_its_lock() -> None:
    assert set(LOCKS.values()) == set(COVERS) == {RUNTIME, TEST}


def test_the_set_up_makes_the_command_that_the_wheel_makes() -> None:
    assert PROJECT["scripts"] == {"chiptrail": "service.cli:main"}
    assert "from service.cli import main" in SCRIPT
