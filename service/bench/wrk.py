"""Runs the load generator wrk at several tables at the same time, with one connection for each table."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from service.bench.loads import Move

SCRIPT: Final = Path(__file__).with_name("table.lua")
_PATIENCE_SECONDS: Final = 30
"""wrk counts a response that takes longer as lost. The default of wrk, two seconds, is too short for a burst."""


class NoWrk(Exception):
    """The load generator wrk is not installed."""


class WrkFailed(Exception):
    """The load generator wrk ended without figures; the message has its output."""


class Player(Struct, frozen=True):
    """The work of one connection: the *requests* of a cycle, each as the parts before and after the Idempotency-Key.

    *key* is the prefix of the connection's Idempotency-Keys; *made* is the number of moves made in earlier runs.
    """

    requests: tuple[tuple[str, str], ...]
    key: str
    made: int = 0


class Load(Struct, frozen=True):
    """The results of a run of wrk: times and counts.

    *made* has the number of moves at each table, including the moves of earlier runs. *broken* is the number of
    connection errors, and of requests that got no response. *refusals* has the first refusal at each table that had
    one; a refusal ends play at its table.
    """

    microseconds: int
    p50_us: int
    p99_us: int
    broken: int
    made: tuple[int, ...]
    refusals: tuple[str, ...]
    cpu_seconds: float = 0.0
    """The processor seconds of wrk itself."""


def program() -> str:
    """Return the path of wrk.

    Raises:
        NoWrk: wrk is not installed.
    """
    found = shutil.which("wrk")
    if found is None:
        raise NoWrk("the load generator wrk is not installed; on Debian and Ubuntu: apt install wrk")
    return found


def request(move: Move, path: str, host: str, key: str) -> tuple[str, str]:
    """Return *move* as an HTTP request with the API *key*: the parts before and after the Idempotency-Key."""
    body = msgspec.json.encode(move.body).decode()
    before = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nAccept: application/json\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nIdempotency-Key: "
    )
    return before, f"\r\n\r\n{body}"


def run(url: str, players: Sequence[Player], seconds: int, folder: Path) -> Load:
    """Play for *seconds*; each of *players* has its own connection and thread.

    Raises:
        NoWrk: wrk is not installed.
        WrkFailed: wrk ended without figures.
    """
    plan = folder / "plan-"
    for place, player in enumerate(players, start=1):
        (folder / f"plan-{place}.lua").write_text(to_lua(player))
    number = str(len(players))
    limits = ["-t", number, "-c", number, "-d", f"{seconds}s", "--timeout", f"{_PATIENCE_SECONDS}s"]
    command = [program(), *limits, "-s", str(SCRIPT), url, "--", str(plan)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:  # noqa: S603  # the arguments are ours
        assert wrk.stdout is not None  # noqa: S101  # mypy needs this assertion
        output = wrk.stdout.read()
        _, status, used = os.wait4(wrk.pid, 0)
        wrk.returncode = os.waitstatus_to_exitcode(status)
    return parse(output, used.ru_utime + used.ru_stime)


def parse(output: str, cpu_seconds: float = 0.0) -> Load:
    """Return the results of wrk from *output*: the last line with a JSON object, which the script prints.

    Raises:
        WrkFailed: *output* has no such line.
    """
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            return msgspec.structs.replace(msgspec.json.decode(line, type=Load), cpu_seconds=cpu_seconds)
    raise WrkFailed(f"wrk ended without figures: {output.strip()[-500:]}")


def to_lua(player: Player) -> str:
    """Return the source of a Lua chunk that returns *player*."""
    moves = ",".join(f"{{{_text(before)},{_text(after)}}}" for before, after in player.requests)
    return f"return {{made={player.made},key={_text(player.key)},moves={{{moves}}}}}\n"


def _text(text: str) -> str:
    """Return the ASCII *text* as a Lua string literal."""
    escapes = {"\\": "\\\\", '"': '\\"', "\r": "\\r", "\n": "\\n"}
    return f'"{"".join(escapes.get(sign, sign) for sign in text)}"'
