"""`/assets`: the scripts, styles and icon of the pages. A change of one file changes the paths of all files."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort

files = Blueprint("assets", __name__)

_FOLDER: Final = Path(__file__).parent.parent / "static"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_A_YEAR: Final = "public, max-age=31536000, immutable"
_NOT_FOUND: Final = 404


@files.get("/assets/<digest>/<path:name>")
def get_asset(digest: str, name: str) -> Response:
    """Return the file *name*. Caches may keep the file only if *digest* is the digest of the present files."""
    data = all_files().get(name)
    if data is None:
        abort(_NOT_FOUND)
    response = Response(data, content_type=_TYPES[Path(name).suffix])
    response.headers["Cache-Control"] = _FOR_A_YEAR if digest == _digest() else "no-store"
    return response


def url(name: str) -> str:
    """Return the path of the file *name*.

    Raises:
        KeyError: there is no such file.
    """
    if name not in all_files():
        raise KeyError(name)
    return f"/assets/{_digest()}/{name}"


@cache
def all_files() -> dict[str, bytes]:
    """Return the bytes of each file, by the file's name; the files are read once."""
    return dict(_read(_FOLDER))


def _read(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in _TYPES:
            yield path.relative_to(_FOLDER).as_posix(), path.read_bytes()


@cache
def _digest() -> str:
    """Return the digest of all files: scripts import each other by relative paths, so all need the same digest."""
    digest = sha256()
    for name, data in all_files().items():
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]
