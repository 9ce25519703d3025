"""The PostgreSQL servers of a test run: one for each installation, started by the first test that needs it."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from service.bench.postgres import Installation, installations, is_alive, start, stop, stop_all, url_of

SHARED_FOLDER = "CHIPTRAIL_TEST_FOLDER"  # the folder that all workers of a run share
GIVEN_SERVER = "CHIPTRAIL_TEST_POSTGRES"  # the URL of a server to use instead of starting one
_PREFIX = "chiptrail-tests-"

__all__ = ["Installation", "installations", "start", "stop", "url_of"]


def given_server() -> str:
    """Return the URL of the server that the user chose for the tests; "" if there is none."""
    return os.environ.get(GIVEN_SERVER, "")


def make_shared_folder() -> Path:
    """Make the folder of this run, where its database servers are, and remove the folders of killed runs."""
    top = _roomy_folder()
    for folder in top.glob(f"{_PREFIX}*"):
        owner = folder / "owner"
        if folder.stat().st_uid == os.geteuid() and owner.exists() and not is_alive(int(owner.read_text())):
            with suppress(OSError, subprocess.CalledProcessError):  # another run is removing the folder
                remove_shared_folder(folder)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=top))
    folder.chmod(0o711)  # the user `nobody` must reach its own folder inside this folder
    (folder / "owner").write_text(str(os.getpid()))
    return folder


def remove_shared_folder(folder: Path) -> None:
    """Stop all servers in *folder*, and remove the folder."""
    stop_all(folder)
    shutil.rmtree(folder)


def shared_server(installation: Installation, folder: Path) -> str:
    """Return the URL of the run's server of *installation*; the first call starts the server."""
    home = folder / str(installation.major)
    with locked(folder / "lock"):
        if not (home / "programs").exists():
            start(installation, home)
    return url_of(home)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file *path* during the block."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _roomy_folder() -> Path:
    """Return a folder in memory, where a sync costs nothing, or else a folder with a path short enough for sockets."""
    for folder, least_bytes in ((Path("/dev/shm"), 2**30), (Path("/tmp"), 0)):  # noqa: S108  # mkdtemp makes ours here.
        if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= least_bytes:
            return folder
    return Path(tempfile.gettempdir())
