"""`chiptrail export --openings` writes all data that an audit needs to decide every decision again, and no more."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service import __version__
from service.database.engines import migrating
from service.event_store import export_format, hash_chain
from service.event_store.export_format import Begin, BrokenStream
from tests.cli.commands import Instance, leaves_of
from tests.cli.played import Originals, play_to
from tests.damage import damage, lose_head
from tests.exchange.exported_tables import exported
from tests.http.service import Service, Table, running
from tests.play.hearts import ALL_RULES, over

Exported = tuple[Instance, dict[str, str]]


def _played(service: Service) -> dict[str, str]:
    """Play a table of Insurance Hearts to its end, and a second table until two passes are chosen.

    Return for each table the events as a spectator gets them.
    """
    options: dict[str, Any] = {**ALL_RULES, "target": 1}
    tables = [Table(service, 4, game="insurance_hearts", **options).started() for _ in range(2)]
    play_to(service, tables[0], over, 5)
    play_to(service, tables[1], lambda state: len(state.passes_in) == 2, 5)
    return {table.id: b"".join(exported(service.spectator, table)).decode() for table in tables}


@pytest.fixture
def instance_with_tables(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Exported]:
    """Yield an instance, and for each of its tables the events as a spectator gets them."""
    with originals.copied(kind, _played, tmp_path / "data") as played:
        yield played.instance, played.known


@pytest.mark.walk
def test_each_line_is_the_same_as_the_events_endpoint_returns_to_a_spectator(
    instance_with_tables: Exported,
) -> None:
    instance, lines = instance_with_tables
    said = instance.run("export", "--openings")
    assert (said.code, said.err) == (0, "")
    assert leaves_of(said.out) == "".join(lines[table] for table in sorted(lines))
    for table, of_table in lines.items():
        assert leaves_of(instance.run("export", "--openings", "--table", table).out) == of_table
    bare = instance.run("export")
    assert '"value"' not in bare.out
    assert '"value"' in said.out


def test_an_import_with_openings_is_clean_and_an_import_without_openings_names_the_missing_openings(
    instance_with_tables: Exported, tmp_path: Path
) -> None:
    instance, lines = instance_with_tables
    whole, live = lines
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    file = tmp_path / "tables.ndjson"
    said: list[dict[str, str]] = []
    for flags in ((), ("--openings",)):
        file.write_text(instance.run("export", *flags).out)
        done = there.run("import", str(file))
        assert (done.code, done.err) == (0, "")
        said.append({line.split()[0]: line for line in done.out.splitlines()})
    assert "undecidable: imported, read-only; the file lacks the openings of 16 sealed fields" in said[0][whole]
    assert said[0][whole].endswith("import the output of `chiptrail export --openings`")
    assert said[1][whole].endswith("clean: no new events")
    assert "pending" in said[1][live]
    assert there.run("verify").code == 0
    again, whole_export = (one.run("export", "--openings").out for one in (there, instance))
    assert leaves_of(again) == leaves_of(whole_export)


@pytest.mark.parametrize(
    ("change", "values"),
    [
        pytest.param("UPDATE sealed SET ciphertext = :other WHERE field = 'bid'", {"other": bytes(64)}, id="altered"),
        pytest.param("DELETE FROM sealed WHERE field = 'bid'", {}, id="removed"),
    ],
)
def test_a_table_with_an_altered_or_missing_open_field_is_not_exported_whole(
    instance_with_tables: Exported, change: str, values: dict[str, Any]
) -> None:
    instance, _ = instance_with_tables
    with running(instance.data, instance.database) as service, migrating(service.parts.engine) as connection:
        if connection.dialect.name == "sqlite":
            for verb in ("update", "delete"):
                connection.execute(text(f"DROP TRIGGER sealed_only_grows_{verb}"))
        else:
            connection.execute(text("ALTER TABLE sealed DISABLE TRIGGER USER"))
        connection.execute(text(change), values)
    said = instance.run("export", "--openings")
    assert said.code == 3
    assert hash_chain.SEALED_VALUE_LOST in said.err
    *lines, last = said.out.splitlines()
    end = export_format.parse_end(last.encode())
    assert end
    (broken,) = end.broken  # the other table has no opened bid
    assert (end.is_whole, end.streams, end.leaves) == (False, 2, len(lines) - 1)
    assert broken.position in [one.position + 1 for one in end.heads if one.stream == broken.stream]
    assert instance.run("export").code == 0


def test_the_first_and_the_last_line_describe_the_file(instance_with_tables: Exported) -> None:
    instance, lines = instance_with_tables
    forms: tuple[export_format.Lines, ...] = ("leaves", "openings")
    for form, flags in zip(forms, ((), ("--openings",)), strict=True):
        first, *between, last = instance.run("export", *flags).out.encode().splitlines()
        origin = json.loads(instance.run("log", "key", "--json").out)["origin"]
        assert export_format.parse_begin(first) == Begin(
            release=__version__, viewer="spectator", lines=form, origin=origin
        )
        end = export_format.parse_end(last)
        assert end
        assert (end.is_whole, end.streams, end.leaves, end.broken) == (True, 2, len(between), ())
        assert [one.stream for one in end.heads] == [f"table/{table}" for table in sorted(lines)]
        for head in end.heads:
            last_event = json.loads(lines[head.stream.removeprefix("table/")].splitlines()[-1])
            assert (head.position, head.leaf_hash) == (last_event["leaf"]["position"], last_event["hash"])


@pytest.mark.parametrize("flags", [(), ("--openings",)])
def test_a_damaged_table_is_named_and_does_not_stop_the_others(
    instance_with_tables: Exported, flags: tuple[str, ...]
) -> None:
    instance, lines = instance_with_tables
    before = instance.run("export", *flags).out.splitlines()
    first, second = sorted(lines)
    with running(instance.data, instance.database) as service:
        damage(service, first, 7)
    said = instance.run("export", *flags)
    assert said.code == 3
    assert f"table/{first} at position 7" in said.err
    assert '"event":"log_damaged"' in said.err
    *written, last = said.out.splitlines()
    whole = len(lines[first].splitlines())
    assert written == [*before[:7], *before[1 + whole : -1]]  # the first line, six leaves, and the whole other table
    end = export_format.parse_end(last.encode())
    assert end
    assert (end.is_whole, end.streams) == (False, 2)
    assert [(one.stream, one.position) for one in end.heads] == [
        (f"table/{first}", 6),
        (f"table/{second}", len(lines[second].splitlines())),
    ]
    assert end.broken == (BrokenStream(f"table/{first}", 7, hash_chain.HASH_MISMATCH),)


def test_a_table_that_has_lost_its_head_is_named(instance_with_tables: Exported) -> None:
    instance, lines = instance_with_tables
    first, second = sorted(lines)
    with running(instance.data, instance.database) as service:
        lose_head(service, first)
    for arguments, streams in (((), 2), (("--table", first), 1)):
        said = instance.run("export", *arguments)
        assert said.code == 3
        end = export_format.parse_end(said.out.splitlines()[-1].encode())
        assert end
        assert (end.streams, [one.stream for one in end.heads]) == (streams, [f"table/{second}"][: streams - 1])
        assert end.broken == (BrokenStream(f"table/{first}", 1, "the stream has events and no head"),)
