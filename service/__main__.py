"""Make the environment that Chiptrail runs in, then run a job in it; needs nothing but Python and pip."""

import os
import sys

# Said before anything is imported or defined that an older Python does not have.
if sys.version_info < (3, 11):  # noqa: UP036 -- it may be started by any Python
    sys.exit(f"Chiptrail needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")
if os.name != "posix":
    sys.exit("Chiptrail runs on Linux, macOS and their like; on Windows inside WSL.")

import fcntl
import hashlib
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME, TEST = "requirements.lock", "requirements-test.lock"
LOCKS = {"demo": RUNTIME, "serve": RUNTIME, "test": TEST}
COVERS = {RUNTIME: (RUNTIME,), TEST: (RUNTIME, TEST)}  # tests/house proves that the second lock holds the first
OLDEST_PIP = (22, 3)  # the first that installs into another Python's environment
USAGE = """\
usage: python3 -m service demo [options]           play whole games over HTTP, verify them, show how to look further
       python3 -m service serve [options]          serve the API
       python3 -m service test [options]           run every check; --full adds the long tests, --share COMMIT
                                                   the share of them that falls to a commit; the rest go to pytest

The first run installs the dependencies into .venv, or into the folder that CHIPTRAIL_VENV names.
"""


def main(arguments: list[str]) -> int:
    """Run the job that *arguments* name in its environment; return only where there is no such job."""
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
        sys.exit(f"chiptrail: interrupted; the next run sets {venv} up afresh")
    return run(venv, *arguments)


def run(venv: Path, job: str, *options: str) -> int:
    """Become *job*, so that signals and the exit code are its own."""
    python = str(venv / "bin" / "python")
    if job == "test":
        os.chdir(ROOT)
        os.execv(python, [python, "-m", "tests", *options])  # noqa: S606 -- no shell is wanted
    os.execv(python, [python, str(venv / "bin" / "chiptrail"), job, *options])  # noqa: S606 -- likewise


def prepare(venv: Path, lock: str) -> None:
    """Make *venv* hold what *lock* names, whatever a killed run has left there."""
    if is_ready(venv, lock):
        return
    if Path(sys.prefix).resolve() == venv.resolve():  # an environment has no pip of its own, and may have to be cleared
        base: str = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 -- it has no public name
        os.execv(base, [base, *sys.orig_argv[1:]])  # noqa: S606 -- no shell is wanted
    with claimed(venv) as claim:
        if is_ready(venv, lock):  # the run that was waited for has done it
            return
        check_pip()
        say(f"Setting up {venv} (once) ...")
        if stamp(venv, lock).exists() or not is_ready(venv, RUNTIME):
            make(venv)
        stamp(venv, lock).write_text("")  # begun: whoever finds it so starts over
        install(venv, lock, claim)
        for each in COVERS[lock]:
            stamp(venv, each).write_text(fingerprint(venv, each))


def is_ready(venv: Path, lock: str) -> bool:
    """Tell whether *venv* was made to the end from the present *lock*, for this Python, here."""
    try:
        return stamp(venv, lock).read_text() == fingerprint(venv, lock) and os.access(venv / "bin" / "python", os.X_OK)
    except FileNotFoundError:
        return False


def stamp(venv: Path, lock: str) -> Path:
    """Name the file whose text is the fingerprint of what *venv* holds; it is emptied first and written last."""
    return venv / f"chiptrail-{lock}.stamp"


def fingerprint(venv: Path, lock: str) -> str:
    """Hash all that an environment follows from: lock, Python, this recipe, and the folders that it names."""
    facts = f"{sys.implementation.cache_tag}\n{sys.platform}\n{ROOT}\n{venv}\n".encode()
    return hashlib.sha256(facts + Path(__file__).read_bytes() + (ROOT / lock).read_bytes()).hexdigest()


@contextmanager
def claimed(venv: Path) -> Iterator[int]:
    """Hold the one claim on *venv*, a locked file beside it that vanishes with whoever holds it; yield its number."""
    venv.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{venv}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Another run is setting up {venv}; waiting for it ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def check_pip() -> None:
    """Stop with a clear word where pip is missing or too old."""
    try:
        pip = importlib.import_module("pip")
    except ImportError:
        sys.exit(
            f"chiptrail: {sys.executable} has no pip, which the first run needs."
            " On Debian and Ubuntu: apt install python3-pip; elsewhere: python3 -m ensurepip"
        )
    if tuple(int(part) for part in pip.__version__.split(".")[:2]) < OLDEST_PIP:
        sys.exit(f"chiptrail: pip 22.3 or newer is needed; {sys.executable} has pip {pip.__version__}.")


def make(venv: Path) -> None:
    """Make an empty environment in *venv*, clearing it where an earlier set-up made it.

    Built by hand around `EnvBuilder`, for two reasons: it must work where ensurepip is missing (Debian packs it apart),
    and the project is linked by a path file and a script, which, other than an editable install, needs no build tool.
    """
    import shutil  # noqa: PLC0415 -- needed for a set-up alone
    import sysconfig  # noqa: PLC0415 -- likewise
    from venv import EnvBuilder  # noqa: PLC0415 -- likewise

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
    """Write the command `chiptrail` of this tree, for the environment whose Python is *python*."""
    script.write_text(SCRIPT.format(python=python, root=str(ROOT)))
    script.chmod(0o755)


# To sh a call of Python, to Python a string: unlike in a `#!` line, the path may be long and have spaces.
# This tree comes first, whatever else the user's PYTHONPATH has by the name `service`.
# Without the guard every process that multiprocessing spawns would run the command again.
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
    """Let this Python's pip install *lock* into *venv*, each file checked against its hash."""
    import subprocess  # noqa: PLC0415 -- needed for a set-up alone

    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "--disable-pip-version-check"]
    quietly = ["--quiet", "--no-input", "--progress-bar=off", "--no-warn-script-location", "--no-user", "--no-compile"]
    # Python compiles what is imported when it is imported: most never is.
    # With the claim in its hands, a pip that outlives a killed set-up keeps the next one waiting.
    done = subprocess.run(  # noqa: S603 -- nothing here comes from outside
        [*pip, "install", *quietly, "--require-hashes", "-r", str(ROOT / lock)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        pass_fds=(claim,),
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nchiptrail: pip could not install {ROOT / lock}; what it said stands above.")


def say(line: str) -> None:
    """Write *line* where it disturbs no output of a job."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
