"""The flags of `serve` and `doctor` for a server's settings; `flags.py` has the flags that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import click

from service.settings import LogLevel

F = TypeVar("F", bound=Callable[..., Any])

_FLAGS: Final = (
    click.option(
        "--first-key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The file for the first API key. Default: first-key.txt in the folder of --data.",
    ),
    click.option(
        "--log-vkey",
        metavar="VKEY",
        help="The public key of the log, if `chiptrail sign` signs its checkpoints on another machine. Default: none.",
    ),
    click.option("--log-level", type=click.Choice(get_args(LogLevel)), help="The lowest level to log. Default: info."),
    click.option("--host", metavar="ADDRESS", help="The address to listen on. Default: 127.0.0.1."),
    click.option("--port", type=int, help="The port to listen on. Default: 8000."),
    click.option(
        "--threads", type=int, help="How many requests each worker handles at the same time, at most. Default: 32."
    ),
    click.option("--waiting-places", type=int, help="The maximum number of long polls and streams. Default: 2000."),
    click.option(
        "--waiting-places-each",
        type=int,
        help="The maximum number of long polls and streams of one owner, of one address, or of one host with the "
        "owners that it made. Default: 500.",
    ),
    click.option("--connections", type=int, help="The maximum number of open connections. Default: 8000."),
    click.option(
        "--connections-per-address",
        type=int,
        help="The maximum number of open connections of one address; 0: no limit. Default: 500.",
    ),
    click.option(
        "--idle-seconds",
        type=int,
        help="Seconds after which a connection without a complete request head is closed. Default: 10.",
    ),
    click.option(
        "--body-seconds",
        type=int,
        help="Seconds after which a request whose body is not complete is refused. Default: 10.",
    ),
    click.option(
        "--owner-requests-per-second",
        type=int,
        help="The rate limit for all keys of one owner together; 0: no limit. Default: 100.",
    ),
    click.option(
        "--address-requests-per-second",
        type=int,
        help="The rate limit for requests without a valid key from one address; 0: no limit. Default: 50.",
    ),
    click.option(
        "--tables-per-owner",
        type=int,
        help="The maximum number of unfinished tables of one host; 0: no limit. Default: 1000.",
    ),
    click.option(
        "--seats-per-owner",
        type=int,
        help="The maximum number of seats of one player at unfinished tables; 0: no limit. Default: 1000.",
    ),
    click.option(
        "--keys-per-owner",
        type=int,
        help="The maximum number of valid keys that one host made; 0: no limit. Default: 1000.",
    ),
    click.option(
        "--proxies",
        type=int,
        help="The number of your proxies in front of the server; each adds an address to X-Forwarded-For. Default: 0.",
    ),
    click.option(
        "--cors-origins",
        metavar="ORIGINS",
        help="Origins of web pages that may use the API, such as https://a.example,https://b.example.",
    ),
    click.option(
        "--witnesses",
        metavar="VKEY=URL,…",
        help="Witnesses that are asked to cosign the newest checkpoint: the public key and the address of each.",
    ),
    click.option(
        "--metrics-host", metavar="ADDRESS", help="The address for metrics without a key. Default: 127.0.0.1."
    ),
    click.option("--metrics-port", type=int, help="The port for metrics without a key; 0: no such port. Default: 0."),
    click.option(
        "--drain-seconds",
        type=int,
        help="At a stop, the seconds from the moment when /readyz reports unready until the port closes. Default: 0.",
    ),
    click.option(
        "--grace-seconds",
        type=int,
        help="At a stop, the seconds that running requests have to finish after the port is closed. Default: 10.",
    ),
    click.option("--workers", type=click.IntRange(1, 64), help="The number of worker processes. Default: 2."),
)


def of_server(command: F) -> F:
    """Give *command* a flag for each setting of a server; apply `of_server` below `flags.with_settings`."""
    for option in reversed(_FLAGS):
        command = option(command)
    return command
