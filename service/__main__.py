"""Makes Chiptrail's virtual environment and runs a job in this environment; this file needs only Python and pip."""

import os
import sys

# These checks come before the other imports: an older Python may start this file, and Windows has no module `fcntl`.
if sys.version_info < (3, 11):  # noqa: UP036 -- an older Python may start this file
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
COVERS = {RUNTIME: (RUNTIME,), TEST: (RUNTIME, TEST)}  # TEST has all pins of RUNTIME; tests/house checks this
OLDEST_PIP = (22, 3)  # the oldest version with the option --python, which installs into another environment
USAGE = """\
usage: python3 -m service demo [options]           play whole games over HTTP, verify them, show what to look at next;
                                                   --open opens a table where you play with bots in your browser
       python3 -m service serve [options]          serve the API
       python3 -m service test [options]           run every check; --full adds the long tests, --share COMMIT
                                                   the share of them for a commit; other options go to pytest

The first run installs the dependencies into .venv, or into the folder that CHIPTRAIL_VENV names.
"""


def main(arguments: list[str]) -> int:
    """Run the job that the first of *arguments* names: the job replaces this process.

    If *arguments* ask for help, or name no job, print the usage and return an exit code.
    """
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
    """Replace this process with *job*, which then gets all signals and sets the exit code."""
    python = str(venv / "bin" / "python")
    if job == "test":
        os.chdir(ROOT)
        os.execv(python, [python, "-m", "tests", *options])  # noqa: S606 -- no shell is needed
    os.execv(python, [python, str(venv / "bin" / "chiptrail"), job, *options])  # noqa: S606 -- as above


def prepare(venv: Path, lock: str) -> None:
    """Ensure that *venv* has the packages of *lock*, even if a killed run left *venv* incomplete."""
    if is_ready(venv, lock):
        return
    # If this process runs in *venv*, it starts again outside: *venv* has no pip, and the set-up below may clear *venv*.
    if Path(sys.prefix).resolve() == venv.resolve():
        base: str = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 -- there is no public name
        os.execv(base, [base, *sys.orig_argv[1:]])  # noqa: S606 -- no shell is needed
    with claimed(venv) as claim:
        if is_ready(venv, lock):  # another run made the environment meanwhile
            return
        check_pip()
        say(f"Setting up {venv} (only once) ...")
        if stamp(venv, lock).exists() or not is_ready(venv, RUNTIME):
            make(venv)
        stamp(venv, lock).write_text("")  # after an interruption the empty stamp makes the next run start over
        install(venv, lock, claim)
        for each in COVERS[lock]:
            stamp(venv, each).write_text(fingerprint(venv, each))


def is_ready(venv: Path, lock: str) -> bool:
    """Return whether *venv* is complete, and was made from this *lock*, for this Python and at this path."""
    try:
        return stamp(venv, lock).read_text() == fingerprint(venv, lock) and os.access(venv / "bin" / "python", os.X_OK)
    except FileNotFoundError:
        return False


def stamp(venv: Path, lock: str) -> Path:
    """Return the path of the stamp of *lock*: a file with the fingerprint of the set-up that installed *lock*.

    The stamp is emptied before pip runs and written when pip has finished, so that an interrupted set-up is not
    mistaken for a complete one.
    """
    return venv / f"chiptrail-{lock}.stamp"


def fingerprint(venv: Path, lock: str) -> str:
    """Return a hash of the inputs of a set-up.

    The inputs are the lock, the Python version, the platform, this file, and the paths of this tree and of *venv*.
    """
    inputs = f"{sys.implementation.cache_tag}\n{sys.platform}\n{ROOT}\n{venv}\n".encode()
    return hashlib.sha256(inputs + Path(__file__).read_bytes() + (ROOT / lock).read_bytes()).hexdigest()


@contextmanager
def claimed(venv: Path) -> Iterator[int]:
    """Lock a file beside *venv* during the block, and yield the file's descriptor.

    A child process may inherit the descriptor. The lock then lasts until the child process, too, has ended.
    """
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
    """Make an empty environment in *venv*; first clear an earlier environment of Chiptrail.

    Exit with a message if *venv* has other files, or if *venv* is a link to a folder that is not empty.

    The environment has no pip, because ensurepip may be missing (Debian packages it separately). A path file (`.pth`)
    and the script `chiptrail` make the project usable without an editable install, which would need a build tool.
    """
    import shutil  # noqa: PLC0415 -- only this function needs the module
    import sysconfig  # noqa: PLC0415 -- as above
    from venv import EnvBuilder  # noqa: PLC0415 -- as above

    mark = stamp(venv, RUNTIME)
    if venv.exists() and any(venv.iterdir()) and not mark.exists():
        sys.exit(f"chiptrail: {venv} is not an environment made by Chiptrail; remove it, or name another folder.")
    if venv.is_symlink() and any(venv.iterdir()):  # perhaps another clone uses the environment
        sys.exit(f"chiptrail: {venv} is a link to a folder that must be cleared first; clear it, or remove the link.")
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
    """Write the script `chiptrail`, which runs the code of this tree with *python*."""
    script.write_text(SCRIPT.format(python=python, root=str(ROOT)))
    script.chmod(0o755)


# sh reads the second line as a command that starts Python; Python reads it as a string. Unlike a `#!` line, this
# command allows a long path and a path with spaces. This tree is first in sys.path, in case PYTHONPATH has another
# `service`. Without the `if`, each process that multiprocessing spawns would run the command too.
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
    """Install the packages of *lock* into *venv* with this Python's pip, which checks the hash of each file."""
    import subprocess  # noqa: PLC0415 -- only this function needs the module

    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "--disable-pip-version-check"]
    quietly = ["--quiet", "--no-input", "--progress-bar=off", "--no-warn-script-location", "--no-user", "--no-compile"]
    # --no-compile: Python compiles a module at its first import, and most modules are never imported.
    # pip inherits the descriptor *claim*, and so the lock: if this process is killed, the next run waits for pip's end.
    done = subprocess.run(  # noqa: S603 -- these are our own arguments, and no shell interprets them
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
    """Write *line* to standard error; standard output is for the output of a job."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
