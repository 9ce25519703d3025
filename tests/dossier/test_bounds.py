"""Files that are no dossiers, or are made to cost much, are refused clearly and with bounded work."""

import struct
from io import BytesIO
from itertools import product
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from service.dossier import archive, offline_check, verify
from service.dossier.archive import DossierFlaw
from tests.dossier.forged import Leaves, forged
from tests.dossier.made import World, files_of, refusals

Entries = list[tuple[str, bytes]]


def zipped(entries: Entries, method: int = ZIP_STORED) -> bytes:
    output = BytesIO()
    with ZipFile(output, "w", method) as file:
        for name, data in entries:
            file.writestr(ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, method)
    return output.getvalue()


@pytest.fixture
def entries(world: World) -> Entries:
    return list(files_of(world.played[0].dossiers["hand 1 for everybody"]).items())


def must_be_refused(data: bytes, *words: str) -> None:
    ours, *_ = [one for one in verify.findings(data) if one.verdict == "FAILED"]
    assert ours.step == "file"
    with pytest.raises(DossierFlaw) as theirs:
        archive.unpacked(data)
    for word in words:
        assert word in f"{ours.place} {ours.text}"
        assert word in str(theirs.value)


def test_a_file_of_100_mb_is_refused_before_it_is_read() -> None:
    must_be_refused(bytes(100 * 2**20), "at most 67,108,864 bytes")


def test_a_bomb_is_refused_without_being_unpacked(entries: Entries) -> None:
    bomb = zipped([(name, bytes(50 * 2**20) if name == archive.CASE else data) for name, data in entries], ZIP_DEFLATED)
    assert len(bomb) < 2**20
    must_be_refused(bomb, "must not be compressed")


@pytest.mark.parametrize(
    "name", ["../events.ndjson", "/etc/passwd", "a/b", "C:\\x", "events.ndjson.\0", "x" * 60_000, ""]
)
def test_a_path_or_another_name_is_refused(entries: Entries, name: str) -> None:
    must_be_refused(zipped([*entries, (name, b"")]), "must")


def test_a_name_that_is_given_twice_is_refused(entries: Entries) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped([*entries, entries[0]])
    must_be_refused(data, "once")


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"PK\5\6" + bytes(18), b"PK\3\4" + bytes(26), b"PK\3\4" * 1000, bytes(1000)]
)
def test_a_file_that_is_not_a_zip_file_and_an_empty_zip_file_are_refused(data: bytes) -> None:
    must_be_refused(data)


def test_wrong_sizes_are_refused(entries: Entries) -> None:
    data = zipped(entries)
    for at in (18, 22, 26, 28):  # the sizes, and the lengths of the name and the extra field, of the first file
        for value in (0, 1, 0xFFFF):
            changed = bytearray(data)
            struct.pack_into("<H", changed, at, value)
            must_be_refused(bytes(changed))


def test_files_in_another_order_and_bytes_before_or_after_them_are_refused(entries: Entries) -> None:
    right = archive.packed(dict(entries))
    for data in (zipped(entries[::-1]), right + b"\0", b"\0" + right, right[:-1], zipped(entries)):
        must_be_refused(data)
    with BytesIO(right) as file, ZipFile(file) as opened:
        assert opened.testzip() is None  # any program can unpack a dossier


def test_each_missing_file_is_named(entries: Entries) -> None:
    for name, _ in entries:
        without = archive.packed({other: data for other, data in entries if other != name})
        if name in archive.OPTIONAL:
            assert [place.partition(",")[0] for place in refusals(without)] == [archive.README] * 2
        else:
            must_be_refused(without, name)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 60_000,
        b'{"a":' * 12_000,
        b"1" * 60_000,
        b"1e5",
        b'"\xff"',
        b"",
        b"{}",
        b"null",
        b'{"v":1,"v":1}',
        b"x" * 70_000,
    ],
    ids=["deep array", "deep object", "long number", "float", "no UTF-8", "empty", "object", "null", "twice", "long"],
)
def test_a_malformed_leaf_is_refused_at_its_position(entries: Entries, line: bytes) -> None:
    files = dict(entries)
    files[archive.EVENTS] += line + b"\n"
    place = "position {}".format(files[archive.EVENTS].count(b"\n"))
    assert refusals(archive.packed(files)) == (place, place)
    begins = {one.step: one for one in verify.findings(archive.packed(files))}
    assert (begins["leaves"].verdict, begins["decks"].verdict) == ("-", "-")


def test_more_sealed_fields_than_any_game_has_are_refused(world: World) -> None:
    """At each event, the check's work grows with the number of sealed fields that are not yet open."""
    played = next(one for one in world.played if one.game == "insurance_hearts")
    until = {"never": [], "open": ["deck_revealed"]}
    fields = {f"f_{chr(97 + number // 26)}{chr(97 + number % 26)}": number for number in range(257)}

    def edit(leaves: Leaves) -> None:
        leaf = next(one for one in leaves if one["type"] == "slip_written")
        leaf["priv"] = {name: {"c": "0" * 64, "to": [], "until": until} for name in fields}

    ours, *_ = [one for one in verify.findings(forged(played.dossiers["the table for everybody"], edit)) if one.place]
    assert (ours.step, ours.text) == ("openings", "at most 256 fields may be sealed at a time")
    theirs = offline_check.check(forged(played.dossiers["the table for everybody"], edit))
    assert [one.text for one in theirs.steps if one.place] == ["at most 256 fields may be sealed at a time"]


@pytest.mark.parametrize("kind", ["cards_dealt", "deck_fixed", "deck_opened", "table_opened"])
def test_a_signed_leaf_with_members_of_other_types_is_refused_and_stops_nothing(world: World, kind: str) -> None:
    values: tuple[Any, ...] = (None, 0, "x", [], {}, [[1]], -1)
    for played, value in product(world.played, values):

        def edit(leaves: Leaves, value: object = value) -> None:
            leaf = next(one for one in leaves if one["type"] == kind)
            leaf["pub"] = dict.fromkeys(leaf["pub"], value)

        data = forged(played.dossiers["hand 1 for everybody"], edit)
        ours, theirs = refusals(data)
        assert theirs
        assert (ours == "") == (kind == "table_opened"), "verify.py does not read the members of table_opened alone"
