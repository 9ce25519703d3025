"""Reads a log over HTTP with a key of the scope `audit`: entries, tiles, and the openings that everybody may read."""

from collections.abc import Iterable, Mapping
from threading import Event
from typing import Final

import msgspec
import urllib3
from msgspec import Struct
from urllib3.exceptions import HTTPError

from service.event_store.disclosure import FieldPlace
from service.secrets.openings import FieldOpening
from service.transparency import tiles
from service.transparency.tiles import HASH_BYTES, Tile

_TIMEOUT: Final = urllib3.Timeout(connect=5.0, read=20.0)
_LENGTH_BYTES: Final = 2
_MOST_LEAF_BYTES: Final = 65_535
_MOST_PAGE_BYTES: Final = 100_000_000
_OK: Final = 200
_TOO_OFTEN: Final = 429
_ATTEMPTS: Final = 5
_LONGEST_PAUSE_SECONDS: Final = 10.0


class SourceFailed(Exception):
    """The log's service does not answer, or its answer can't be used. The message quotes no leaf and no secret."""


class _Item(Struct, frozen=True):
    fields: tuple[FieldOpening, ...] = ()


class _Page(Struct, frozen=True):
    items: tuple[_Item, ...]
    has_more: bool
    next: int


class LogSource:
    """The log of the service at *url*; *token* is the API key. Thread-safe."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {token}"}
        self._pool = urllib3.PoolManager(retries=False, timeout=_TIMEOUT, headers=headers)

    def entries(self, tile: Tile) -> list[bytes]:
        """Return the leaves below *tile*, a tile of level 0.

        Raises:
            SourceFailed: there is no answer, or the answer does not have these leaves.
        """
        path = f"/v1/log/tile/entries/{tiles.number_path(tile.number, tile.width)}"
        data = self._get(path, tile.width * (_LENGTH_BYTES + _MOST_LEAF_BYTES))
        leaves, start = [], 0
        while start < len(data):
            first = start + _LENGTH_BYTES
            start = first + int.from_bytes(data[start:first], "big")
            leaves.append(data[first:start])
        if start != len(data) or len(leaves) != tile.width:
            raise SourceFailed(f"The entries of the tile {tile.path} are malformed.")
        return leaves

    def tiles(self, wanted: Iterable[Tile]) -> Mapping[Tile, bytes]:
        """Return the hashes of tiles.

        Raises:
            SourceFailed: there is no answer, or the answer does not have these hashes.
        """
        return {tile: self._tile(tile) for tile in wanted}

    def openings(self, table: str, after: int, head: int) -> Mapping[FieldPlace, FieldOpening]:
        """Return the openings in a table's events after the position *after*, up to *head* at least.

        These are openings of sealed fields that everybody may read, by the position and the name of the field.

        Raises:
            SourceFailed: there is no answer, or the answer can't be read.
        """
        found: dict[FieldPlace, FieldOpening] = {}
        has_more = True
        while has_more and after < head:
            data = self._get(f"/v1/tables/{table}/events?limit=1000&after={after}", _MOST_PAGE_BYTES)
            try:
                page = msgspec.json.decode(data, type=_Page)
            except ValueError as error:
                raise SourceFailed(f"A page of the events of {table} can't be read.") from error
            found |= {(one.position, one.field): one for item in page.items for one in item.fields}
            has_more = page.has_more and page.next > after
            after = page.next
        return found

    def _tile(self, tile: Tile) -> bytes:
        hashes = self._get(f"/v1/log/tile/{tile.path}", tile.width * HASH_BYTES)
        if len(hashes) != tile.width * HASH_BYTES:
            raise SourceFailed(f"The tile {tile.path} is malformed.")
        return hashes

    def _get(self, path: str, most: int) -> bytes:
        """Return the body of the answer to GET *path*.

        Raises:
            SourceFailed: there is no answer, its status is not 200, or its body has more than *most* bytes.
        """
        for _ in range(_ATTEMPTS):
            try:
                answer = self._pool.request("GET", self._url + path, preload_content=False, redirect=False)
                try:
                    data = answer.read(most + 1, decode_content=False)
                finally:
                    answer.release_conn()
            except HTTPError as error:
                raise SourceFailed(f"{self._url} does not answer ({type(error).__name__}).") from error
            if answer.status != _TOO_OFTEN:
                break
            text = answer.headers.get("Retry-After", "1")
            seconds = float(text) if text.isascii() and text.isdigit() else 1.0
            Event().wait(min(seconds, _LONGEST_PAUSE_SECONDS))
        if answer.status != _OK:
            raise SourceFailed(f"{self._url} answers {path.partition('?')[0]} with status {answer.status}.")
        if len(data) > most:
            raise SourceFailed(f"{self._url} answers {path.partition('?')[0]} with more bytes than there can be.")
        return data
