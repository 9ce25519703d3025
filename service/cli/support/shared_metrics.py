"""Makes the folder of the files that a server's workers share, such as metrics; removes folders of killed servers."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"  # an environment variable of prometheus-client
_PREFIX: Final = "chiptrail-metrics-"
_LOCK: Final = "server.lock"


@contextmanager
def shared_metrics(processes: int) -> Iterator[Path | None]:
    """Let several processes share files, such as metrics, in a folder, which is removed when the `with` block ends.

    Yield the folder; None: there is only one process, and it needs no folder.

    A killed server can't remove its folder, so the next server of the same user removes it. The lock on a file in the
    folder shows whether the folder's server runs: the lock ends with the server.
    """
    _remove_folders_of_killed_servers(Path(tempfile.gettempdir()))
    if processes == 1:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix=f"new-{_PREFIX}"))
    lock = os.open(folder / _LOCK, os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        with suppress(OSError):  # On a file system without locks, no server removes another server's folder.
            fcntl.flock(lock, fcntl.LOCK_EX)
        # Other servers look for the new name, so they see the folder only after it is locked.
        folder = folder.rename(folder.with_name(folder.name.removeprefix("new-")))
        os.environ[_VARIABLE] = str(folder)  # for the workers; this process never imports prometheus-client
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_folders_of_killed_servers(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            continue  # Another process removed the folder, or no server made it.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # The folder's server runs.
        else:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
