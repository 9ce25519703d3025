"""Removes the leftovers of a killed soak: its server, its commands, and the folders that no later run needs."""

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.cli.commands import SCRIPT
from tests.faults.servers import session, wait_until

ASIDE: Final = "aside-"  # the names of the folders that only one incident needs begin with this
PLACE: Final = "place-"


def remove_leftovers(folder: Path, place: int) -> None:
    """Kill the commands that use *folder*; remove the folders of incidents there, and of all places except *place*."""
    for pid in _commands_in(folder):
        for one in session(pid) or [pid]:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
    wait_until(lambda: not _commands_in(folder))
    for left in (*folder.glob(f"{ASIDE}*"), *folder.glob(f"{PLACE}*")):
        if left.name != f"{PLACE}{place}":
            shutil.rmtree(left)


def _commands_in(folder: Path) -> list[int]:
    """Return the ids of the processes of Chiptrail's commands that have a path in *folder* among their arguments."""
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and _is_command_in(one, folder)]


def _is_command_in(process: Path, folder: Path) -> bool:
    try:
        words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:  # the process has ended
        return False
    return any(Path(word).name == SCRIPT.name for word in words) and any(f"{folder}/" in word for word in words)
