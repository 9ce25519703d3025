"""The last event or the head row of the service's own stream is gone: commands that would append name the damage."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.database import engines
from service.database.metadata import SERVICE_STREAM
from service.transparency.log_keeper import LogKeeper
from tests.cli.commands import Instance
from tests.cli.played import Originals
from tests.damage import DROP, LOSE_HEAD, alter
from tests.http.service import Service, Table

WAYS = ("last event", "head row")


@pytest.fixture
def signed(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with a signed log whose own stream has at least two events."""
    with originals.copied(kind, _signed, tmp_path / "data") as original:
        assert original.instance.run("keys", "make").code == 0
        yield original.instance


def _signed(service: Service) -> None:
    Table(service, 2).started()
    LogKeeper(service.parts.engine, service.parts.log_signer, service.parts.clock).look()


def lose(instance: Instance, way: str) -> int:
    """Delete the last event or the head row of the service's own stream; return the last position."""
    last = len(instance.service_events())
    engine = engines.make_engine(instance.database)
    if way == "head row":
        alter(engine, LOSE_HEAD, stream_id=SERVICE_STREAM)
    else:
        alter(engine, DROP, stream_id=SERVICE_STREAM, position=last)
    engine.dispose()
    return last


def files(instance: Instance) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in instance.data.iterdir() if path.is_file()}


@pytest.mark.parametrize("way", WAYS)
def test_no_key_is_made_and_the_message_names_verify_which_names_the_stream(signed: Instance, way: str) -> None:
    lose(signed, way)
    before = (signed.service_events(), signed.run("keys", "list").out)
    said = signed.run("keys", "make")
    assert (said.code, said.out) == (1, "")
    assert "The log is damaged: the last event or the head row of a stream is missing" in said.err
    assert re.search("The cure: .*chiptrail verify .*, which names the stream", said.err)
    assert (signed.service_events(), signed.run("keys", "list").out) == before
    assert "failed service/log position" in signed.run("verify").out


@pytest.mark.parametrize("way", WAYS)
def test_no_new_log_begins_and_the_files_of_the_log_stay(signed: Instance, way: str) -> None:
    last = lose(signed, way)
    before = (signed.service_events(), files(signed))
    said = signed.run("log", "restart", "--yes")
    position, why = (1, "the head row of the stream is missing") if way == "head row" else (last, "an event is missing")
    assert (said.code, said.out) == (1, "")
    assert f"The log of service/log is damaged at position {position}: {why}." in said.err
    assert (signed.service_events(), files(signed)) == before
