"""The pictures in README.md show the pages as they are."""

import re
import struct
import zlib
from pathlib import Path

from tests.house.tree import ROOT
from tests.web.pictures import DIGEST, FOLDER, MOST_BYTES, PICTURES, WIDTH, digest, scenes
from tests.web.screenshots import packed


def test_the_pages_have_not_changed_since_their_pictures_were_taken(tmp_path: Path) -> None:
    with scenes(tmp_path) as made:
        now = digest(made)
    assert now == DIGEST.read_text().strip(), "the pages have changed: run `python -m tests.web.screenshots`, and look"


def test_the_pictures_are_there_and_small_and_the_readme_shows_them() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {DIGEST.name, *(one.name for one in PICTURES)}
    shown = re.findall('<img src="([^"]+)" width="[0-9]+%" alt="[^"]+">', (ROOT / "README.md").read_text())
    assert [ROOT / path for path in shown] == [FOLDER / one.name for one in PICTURES]
    for one in PICTURES:
        png = (FOLDER / one.name).read_bytes()
        assert len(png) < MOST_BYTES
        assert struct.unpack(">II", png[16:24]) == (WIDTH, one.height)


def test_a_packed_picture_has_the_same_points() -> None:
    header = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    points = b"\0" + bytes(range(6))
    loose = zlib.compress(points, 0)
    parts = ((b"IHDR", header), (b"tEXt", b"a\0b"), (b"IDAT", loose[:5]), (b"IDAT", loose[5:]), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
    found = packed(png)
    assert b"tEXt" not in found
    at = found.index(b"IDAT")
    (length,) = struct.unpack(">I", found[at - 4 : at])
    assert zlib.decompress(found[at + 4 : at + 4 + length]) == points
    assert packed(found) == found
