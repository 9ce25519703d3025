"""A backup of a spread database shows all nodes at one moment, and can be restored on nodes or on one server."""

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, inspect, text

from service.audit.log_audit import verify
from service.database.engines import administering, make_engine, reading
from service.database.spread import placement
from service.database.spread.spread_check import is_spread
from service.exchange import database_copy, spread_copy
from service.exchange.cannot_back_up import CannotBackUp
from service.transparency.sequencer import Sequencer
from tests import databases
from tests.audit.forging import CODEC
from tests.databases import Databases
from tests.play.tables import House, Table, legal_command, owner

pytestmark = [pytest.mark.spread, pytest.mark.parametrize("storage_kind", [databases.SPREAD])]


@pytest.mark.parametrize("place", [databases.SPREAD, pytest.param(databases.POSTGRESQL, marks=pytest.mark.full)])
def test_a_backup_is_restored_as_it_was_before_the_copy_while_writers_go_on(
    storage: Engine, place: str, tmp_path: Path, all_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, file = House(storage), tmp_path / "backup"
    tables = [Table(house, number).started() for number in range(1, 5)]
    while Sequencer(storage).round():
        pass
    with reading(storage) as connection:
        heads = database_copy.all_heads(connection)
    copy_out, played = spread_copy._copy_out, list[int]()

    def played_meanwhile(*arguments: Any) -> None:  # noqa: ANN401 -- as `_copy_out`
        if not played:
            played.extend(play_one(table) for table in tables)
        copy_out(*arguments)

    monkeypatch.setattr(spread_copy, "_copy_out", played_meanwhile)
    assert database_copy.back_up(storage, file) == heads
    assert len(played) == len(tables)
    with all_databases.empty(place) as url:
        restored = make_engine(url)
        database_copy.restore(restored, file)
        with reading(restored) as connection:
            assert is_spread(connection) == (place == databases.SPREAD)
            assert database_copy.all_heads(connection) == heads
            off = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A'"
            assert connection.scalar(text(off)) == 0
            assert place == databases.POSTGRESQL or placement.unplaced(connection) == ()
        assert verify(restored, house.log, CODEC).findings == ()
        restored.dispose()


def play_one(table: Table) -> int:
    seat, command = legal_command(table.table_at, random.Random(1))
    table.do(owner(seat), command)
    return table.table_at.position


def test_no_backup_is_made_while_a_transaction_is_not_finished(
    storage: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Table(House(storage))
    monkeypatch.setattr(spread_copy, "_LOCK_TIMEOUT", "10ms")
    with administering(storage) as connection:
        connection.execute(text("LOCK TABLE streams IN ROW EXCLUSIVE MODE"))
        with pytest.raises(CannotBackUp, match="held their locks"):
            database_copy.back_up(storage, tmp_path / "backup")
    monkeypatch.setattr(spread_copy, "_PREPARED", text("SELECT 1"))
    with pytest.raises(CannotBackUp, match="not finished"):
        database_copy.back_up(storage, tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []


def of_a_newer_release(file: Path) -> None:
    with zipfile.ZipFile(file) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    manifest = json.loads(parts["manifest.json"])
    parts["manifest.json"] = json.dumps(manifest | {"revision": "9999"}).encode()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in parts.items():
            made.writestr(name, content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def without_a_part(file: Path) -> None:
    shutil.copy(file, whole := file.with_suffix(".whole"))
    with zipfile.ZipFile(whole) as made, zipfile.ZipFile(file, "w") as left:
        for name in made.namelist()[1:]:
            left.writestr(name, made.read(name))


def changed(file: Path) -> None:
    with zipfile.ZipFile(file) as made:
        largest = max(made.infolist(), key=lambda one: one.compress_size)
    content = bytearray(file.read_bytes())
    content[largest.header_offset + 30 + len(largest.filename) + 20 + largest.compress_size // 2] ^= 1
    file.write_bytes(content)


def test_a_damaged_backup_and_one_of_a_newer_release_restore_nothing(
    storage: Engine, tmp_path: Path, all_databases: Databases
) -> None:
    Table(House(storage)).started()
    database_copy.back_up(storage, tmp_path / "backup")
    harms: dict[Callable[[Path], None], str] = {
        cut: "damaged or incomplete",
        changed: "damaged or incomplete",
        without_a_part: "damaged or incomplete",
        of_a_newer_release: "newer release",
    }
    with all_databases.empty(databases.POSTGRESQL) as url:
        target = make_engine(url)
        for harm, said in harms.items():
            shutil.copy(tmp_path / "backup", file := tmp_path / harm.__name__)
            harm(file)
            with pytest.raises(CannotBackUp, match=said):
                database_copy.restore(target, file)
            with reading(target) as connection:
                assert inspect(connection).get_table_names() == []
        target.dispose()
