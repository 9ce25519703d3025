"""An auditing witness reads a bounded part of each answer, and refuses malformed answers without quoting them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pytest
from urllib3.exceptions import ReadTimeoutError

from service.transparency.tiles import Tile
from service.witness.auditing import log_source
from service.witness.auditing.log_source import LogSource, SourceFailed


class Reply(NamedTuple):
    """An answer of the service."""

    status: int
    data: bytes
    headers: Mapping[str, str] = MappingProxyType({})

    def read(self, most: int, *, decode_content: bool) -> bytes:
        assert not decode_content, "an answer that is compressed could be a bomb"
        return self.data[:most]

    def release_conn(self) -> None:
        pass


class Pool:
    """Gives prepared answers, and records the paths that were asked for."""

    def __init__(self, *replies: Reply | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def request(self, method: str, url: str, *, preload_content: bool, redirect: bool) -> Reply:
        assert (method, preload_content, redirect) == ("GET", False, False)
        self.asked.append(url)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def source(*replies: Reply | Exception) -> tuple[LogSource, Pool]:
    made, pool = LogSource("http://log.example/", "ctk_secret"), Pool(*replies)
    made._pool = pool  # type: ignore[assignment]
    return made, pool


def bundle(leaves: Sequence[bytes]) -> bytes:
    return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)


def test_entries_are_read_by_the_path_of_their_tile() -> None:
    log, pool = source(Reply(200, bundle([b"a", b"", b"ccc"])))
    assert log.entries(Tile(0, 1_234_067, 3)) == [b"a", b"", b"ccc"]
    assert pool.asked == ["http://log.example/v1/log/tile/entries/x001/x234/067.p/3"]


@pytest.mark.parametrize(
    "data",
    [b"", bundle([b"secret"]), bundle([b"secret"] * 3), bundle([b"secret"] * 2)[:-1], bundle([b"secret"] * 2) + b"\0"],
)
def test_malformed_entries_are_refused(data: bytes) -> None:
    log, _ = source(Reply(200, data))
    with pytest.raises(SourceFailed) as refused:
        log.entries(Tile(0, 0, 2))
    assert "secret" not in str(refused.value)


def test_no_more_bytes_are_read_than_a_valid_answer_can_have() -> None:
    log, _ = source(Reply(200, b"\0" * 200_000), Reply(200, bytes(65)))
    with pytest.raises(SourceFailed, match="more bytes than there can be"):
        log.entries(Tile(0, 0, 1))
    with pytest.raises(SourceFailed, match="more bytes than there can be"):
        log.tiles([Tile(0, 0, 2)])


def test_the_width_of_a_tile_is_the_number_of_its_hashes() -> None:
    log, _ = source(Reply(200, bytes(64)), Reply(200, bytes(63)))
    assert log.tiles([Tile(1, 0, 2)]) == {Tile(1, 0, 2): bytes(64)}
    with pytest.raises(SourceFailed, match="is malformed"):
        log.tiles([Tile(1, 0, 2)])


@pytest.mark.parametrize("status", [302, 401, 403, 404, 500, 503])
def test_another_status_is_reported_without_the_key(status: int) -> None:
    log, _ = source(Reply(status, b"<html>"))
    with pytest.raises(SourceFailed, match=f"with status {status}") as refused:
        log.tiles([Tile(0, 0, 1)])
    assert "ctk_" not in str(refused.value)


def test_a_silent_service_is_reported() -> None:
    log, _ = source(ReadTimeoutError(None, "", "slow"))  # type: ignore[arg-type]
    with pytest.raises(SourceFailed, match="does not answer"):
        log.entries(Tile(0, 0, 1))


def test_above_a_rate_limit_the_witness_waits_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    class Waits:
        def wait(self, seconds: float) -> None:
            waited.append(seconds)

    monkeypatch.setattr(log_source, "Event", Waits)
    busy = [Reply(429, b"", {"Retry-After": text}) for text in ("3", "9999", "soon")]
    log, pool = source(*busy, Reply(200, bytes(32)))
    assert log.tiles([Tile(0, 0, 1)])
    assert (waited, len(pool.asked)) == ([3.0, 10.0, 1.0], 4)
    log, _ = source(*[Reply(429, b"", {"Retry-After": "0"})] * 5)
    with pytest.raises(SourceFailed, match="status 429"):
        log.tiles([Tile(0, 0, 1)])


def test_openings_are_read_page_by_page_and_the_reading_ends() -> None:
    field = b'{"stream":"table/t","position":3,"field":"bid","salt":"00","value":7}'
    first = b'{"items":[{"fields":[%s]},{}],"has_more":true,"next":2,"position":9}' % field
    last = b'{"items":[],"has_more":true,"next":2,"position":9}'
    log, pool = source(Reply(200, first), Reply(200, last))
    found = log.openings("t", 0, 9)
    assert (found[3, "bid"].value, len(found)) == (7, 1)
    assert [one.partition("?")[2] for one in pool.asked] == ["limit=1000&after=0", "limit=1000&after=2"]
    log, _ = source(Reply(200, b"[]"))
    with pytest.raises(SourceFailed, match="can't be read"):
        log.openings("t", 0, 9)
    log, pool = source(Reply(200, first))
    assert log.openings("t", 1, 2).keys() == found.keys(), "what follows the head is not asked for"
    assert [one.partition("?")[2] for one in pool.asked] == ["limit=1000&after=1"]
