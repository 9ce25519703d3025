"""service.ndjson has the leaves of the service's own stream that concern the dossier, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.database.engines import administering
from service.dossier import archive
from service.service_log.service_events import (
    LogOpened,
    ReleaseChanged,
    ServiceEvent,
    SigningKeyChanged,
    TableImported,
    ValueErasedAt,
)
from tests.databases import Databases
from tests.dossier.made import World, dossier, files_of, must_be_refused, must_pass, refusals, start
from tests.http.service import Service, Table, running

AT = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def own(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield a new service, which no other test uses."""
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as made:
        yield made


def append(service: Service, *events: ServiceEvent) -> None:
    with administering(service.parts.engine) as connection:
        service.parts.service_log.append(connection, events)


def leaves(data: bytes) -> list[dict[str, Any]]:
    lines = files_of(data).get(archive.SERVICE, b"").splitlines()
    return [json.loads(line)["leaf"] for line in lines]


def kinds(data: bytes) -> list[str]:
    return [leaf["type"] for leaf in leaves(data)]


def opened(service: Service, origin: str) -> LogOpened:
    key = service.parts.log_key
    return LogOpened(origin=origin, log_key=str(key), receipt_key="a" * 64, release="1.0")


def dossier_of(table: Table) -> bytes:
    table.service.keep_log()
    data = dossier(table.service.spectator, table.path)
    must_pass(data)
    return data


def test_a_dossier_names_the_keys_and_releases_of_the_log_and_no_api_key(world: World) -> None:
    for played in world.played:
        for data in played.dossiers.values():
            assert kinds(data) == ["log_opened", "release_changed", "release_changed"]
            assert b"key_made" not in data.partition(b"verify.py")[0]
    data = world.played[0].dossiers["hand 1 for seat 1"]
    assert leaves(data)[0]["pub"]["log_key"] == str(world.service.parts.log_key)
    last = leaves(data)[-1]["position"]
    assert f"release changed (position {last})" in files_of(data)[archive.README].decode()


def test_the_log_has_keys_and_other_tables_that_a_dossier_lacks(own: Service) -> None:
    start(own)
    table, other = Table(own).started(), Table(own).started()
    for one in (table, other):
        append(own, TableImported(table=one.id, position=3, leaf_hash="0" * 64, imported_at=AT))
        append(own, ValueErasedAt(table=one.id, position=3, field="bid", ground="request"))
    append(own, SigningKeyChanged(receipt_key="b" * 64), ReleaseChanged(release="2.0"))
    data = dossier_of(table)
    assert kinds(data) == ["log_opened", "table_imported", "value_erased_at", "signing_key_changed", "release_changed"]
    assert {leaf["pub"]["table"] for leaf in leaves(data) if "table" in leaf["pub"]} == {table.id}
    assert own.service_events() > len(leaves(data)) + 2, "the stream has API keys, too"


def test_only_the_newest_opening_of_this_log_counts(own: Service) -> None:
    start(own)
    start(own, "2.0")
    table = Table(own).started()
    append(own, opened(own, "other.example/log"), ReleaseChanged(release="3.0"))
    assert kinds(dossier_of(table)) == ["log_opened", "release_changed", "release_changed"]
    append(own, opened(own, own.parts.log_key.name), ReleaseChanged(release="4.0"))
    data = dossier_of(table)
    assert kinds(data) == ["log_opened", "release_changed"]
    assert leaves(data)[1]["pub"] == {"release": "4.0"}


def test_a_leaf_that_no_checkpoint_covers_is_not_in_the_file(own: Service) -> None:
    start(own)
    table = Table(own).started()
    before = dossier_of(table)
    append(own, ReleaseChanged(release="2.0"))
    assert dossier(own.spectator, table.path) == before
    assert kinds(dossier_of(table)) == ["log_opened", "release_changed"]


def test_without_a_start_of_a_server_the_dossier_lacks_this_file(own: Service) -> None:
    data = dossier_of(Table(own).started())
    assert archive.SERVICE not in files_of(data)
    assert b"in service.ndjson: nothing" in files_of(data)[archive.README]


def test_no_line_can_be_removed_alone(world: World) -> None:
    data = world.played[0].dossiers["hand 1 for seat 1"]
    files = files_of(data)
    lines = files[archive.SERVICE].splitlines(keepends=True)
    for number in range(len(lines)):
        without = archive.packed({**files, archive.SERVICE: b"".join(lines[:number] + lines[number + 1 :])})
        assert [place.partition(",")[0] for place in refusals(without)] == [archive.README] * 2
    must_be_refused(archive.packed({name: file for name, file in files.items() if name != archive.SERVICE}))
