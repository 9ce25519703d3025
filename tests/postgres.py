"""The PostgreSQL servers of a test run: one an installation, started by whoever needs it first."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from service.bench.postgres import Installation, installations, is_alive, start, stop, stop_all, url_of

SHARED_FOLDER = "CHIPTRAIL_TEST_FOLDER"  # where the workers of one run meet
GIVEN_SERVER = "CHIPTRAIL_TEST_POSTGRES"  # the URL of a server that takes the place of ours
_PREFIX = "chiptrail-tests-"

__all__ = ["Installation", "installations", "start", "stop", "url_of"]


def given_server() -> str:
    """Return the URL of the server to be used in place of ours; "" if there is none."""
    return os.environ.get(GIVEN_SERVER, "")


def make_shared_folder() -> Path:
    """Make the folder of this run, where its workers' servers live, and clear up after runs that were killed."""
    top = _roomy_folder()
    for folder in top.glob(f"{_PREFIX}*"):
        owner = folder / "owner"
        if folder.stat().st_uid == os.geteuid() and owner.exists() and not is_alive(int(owner.read_text())):
            with suppress(OSError, subprocess.CalledProcessError):  # another run clears it up
                remove_shared_folder(folder)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=top))
    folder.chmod(0o711)  # nobody must reach its own folder in it
    (folder / "owner").write_text(str(os.getpid()))
    return folder


def remove_shared_folder(folder: Path) -> None:
    """Stop all servers in *folder*, and remove it."""
    stop_all(folder)
    shutil.rmtree(folder)


def shared_server(installation: Installation, folder: Path) -> str:
    """Return the URL of the run's server of *installation*, started by whoever needs it first."""
    home = folder / str(installation.major)
    with locked(folder / "lock"):
        if not (home / "programs").exists():
            start(installation, home)
    return url_of(home)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock *path* against all other processes."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _roomy_folder() -> Path:
    """Return a folder in memory, where syncing costs nothing, or else one with a path short enough for a socket."""
    for folder, least_bytes in ((Path("/dev/shm"), 2**30), (Path("/tmp"), 0)):  # noqa: S108  # mkdtemp goes on from here.
        if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= least_bytes:
            return folder
    return Path(tempfile.gettempdir())
