"""Removes what a killed soak left: its server and commands, and folders that only it needed."""

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.cli.commands import SCRIPT
from tests.faults.servers import session, wait_until

ASIDE: Final = "aside-"  # begins the names of folders of one incident
PLACE: Final = "place-"


def remove_leftovers(folder: Path, place: int) -> None:
    """End all that runs in *folder*, and remove from it all that an incident left; *place* stays."""
    for pid in _commands_in(folder):
        for one in session(pid) or [pid]:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
    wait_until(lambda: not _commands_in(folder))
    for left in (*folder.glob(f"{ASIDE}*"), *folder.glob(f"{PLACE}*")):
        if left.name != f"{PLACE}{place}":
            shutil.rmtree(left)


def _commands_in(folder: Path) -> list[int]:
    """Return the processes of Chiptrail's commands with a path in *folder* among their arguments."""
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and _is_command_in(one, folder)]


def _is_command_in(process: Path, folder: Path) -> bool:
    try:
        words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:  # the process has ended
        return False
    return any(Path(word).name == SCRIPT.name for word in words) and any(f"{folder}/" in word for word in words)
