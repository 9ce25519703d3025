"""Exports of tables for the tests of imports: exported lines, forged lines, and the same people at two services."""

from collections.abc import Iterable

import msgspec

from service.event_store import export_format
from service.event_store.codec import Codec
from service.event_store.leaf import leaf_hash
from service.exchange.import_batches import Logs
from service.exchange.importing import FailedImport, ImportedTable, Importer
from service.exchange.importing_disputes import ImportedDisputes
from service.games import EVENTS
from tests.http.service import Person, Service, Table
from tests.http.streams import LINES

CODEC = Codec(EVENTS)


def exported(person: Person, table: Table) -> list[bytes]:
    """Return the export of *table* for *person*: one line for each event, without the last line of the export."""
    data: bytes = person.get(f"{table.path}/events", Accept=LINES).data
    *lines, last = data.splitlines(keepends=True)
    end = export_format.parse_end(last)
    assert end
    assert (end.is_whole, end.leaves) == (True, len(lines))
    return lines


def import_tables(other: Service, lines: list[bytes]) -> tuple[ImportedTable, ...]:
    """Import *lines*; every table must be imported.

    Raises:
        CannotImport: a table was not imported; this is the first such error.
    """
    done = all_imported(other, lines)
    for one in done:
        if isinstance(one, FailedImport):
            raise one.why
    return tuple(one for one in done if isinstance(one, ImportedTable))


def all_imported(other: Service, lines: Iterable[bytes]) -> tuple[ImportedTable | FailedImport, ...]:
    parts = other.parts
    importer = Importer(parts.engine, Logs(parts.log, parts.service_log), CODEC, parts.clock)
    return tuple(one for one in importer.import_tables(lines) if not isinstance(one, ImportedDisputes))


def same_people(table: Table, other: Service) -> list[tuple[Person, Person]]:
    """Return pairs of clients: one of the exporting service, and one of *other* with the same owner id."""
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
    """Replace *old* by *new* in the first line that has *old*, and recompute the hash chain."""
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
