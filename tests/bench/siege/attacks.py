"""Attacks on a server. Each attack runs in its own process.

An attack replaces the connections that the server closes, except the streams that the attack does not read.
"""

import multiprocessing
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.synchronize import Event as Signal
from select import select
from threading import Thread
from typing import Final

from msgspec import Struct

_PROCESSES: Final = multiprocessing.get_context("spawn")
_SETTLE_SECONDS: Final = 30.0


class Target(Struct, frozen=True):
    """The server's *port*, a long *table*, its number of *hands*, and the attacker's valid *keys* and *ended* key."""

    port: int
    table: str
    hands: int
    keys: tuple[str, ...]
    ended: str


class Attack(Struct, frozen=True):
    """An attack by *many* connections; each repeats its requests and reads the responses if *floods* is True."""

    many: int
    sends: Callable[[Target, int], bytes]
    addresses: int = 1
    floods: bool = False


def _head(path: str, key: str, *headers: str, method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", *headers]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    return "\r\n".join([*lines, "", ""]).encode()


def _half(key: str) -> bytes:
    body = ("Content-Type: application/json", "Content-Length: 1000", "Idempotency-Key: half")
    return _head("/v1/tables", key, *body, method="POST")


def _nothing(_: Target, __: int) -> bytes:
    return b""


def _half_head(_: Target, __: int) -> bytes:
    return b"GET /v1/games HTTP/1.1\r\nHost: "


def _half_body(target: Target, number: int) -> bytes:
    return _half((target.keys[0], target.ended)[number % 2])


def _half_body_of_two(target: Target, number: int) -> bytes:
    return _half(target.keys[number % 2])


def _page(target: Target, _: int) -> bytes:
    return 50 * _head(f"/v1/tables/{target.table}/events?limit=1000", target.keys[0])


def _postings(target: Target, _: int) -> bytes:
    return 50 * _head(f"/v1/tables/{target.table}/accounts/stack:1/postings?limit=1000", target.keys[0])


def _judgement(target: Target, number: int) -> bytes:
    hand = number % target.hands + 1
    return 50 * _head(f"/v1/tables/{target.table}/hands/{hand}/adjudication", target.keys[0])


def _unread(target: Target, number: int) -> bytes:
    return _head(f"/v1/tables/{target.table}/events", target.keys[number % 2], "Accept: application/x-ndjson")


def _export(target: Target, _: int) -> bytes:
    return 50 * _head(f"/v1/tables/{target.table}/events", target.keys[0], "Accept: application/x-ndjson")


ATTACKS: Final = {
    "idle connections": Attack(1_500, _nothing),
    "half-sent heads": Attack(1_500, _half_head),
    "half-sent bodies, a valid and an ended key": Attack(64, _half_body, addresses=2),
    "half-sent bodies, two players": Attack(76, _half_body_of_two, addresses=2),
    "unread streams, two players": Attack(200, _unread, addresses=2),
    "pipelined pages": Attack(8, _page, floods=True),
    "pipelined postings": Attack(8, _postings, floods=True),
    "pipelined adjudications": Attack(8, _judgement, floods=True),
    "pipelined exports": Attack(8, _export, floods=True),
}


@contextmanager
def under(name: str, target: Target) -> Iterator[None]:
    """Run the attack *name* during the block; the block begins once the attack has begun.

    Raises:
        TimeoutError: the attack has not begun in time, so nothing measured now would show its effect.
    """
    begun, over = _PROCESSES.Event(), _PROCESSES.Event()
    attacker = _PROCESSES.Process(target=_attack, args=(name, target, begun, over), daemon=True)
    attacker.start()
    try:
        if not begun.wait(_SETTLE_SECONDS):
            raise TimeoutError(f"the attack {name!r} has not begun after {_SETTLE_SECONDS:g} seconds")
        yield
    finally:
        over.set()
        attacker.join(_SETTLE_SECONDS if begun.is_set() else 0)
        if attacker.is_alive():
            attacker.kill()
            attacker.join()


def _attack(name: str, target: Target, begun: Signal, over: Signal) -> None:
    attack = ATTACKS[name]
    if attack.floods:
        floods = [Thread(target=_flood, args=(attack, target, one, over), daemon=True) for one in range(attack.many)]
        for flood in floods:
            flood.start()
        begun.set()
        over.wait()
        return
    with ExitStack() as stack:
        held = [_connected(attack, target, number) for number in range(attack.many)]
        begun.set()
        while not over.wait(0.5):
            for number in _closed(held) if attack.sends is not _unread else ():
                held[number].close()
                held[number] = _connected(attack, target, number)
        for one in held:
            stack.enter_context(one)


def _connected(attack: Attack, target: Target, number: int) -> socket.socket:
    address = f"127.0.0.{2 + number % attack.addresses}"
    while True:
        with suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", target.port), 5, source_address=(address, 0))
            connection.sendall(attack.sends(target, number))
            return connection


def _closed(held: Sequence[socket.socket]) -> list[int]:
    """Return the indexes of the connections that the server has answered or closed: these no longer attack."""
    found = []
    for begin in range(0, len(held), 500):
        some = held[begin : begin + 500]
        with suppress(ValueError):  # a descriptor is too high for select: these connections are skipped
            ready = set(select(some, [], [], 0)[0])
            found += [begin + place for place, one in enumerate(some) if one in ready]
    return found


def _flood(attack: Attack, target: Target, number: int, over: Signal) -> None:
    while not over.is_set():
        with suppress(OSError), _connected(attack, target, number) as connection:
            while not over.is_set():
                connection.sendall(attack.sends(target, number))
                connection.settimeout(0.5)
                with suppress(TimeoutError):
                    while connection.recv(1 << 20):
                        pass
