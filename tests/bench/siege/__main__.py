"""`python -m tests.bench.siege` measures requests of other clients before, during and after each attack, on SQLite."""

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from itertools import cycle
from statistics import median, quantiles
from threading import Event
from typing import Final

import click
import msgspec
from msgspec import Struct
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.bench import databases, filling, machine, serving
from service.bench.databases import SQLITE, TemporaryDatabases
from service.bench.serving import Served
from service.client.client import Client
from service.client.endpoints import Api
from service.entropy import Entropy
from tests.bench.siege import attacks
from tests.bench.siege.attacks import ATTACKS, Target

OUT = Console()

_EVENTS: Final = 5_000
_PROBERS: Final = 10  # each prober has a key of another owner, so that no rate limit refuses the requests
_PAUSE_SECONDS: Final = 0.01


class Noticed(Struct, frozen=True):
    """The requests of other clients: the seconds that each request took, and the number of *failed* requests."""

    taken: tuple[float, ...]
    failed: int

    @property
    def p50_ms(self) -> float:
        """The median duration of a request, in milliseconds."""
        return 1000 * median(self.taken)

    @property
    def p99_ms(self) -> float:
        """The 99th percentile of the durations, in milliseconds."""
        return 1000 * quantiles((*self.taken, *self.taken), n=100)[-1]  # doubled: `quantiles` needs two values


@click.command()
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="The seconds of each of the three measurements.",
)
@click.option("--attack", "names", multiple=True, type=click.Choice(list(ATTACKS)), help="Start only this attack.")
def main(seconds: int, names: tuple[str, ...]) -> None:
    """Measure requests of other clients, each on a new connection, before, during and after each attack."""
    clock = Entropy()
    with databases.folder() as home, TemporaryDatabases(home, "", clock) as temporary, temporary.create(SQLITE) as url:
        OUT.print(f"[dim]{machine.describe(home, clock)['processor']}[/]")
        with databases.opened(url) as engine:
            filling.fill(engine, _EVENTS)
        with serving.server(url, home / "served", clock, limited=True) as server:
            target, keys = _prepared(server, clock)
            table = Table("attack", "p50 ms", "p99 ms", "failed", "p50 ratio", "p99 ratio", box=SIMPLE_HEAD)
            for name in names or ATTACKS:
                table.add_row(name, *_row(_besieged(name, server, target, keys, seconds, clock)))
                OUT.print(f"[dim]{name}: done[/]")
            OUT.print(table)


def _prepared(server: Served, clock: Entropy) -> tuple[Target, list[str]]:
    host = Api(Client(server.url, server.first_key, clock))
    with closing(host.client):
        keys = [host.make_key("play", "host", label="somebody").token for _ in range(_PROBERS + 2)]
        ended = host.make_key("play", label="ended").token
        tables = host.client.get("/v1/tables", dict[str, msgspec.Raw])
        table = msgspec.json.decode(tables["items"], type=list[dict[str, object]])[0]["table"]
        hands = host.client.get(f"/v1/tables/{table}/hands?limit=1000", dict[str, msgspec.Raw])
        many = len(msgspec.json.decode(hands["items"], type=list[object])) - 1
    name = f"key_{ended.split('_')[1]}"
    with closing(HTTPConnection(server.authority)) as connection:
        connection.request("DELETE", f"/v1/keys/{name}", headers={"Authorization": f"Bearer {server.first_key}"})
        connection.getresponse().read()
    port = int(server.authority.rpartition(":")[2])
    return Target(port, str(table), many, tuple(keys[:2]), ended), keys[2:]


def _besieged(
    name: str, server: Served, target: Target, keys: list[str], seconds: int, clock: Entropy
) -> Iterator[Noticed]:
    yield _noticed(server, target, keys, seconds, clock)
    with attacks.under(name, target):
        yield _noticed(server, target, keys, seconds, clock)
    yield _noticed(server, target, keys, seconds, clock)


def _noticed(server: Served, target: Target, keys: list[str], seconds: int, clock: Entropy) -> Noticed:
    """Read a table and open a table in turn, each on a new connection; return the measurements."""
    taken, failed = [], 0
    asked = cycle([("GET", f"/v1/tables/{target.table}"), ("POST", "/v1/tables")])
    end = clock.monotonic() + seconds
    for (method, path), key in zip(asked, cycle(keys), strict=False):
        if clock.monotonic() >= end:
            break
        begun = clock.monotonic()
        try:
            status = _ask(server, method, path, {"Authorization": f"Bearer {key}"}, clock)
        except OSError:
            status = 0
        failed += status not in {200, 201}
        taken.append(clock.monotonic() - begun)
        Event().wait(_PAUSE_SECONDS)
    return Noticed(tuple(taken), failed)


def _ask(server: Served, method: str, path: str, headers: dict[str, str], clock: Entropy) -> int:
    with closing(HTTPConnection(server.authority, timeout=10)) as connection:
        if method == "POST":
            headers |= {"Content-Type": "application/json", "Idempotency-Key": clock.new_id("try")}
        connection.request(method, path, '{"game":"bankrupt"}' if method == "POST" else None, headers)
        response = connection.getresponse()
        response.read()
        return response.status


def _row(found: Iterator[Noticed]) -> tuple[str, ...]:
    before, during, after = found
    usual50, usual99 = (
        (one + other) / 2 for one, other in ((before.p50_ms, after.p50_ms), (before.p99_ms, after.p99_ms))
    )
    looks = (before, during, after)
    return (
        ", ".join(f"{one.p50_ms:.1f}" for one in looks),
        ", ".join(f"{one.p99_ms:.1f}" for one in looks),
        ", ".join(f"{one.failed} of {len(one.taken)}" for one in looks),
        f"{during.p50_ms / usual50:.2f}",
        f"{during.p99_ms / usual99:.2f}",
    )


if __name__ == "__main__":
    main(prog_name="python -m tests.bench.siege")
