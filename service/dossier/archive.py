"""The .zip file of a dossier: without compression and with a fixed date, so the same files give the same bytes."""

# DECISIONS 104

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Final

README: Final = "README.txt"
CASE: Final = "case.html"
EVENTS: Final = "events.ndjson"
OPENINGS: Final = "openings.ndjson"
SERVICE: Final = "service.ndjson"
DISPUTES: Final = "disputes.ndjson"
CHECKPOINT: Final = "checkpoint"
PROOF: Final = "events.tlog-proof"
KEYS: Final = "vkeys"
PROGRAM: Final = "verify.py"

NAMES: Final = (README, CASE, EVENTS, OPENINGS, SERVICE, DISPUTES, CHECKPOINT, PROOF, KEYS, PROGRAM)
"""The names of a dossier's files, in their order."""
OPTIONAL: Final = frozenset({SERVICE, DISPUTES})
MOST_BYTES: Final = 64 * 2**20
"""The maximum size of a dossier."""

_DATE: Final = (1980, 1, 1, 0, 0, 0)  # the first date that a .zip file can have
_UNIX: Final = 3
_PLAIN_FILE: Final = 0o100644


class DossierFlaw(Exception):
    """A dossier, or a file to compare with a dossier, is wrong at *place*; *why* says what must hold there."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        self.why = why


class DossierTooLarge(Exception):
    """The dossier would have more than MOST_BYTES bytes."""


def program() -> bytes:
    """Return verify.py, the program that checks dossiers."""
    return (Path(__file__).parent / PROGRAM).read_bytes()


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return the .zip file of *files*, a mapping from names to contents.

    Raises:
        DossierTooLarge: the file would be too large.
    """
    if sum(map(len, files.values())) > MOST_BYTES:
        raise DossierTooLarge
    output = BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for name in NAMES:
            if name in files:
                entry = zipfile.ZipInfo(name, _DATE)
                entry.create_system, entry.external_attr = _UNIX, _PLAIN_FILE << 16
                archive.writestr(entry, files[name])
    if output.tell() > MOST_BYTES:
        raise DossierTooLarge
    return output.getvalue()


def unpacked(data: bytes) -> Mapping[str, bytes]:
    """Return the files in *data* by name. Nothing is decompressed, and no name is used as a path.

    Raises:
        DossierFlaw: *data* is not exactly what `packed` makes of the files of a dossier.
    """
    if len(data) > MOST_BYTES:
        raise DossierFlaw("the file", f"must have at most {MOST_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            files = _read(archive)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise DossierFlaw("the file", f"must be a dossier, a .zip file ({error})") from error
    again = packed(files)
    if again != data:
        differs = next((at for at, pair in enumerate(zip(again, data, strict=False)) if pair[0] != pair[1]), len(again))
        raise DossierFlaw(f"byte {differs} of the file", "must be the byte that packing these files gives")
    return files


def _read(archive: zipfile.ZipFile) -> Mapping[str, bytes]:
    files: dict[str, bytes] = {}
    for entry in archive.infolist():
        name = entry.filename
        if name not in NAMES or name in files:
            raise DossierFlaw("the file", f"must have the files of a dossier, each once, and not {name[:80]!r}")
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits or entry.compress_size != entry.file_size:
            raise DossierFlaw(name, "must not be compressed or encrypted")
        files[name] = archive.read(entry)
    if missing := [name for name in NAMES if name not in files and name not in OPTIONAL]:
        raise DossierFlaw("the file", f"must have {', '.join(missing)}")
    return files
