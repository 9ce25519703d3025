"""A kept database: a SQLite database of an earlier release with its keys, and facts about its log."""

import hashlib
import lzma
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import text

from service.database.engines import make_engine, reading
from tests.cli.commands import Instance

FOLDER: Final = Path(__file__).parent
FILES: Final = ("chiptrail.db", "service-key.json", "log-key.txt", "log-key.txt.head", "first-key.txt")
KNOWN: Final = "known.json"


class KeptSeat(msgspec.Struct, frozen=True):
    """A player of an unfinished table: the *owner*, and the *token* of the owner's key."""

    owner: str
    token: str


class KnownLog(msgspec.Struct, frozen=True):
    """Facts about the log: the number of leaves, the hash of all leaves, and the unfinished tables with their seats."""

    release: str
    revision: str
    leaves: int
    sha256: str
    unfinished: dict[str, str]
    seats: dict[str, list[KeptSeat]]


def kept() -> list[str]:
    """Return the names of the kept databases: the revisions of their schemas."""
    return sorted(path.name.removesuffix(".tar.xz") for path in FOLDER.glob("*.tar.xz"))


def unpack(name: str, folder: Path) -> tuple[Instance, KnownLog]:
    """Unpack the kept database *name* into *folder*; return the instance, and the facts about its log."""
    with lzma.open(FOLDER / f"{name}.tar.xz") as packed, tarfile.open(fileobj=packed) as files:
        for name_of_file in (*FILES, KNOWN):  # Python 3.11.2 has no `extractall` with a filter
            packed_file = files.extractfile(name_of_file)
            assert packed_file
            (folder / name_of_file).touch(mode=0o600)
            (folder / name_of_file).write_bytes(packed_file.read())
    known = msgspec.json.decode((folder / KNOWN).read_bytes(), type=KnownLog)
    return Instance(f"sqlite:///{folder / 'chiptrail.db'}", folder), known


def pack(name: str, folder: Path, known: KnownLog) -> Path:
    """Pack the instance in *folder*; return the file."""
    (folder / KNOWN).write_bytes(msgspec.json.format(msgspec.json.encode(known)))
    with (
        lzma.open(FOLDER / f"{name}.tar.xz", "wb", preset=9) as packed,
        tarfile.open(fileobj=packed, mode="w") as files,
    ):
        for file in (*FILES, KNOWN):
            files.add(folder / file, file, filter=_anonymous)
    return FOLDER / f"{name}.tar.xz"


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o600
    return entry


def leaves_of(instance: Instance) -> tuple[int, str]:
    """Return the number of leaves, and the hash of all leaves with their places."""
    engine = make_engine(instance.database)
    with reading(engine) as connection:
        rows: Iterable[tuple[bytes, int, bytes]] = connection.execute(
            text("SELECT stream_id, position, leaf FROM events ORDER BY stream_id, position")
        )
        digest, count = hashlib.sha256(), 0
        for count, (stream, position, leaf) in enumerate(rows, start=1):  # noqa: B007 -- the last number is the count
            digest.update(b"%s %d %s\n" % (bytes(stream), position, bytes(leaf)))
    engine.dispose()
    return count, digest.hexdigest()
