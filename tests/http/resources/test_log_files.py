"""The files of the log as a whole: its keys, the newest checkpoint, tiles and entry bundles."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from service import merkle
from service.canonical import canonical
from service.event_store.entries import EMPTY
from service.secrets import receipts
from service.secrets.receipts import Receipt
from service.transparency import checkpoint, signed_note, tiles
from service.transparency.checkpoint import Checkpoint
from service.transparency.tiles import Tile
from tests.damage import DROP, damage
from tests.databases import Databases
from tests.event_store.streams import append, asked, make_log, new_stream
from tests.http.service import Person, Service, Table, accepted, refused, running

TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"
FOR_EVER = "public, max-age=3600"


class Large(NamedTuple):
    """A service, an auditor there, and the newest checkpoint; the log of the fixture `large` has several tiles."""

    service: Service
    auditor: Person
    checkpoint: Checkpoint


@pytest.fixture(scope="module")
def large(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("large"), url) as made:
        engine, log = made.parts.engine, make_log()
        Table(made)
        append(engine, log, new_stream(engine, log), EMPTY, asked("a", answers=600))
        Table(made, visibility="private")
        made.keep_log()
        yield Large(made, made.person("audit"), newest(made))


def newest(service: Service) -> Checkpoint:
    """Return the newest checkpoint, after a check of its signature with the key that the service shows."""
    key = signed_note.parse_key(accepted(service.spectator.get("/v1/log/key")).json["log_key"])
    return checkpoint.opened(accepted(service.spectator.get("/v1/log/checkpoint")).data, key)[0]


def get_tile(large: Large, tile: Tile) -> list[bytes]:
    return tiles.split(accepted(large.service.spectator.get(f"/v1/log/tile/{tile.path}")).data)


def get_entries(large: Large, tile: Tile) -> list[bytes]:
    data = accepted(large.auditor.get(f"/v1/log/tile/entries/{tile.path.removeprefix('0/')}")).data
    leaves = []
    while data:
        length = int.from_bytes(data[:2], "big")
        leaves.append(data[2 : 2 + length])
        assert len(leaves[-1]) == length
        data = data[2 + length :]
    return leaves


def tiles_of(level: int, size: int) -> list[Tile]:
    """Return the tiles of a *level* of the tree with *size* leaves, as C2SP tlog-tiles lists them."""
    full, rest = divmod(size >> tiles.HEIGHT * level, tiles.WIDTH)
    return [Tile(level, number) for number in range(full)] + ([Tile(level, full, rest)] if rest else [])


def test_the_keys_check_checkpoints_and_receipts(quick_service: Service) -> None:
    table = Table(quick_service)
    done = accepted(table.players[1].post(f"{table.path}/seats", {"chips": 12}), 201).json
    quick_service.keep_log()
    keys = accepted(quick_service.spectator.get("/v1/log/key")).json
    assert keys.keys() == {"origin", "log_key", "receipt_key"}
    assert newest(quick_service).origin == keys["origin"] == signed_note.parse_key(keys["log_key"]).name
    assert receipts.verify(Receipt(**done["receipt"]), keys["receipt_key"])
    altered = {**done["receipt"], "position": done["receipt"]["position"] + 1}
    assert not receipts.verify(Receipt(**altered), keys["receipt_key"])


def test_there_is_no_checkpoint_before_the_first(quick_service: Service) -> None:
    answer = quick_service.spectator.get("/v1/log/checkpoint")
    refused(answer, 404, "checkpoint_must_exist")
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.walk
def test_the_newest_checkpoint_is_shown_unchanged(service: Service) -> None:
    Table(service)
    notes = [service.keep_log()]
    Table(service)
    notes.append(service.keep_log())
    answer = accepted(service.spectator.get("/v1/log/checkpoint"))
    assert answer.get_data(as_text=True) == notes[1] != notes[0]
    assert (answer.content_type, answer.headers["Cache-Control"]) == (TEXT, "no-cache")
    assert newest(service).size == service.events()


def test_the_tiles_give_the_root_of_the_checkpoint(large: Large) -> None:
    size = large.checkpoint.size
    hashes = [one for tile in tiles_of(0, size) for one in get_tile(large, tile)]
    assert len(hashes) == size > 2 * tiles.WIDTH
    assert merkle.root(hashes) == large.checkpoint.root
    (above,) = tiles_of(1, size)
    assert get_tile(large, above) == [merkle.root(get_tile(large, Tile(0, number))) for number in range(above.width)]


def test_entries_have_the_hashes_of_their_tile(large: Large) -> None:
    streams = set()
    for tile in tiles_of(0, large.checkpoint.size):
        leaves = get_entries(large, tile)
        assert [merkle.leaf_hash(leaf) for leaf in leaves] == get_tile(large, tile)
        streams |= {leaf.partition(b'"stream":"')[2].partition(b'"')[0] for leaf in leaves}
    assert len(streams) == 3, "a public table, a stream of a test, and a private table"


def test_a_partial_tile_begins_like_the_full_one(large: Large) -> None:
    full = get_tile(large, Tile(0, 1))
    leaves = get_entries(large, Tile(0, 1))
    for width in (1, 100, 255):
        assert get_tile(large, Tile(0, 1, width)) == full[:width]
        assert get_entries(large, Tile(0, 1, width)) == leaves[:width]


def test_only_a_full_tile_may_be_kept_for_ever(large: Large) -> None:
    for path, caching in (("0/000", FOR_EVER), ("0/000.p/255", "no-cache"), ("1/000.p/2", "no-cache")):
        answer = accepted(large.service.spectator.get(f"/v1/log/tile/{path}"))
        assert (answer.content_type, answer.headers["Cache-Control"]) == (BYTES, caching)
        assert "Vary" not in answer.headers
    answer = accepted(large.auditor.get("/v1/log/tile/entries/000"))
    assert (answer.content_type, answer.headers["Cache-Control"]) == (BYTES, "no-store")


@pytest.mark.parametrize(
    "path",
    [
        "000.p/0",
        "000.p/256",
        "000.p/01",
        "000.p/-1",
        "000.p/1.p/1",
        "000.p/",
        "000.p",
        "000.p/999999",
        "0",
        "00",
        "0000",
        "x000/000",
        "x00/000",
        "000/x000",
        "X001/000",
        "x001000",
        "x001//000",
        "x001/000/",
        "000/",
        "/000",
        "-01",
        "+01",
        "1e3",
        "0x0",
        "000%00",
        "000%0a",
        "000%20",
        "%zz",
        "%ff%fe",
        "%d9%a0%d9%a0%d9%a0",
        "%EF%BC%90%EF%BC%90%EF%BC%90",
        "000%252Ep/1",
        "../key",
        "003",  # the log has no leaf there
        "002.p/255",  # the tile is not that wide yet
        "002",
        "999",
        "x001/x234/067",
        "x009/x223/x372/x036/x854/x775/807",
        "x999/" * 10 + "999",
        "x999/" * 4_000 + "999",
        "9" * 20_000,
    ],
)
def test_a_path_that_names_no_tile_is_not_found(large: Large, path: str) -> None:
    for place in ("0", "1", "entries"):
        answer = large.auditor.get(f"/v1/log/tile/{place}/{path}")
        assert answer.status_code == 404, place
        assert answer.get_json()["code"] in {"tile_must_exist", "resource_must_exist"}
        assert "Retry-After" not in answer.headers


@pytest.mark.parametrize("level", ["2", "7", "8", "9", "63", "64", "00", "01", "-1", "9" * 5_000, "%d9%a0", "", "x"])
def test_a_level_that_the_tree_does_not_have_is_not_found(large: Large, level: str) -> None:
    for path in ("000", "000.p/1"):
        answer = large.service.spectator.get(f"/v1/log/tile/{level}/{path}")
        assert answer.status_code == 404
        assert answer.get_json()["code"] in {"tile_must_exist", "resource_must_exist"}


def test_characters_of_the_path_may_be_escaped(large: Large) -> None:
    plain = accepted(large.service.spectator.get("/v1/log/tile/0/000.p/7")).data
    for path in ("000.p%2F7", "000%2Ep%2f7", "%30%300.p/7"):
        assert accepted(large.service.spectator.get(f"/v1/log/tile/0/{path}")).data == plain


def test_entries_are_for_auditors_alone(large: Large) -> None:
    path = "/v1/log/tile/entries/000"
    refused(large.service.spectator.get(path), 401, "key_must_be_given")
    for scope in ("play", "host", "admin", "metrics"):
        refused(large.service.person(scope).get(path), 403, "scope_must_be_granted")
    refused(large.service.person("play").get("/v1/log/tile/entries/nonsense"), 403, "scope_must_be_granted")


def test_a_leaf_that_was_altered_no_longer_has_the_hash_of_its_tile(quick_service: Service) -> None:
    table = Table(quick_service)
    quick_service.keep_log()
    there = Large(quick_service, quick_service.person("audit"), newest(quick_service))
    (tile,) = tiles_of(0, there.checkpoint.size)
    damage(quick_service, table.id, 1)
    hashes = [merkle.leaf_hash(leaf) for leaf in get_entries(there, tile)]
    assert hashes[0] != get_tile(there, tile)[0]
    assert hashes[1:] == get_tile(there, tile)[1:]


def test_a_leaf_that_is_missing_is_named_by_its_table_and_position(quick_service: Service) -> None:
    table = Table(quick_service)
    quick_service.keep_log()
    damage(quick_service, table.id, 1, DROP)
    details = refused(quick_service.person("audit").get("/v1/log/tile/entries/000.p/2"), 409, "table_must_be_intact")
    assert details["position"] == 1
    assert table.id in details["detail"]
    accepted(quick_service.spectator.get("/v1/log/tile/0/000.p/2"))


def test_an_event_has_the_leaf_that_the_entries_have(quick_service: Service) -> None:
    table = Table(quick_service)
    quick_service.keep_log()
    there = Large(quick_service, quick_service.person("audit"), newest(quick_service))
    items = accepted(quick_service.spectator.get(f"{table.path}/events")).json["items"]
    assert get_entries(there, Tile(0, 0, len(items))) == [canonical(item["leaf"]) for item in items]
