"""Makes the virtual environment of Chiptrail and runs a job in this environment; needs only Python and pip."""

import os
import sys

# This check comes first: an older Python may start this file, but cannot run the imports below.
if sys.version_info < (3, 11):  # noqa: UP036 -- any Python may start this file
    sys.exit(f"Chiptrail needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")
if os.name != "posix":
    sys.exit("Chiptrail runs on Linux, macOS and similar systems; on Windows it runs inside WSL.")

import fcntl
import hashlib
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME, TEST = "requirements.lock", "requirements-test.lock"
LOCKS = {"demo": RUNTIME, "serve": RUNTIME, "test": TEST}
COVERS = {RUNTIME: (RUNTIME,), TEST: (RUNTIME, TEST)}  # TEST has all pins of RUNTIME: tests/house checks
OLDEST_PIP = (22, 3)  # the oldest version that installs into the environment of another Python
USAGE = """\
usage: python3 -m service demo [options]           play whole games over HTTP, verify them, show how to look further
       python3 -m service serve [options]          serve the API
       python3 -m service test [options]           run every check; --full adds the long tests, --share COMMIT
                                                   the share of them that falls to a commit; the rest go to pytest

The first run installs the dependencies into .venv, or into the folder that CHIPTRAIL_VENV names.
"""


def main(arguments: list[str]) -> int:
    """Run the job that *arguments* name, in its environment; return only if there is no such job."""
    if arguments[:1] in (["-h"], ["--help"]):
        sys.stdout.write(USAGE)
        return 0
    if not arguments or arguments[0] not in LOCKS:
        sys.stderr.write(USAGE)
        return 2
    venv = Path(os.environ.get("CHIPTRAIL_VENV") or ROOT / ".venv").absolute()
    try:
        prepare(venv, LOCKS[arguments[0]])
    except OSError as error:
        sys.exit(f"chiptrail: the environment {venv} could not be set up: {error}")
    except KeyboardInterrupt:
        sys.exit(f"chiptrail: interrupted; the next run sets up {venv} again")
    return run(venv, *arguments)


def run(venv: Path, job: str, *options: str) -> int:
    """Replace this process by *job*, which then gets all signals and sets the exit code."""
    python = str(venv / "bin" / "python")
    if job == "test":
        os.chdir(ROOT)
        os.execv(python, [python, "-m", "tests", *options])  # noqa: S606 -- no shell is needed
    os.execv(python, [python, str(venv / "bin" / "chiptrail"), job, *options])  # noqa: S606 -- as above


def prepare(venv: Path, lock: str) -> None:
    """Install *lock* into *venv*, even if a killed run left *venv* incomplete."""
    if is_ready(venv, lock):
        return
    if Path(sys.prefix).resolve() == venv.resolve():  # this Python's environment has no pip, and may have to be cleared
        base: str = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 -- there is no public name
        os.execv(base, [base, *sys.orig_argv[1:]])  # noqa: S606 -- no shell is needed
    with claimed(venv) as claim:
        if is_ready(venv, lock):  # another run made the environment meanwhile
            return
        check_pip()
        say(f"Setting up {venv} (only once) ...")
        if stamp(venv, lock).exists() or not is_ready(venv, RUNTIME):
            make(venv)
        stamp(venv, lock).write_text("")  # an empty stamp: the next run starts again
        install(venv, lock, claim)
        for each in COVERS[lock]:
            stamp(venv, each).write_text(fingerprint(venv, each))


def is_ready(venv: Path, lock: str) -> bool:
    """Tell whether *venv* is complete and was made from this *lock*, for this Python, at this path."""
    try:
        return stamp(venv, lock).read_text() == fingerprint(venv, lock) and os.access(venv / "bin" / "python", os.X_OK)
    except FileNotFoundError:
        return False


def stamp(venv: Path, lock: str) -> Path:
    """Return the stamp: the file with the fingerprint of *venv*. A set-up empties it first and writes it last."""
    return venv / f"chiptrail-{lock}.stamp"


def fingerprint(venv: Path, lock: str) -> str:
    """Return a hash of everything that decides the environment: the lock, Python, this file, and the paths."""
    inputs = f"{sys.implementation.cache_tag}\n{sys.platform}\n{ROOT}\n{venv}\n".encode()
    return hashlib.sha256(inputs + Path(__file__).read_bytes() + (ROOT / lock).read_bytes()).hexdigest()


@contextmanager
def claimed(venv: Path) -> Iterator[int]:
    """Lock a file beside *venv* during the block, and yield the file's descriptor; the lock ends with its process."""
    venv.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{venv}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Another run is setting up {venv}; waiting for it ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def check_pip() -> None:
    """Exit with a message if pip is missing or too old."""
    try:
        pip = importlib.import_module("pip")
    except ImportError:
        sys.exit(
            f"chiptrail: {sys.executable} has no pip, and the first run needs it."
            " On Debian and Ubuntu: apt install python3-pip; elsewhere: python3 -m ensurepip"
        )
    if tuple(int(part) for part in pip.__version__.split(".")[:2]) < OLDEST_PIP:
        sys.exit(f"chiptrail: pip 22.3 or newer is needed; {sys.executable} has pip {pip.__version__}.")


def make(venv: Path) -> None:
    """Make an empty environment in *venv*; clear an earlier one of Chiptrail first.

    `EnvBuilder` alone is not enough, for two reasons: ensurepip may be missing (Debian packages it separately), and an
    editable install needs a build tool, so a path file and a script link the project instead.
    """
    import shutil  # noqa: PLC0415 -- needed only to make an environment
    import sysconfig  # noqa: PLC0415 -- as above
    from venv import EnvBuilder  # noqa: PLC0415 -- as above

    mark = stamp(venv, RUNTIME)
    if venv.exists() and any(venv.iterdir()) and not mark.exists():
        sys.exit(f"chiptrail: {venv} is not an environment made by Chiptrail; remove it, or name another folder.")
    venv.mkdir(exist_ok=True)
    mark.write_text("")
    for old in set(venv.iterdir()) - {mark}:
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink()
    EnvBuilder(symlinks=True, with_pip=False).create(venv)
    packages = sysconfig.get_path("purelib", "venv", {"base": str(venv), "installed_base": str(venv)})
    (Path(packages) / "chiptrail.pth").write_text(f"{ROOT}\n")
    (venv / ".gitignore").write_text("*\n")
    write_script(venv / "bin" / "chiptrail", venv / "bin" / "python")


def write_script(script: Path, python: Path) -> None:
    """Write the script `chiptrail` of this tree, which runs with *python*."""
    script.write_text(SCRIPT.format(python=python, root=str(ROOT)))
    script.chmod(0o755)


# The second line is a call of Python for sh, and a string for Python: other than in a `#!` line, the path may be long
# and have spaces. This tree is first in sys.path, in case PYTHONPATH has another `service`. Without the guard each
# process that multiprocessing spawns would run the command again.
SCRIPT = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys

if __name__ == "__main__":
    sys.path[0] = {root!r}

    from service.cli import main

    sys.exit(main())
"""


def install(venv: Path, lock: str, claim: int) -> None:
    """Install *lock* into *venv* by this Python's pip, which checks the hash of each file."""
    import subprocess  # noqa: PLC0415 -- needed only to make an environment

    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "--disable-pip-version-check"]
    quietly = ["--quiet", "--no-input", "--progress-bar=off", "--no-warn-script-location", "--no-user", "--no-compile"]
    # Python compiles modules when they are imported; most are never imported.
    # A pip that outlives its killed parent holds the lock too, so the next run waits for this pip.
    done = subprocess.run(  # noqa: S603 -- no argument comes from outside
        [*pip, "install", *quietly, "--require-hashes", "-r", str(ROOT / lock)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        pass_fds=(claim,),
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nchiptrail: pip could not install {ROOT / lock}; its output is above.")


def say(line: str) -> None:
    """Write *line* to standard error, separate from the output of a job."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
