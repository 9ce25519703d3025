"""Runs commands of a shell in forked processes; their parent has already imported most of Chiptrail.

Run as a program, this module is the parent: it listens on the socket that its argument names.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from service.cli import main
from service.cli.support import output
from tests.cli.commands import SCRIPT, environment
from tests.faults.servers import wait_until

_CLIENT: Final = """\
#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as asking:
    asking.connect({path!r})
    asked = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(asking, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit((asking.recv(1) or b"F")[0])
"""
_MOST_BYTES: Final = 2**16


@contextmanager
def forked_commands(folder: Path) -> Iterator[Path]:
    """Yield a script `chiptrail`; each run of it is a process of its own, which starts fast."""
    path, script = folder / "socket", folder / "chiptrail"
    script.write_text(_CLIENT.format(python=sys.executable, path=str(path)))
    script.chmod(0o755)
    with subprocess.Popen([sys.executable, "-m", __spec__.name, str(path)], env=environment()) as process:
        wait_until(path.exists)
        yield script
        process.kill()


def _listen(path: Path) -> None:
    assert output  # without this use, linters would remove the import, which loads libraries for all forks
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{path}.new")
        listener.listen()
        path.with_name(f"{path.name}.new").rename(path)
        signal.signal(signal.SIGCHLD, _reap)  # so that the commands' processor time counts as this process's
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                _run(connection)
            connection.close()


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _run(connection: socket.socket) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, descriptors, _, _ = socket.recv_fds(connection, _MOST_BYTES, 3)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    asked = json.loads(message)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [str(SCRIPT), *asked["arguments"]]
    code: object = 1
    try:
        main(prog_name="chiptrail")
    except SystemExit as exit_of_command:
        code = exit_of_command.code or 0
    except BaseException:  # noqa: BLE001 -- the process ends here
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([code if isinstance(code, int) else 1]))
    os._exit(0)


if __name__ == "__main__":
    _listen(Path(sys.argv[1]))
