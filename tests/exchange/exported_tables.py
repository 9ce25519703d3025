"""From one service to another: what is exported, who asks for it on both sides, and what a forger makes of it."""

from collections.abc import Iterable

import msgspec

from service.event_store import export_format
from service.event_store.codec import Codec
from service.event_store.leaf import leaf_hash
from service.exchange.importing import FailedImport, ImportedTable, Importer
from service.games import EVENTS
from tests.http.service import Person, Service, Table
from tests.http.streams import LINES

CODEC = Codec(EVENTS)


def exported(person: Person, table: Table) -> list[bytes]:
    """Return a line for each event of *table*, as *person* gets it."""
    data: bytes = person.get(f"{table.path}/events", Accept=LINES).data
    *lines, last = data.splitlines(keepends=True)
    end = export_format.parse_end(last)
    assert end
    assert (end.is_whole, end.leaves) == (True, len(lines))
    return lines


def import_tables(other: Service, lines: list[bytes]) -> tuple[ImportedTable, ...]:
    """Import *lines*, of which nothing may be left out.

    Raises:
        CannotBeTakenIn: why the first one was.
    """
    done = all_imported(other, lines)
    for one in done:
        if isinstance(one, FailedImport):
            raise one.why
    return tuple(one for one in done if isinstance(one, ImportedTable))


def all_imported(other: Service, lines: Iterable[bytes]) -> tuple[ImportedTable | FailedImport, ...]:
    parts = other.parts
    return tuple(Importer(parts.engine, parts.log, CODEC, parts.clock).import_tables(lines))


def same_people(table: Table, other: Service) -> list[tuple[Person, Person]]:
    """Return who asked there, each with somebody of the same owner here."""
    there = [table.host, *table.players.values()]
    here = [other.person("host"), *(other.person("play") for _ in table.players)]
    assert [one.owner for one in there] == [one.owner for one in here]
    return [*zip(there, here, strict=True), (table.service.spectator, other.spectator)]


def bare(table: Table) -> list[bytes]:
    class Item(msgspec.Struct):
        leaf: msgspec.Raw

    lines = exported(table.service.spectator, table)
    return [bytes(msgspec.json.decode(line, type=Item).leaf) + b"\n" for line in lines]


def forged(lines: list[bytes], old: bytes, new: bytes) -> list[bytes]:
    """Alter the first line that holds *old*, and bind the chain anew."""
    made: list[bytes] = []
    altered = False
    before = ""
    for line in lines:
        leaf = line.strip()
        if made:
            again = leaf_hash(made[-1]).hex()
            leaf = leaf.replace(before.encode(), again.encode(), 1)
        before = leaf_hash(line.strip()).hex()
        if not altered and old in leaf:
            leaf, altered = leaf.replace(old, new, 1), True
        made.append(leaf)
    assert altered
    return made
