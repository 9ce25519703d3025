"""`chiptrail log events` prints the service's own stream; when a server stops, it signs the log once more."""

import json
from threading import Event

import pytest

from service import settings
from service.cli.support import log_files
from service.database import engines
from service.database.metadata import SERVICE_STREAM
from service.event_store import export_format
from service.event_store.export_format import StreamHead
from service.event_store.leaf import leaf_hash
from service.transparency import log_signer
from tests.cli.commands import Instance, leaves_of
from tests.damage import alter


def test_the_services_own_stream_is_printed_for_people_and_as_it_was_hashed(instance: Instance) -> None:
    nothing = instance.run("log", "events", "--json")
    assert (nothing.code, leaves_of(nothing.out)) == (0, "")
    assert (instance.run("log", "events").code, instance.run("log", "events").out) == (0, "")
    for label in ("Ann", "Bea"):
        assert instance.run("keys", "make", "--label", label).code == 0
    leaves = instance.service_events()
    said = instance.run("log", "events", "--json")
    lines = leaves_of(said.out).splitlines()
    assert (said.code, [json.loads(line) for line in lines]) == (0, leaves)
    end = export_format.parse_end(said.out.splitlines()[-1].encode())
    assert end
    assert end.heads == (StreamHead("service/log", len(leaves), leaf_hash(lines[-1].encode()).hex()),)
    later = instance.run("log", "events", "--json", "--after", "2")
    assert leaves_of(later.out).splitlines() == lines[2:]
    page = instance.run("log", "events", "--json", "--after", "1", "--limit", "2")
    assert leaves_of(page.out).splitlines() == lines[1:3]
    shown = instance.run("log", "events").out.splitlines()
    assert [line.split()[:3] for line in shown] == [[str(one["position"]), one["at"], one["type"]] for one in leaves]
    assert [json.loads(line.split(maxsplit=3)[3]) for line in shown] == [one["pub"] for one in leaves]


def test_a_damaged_own_stream_is_printed_up_to_the_damage(instance: Instance) -> None:
    for _ in range(2):
        assert instance.run("keys", "make").code == 0
    engine = engines.make_engine(instance.database)
    damage = "UPDATE events SET leaf = :leaf WHERE stream_id = :stream_id AND position = 3"
    alter(engine, damage, leaf=b"{}", stream_id=SERVICE_STREAM)
    engine.dispose()
    said = instance.run("log", "events")
    assert (said.code, len(said.out.splitlines())) == (3, 2)
    assert "service/log is damaged at position 3" in said.err
    assert instance.run("log", "events", "--limit", "1").code == 0, "this event and the next one are sound"
    said = instance.run("log", "events", "--json")
    end = export_format.parse_end(said.out.splitlines()[-1].encode())
    assert end
    assert (said.code, end.is_whole, end.leaves, end.broken[0].position) == (3, False, 2, 3)


def test_a_stop_without_anything_to_sign_reports_it_and_is_no_failure(
    instance: Instance, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = settings.load({}, data_folder=instance.data, database_url=instance.database)
    assert instance.run("keys", "make").code == 0
    log_files.finish(chosen)
    assert log_signer.load(chosen.log_key_file, chosen.log_head_file).last().size == 2
    assert capsys.readouterr() == ("", "")
    chosen.log_head_file.unlink()
    log_files.finish(chosen)
    said = capsys.readouterr().err
    assert "the newest events may be in no checkpoint until the next start. The last checkpoint" in said


def test_a_stop_does_not_wait_for_a_database_that_does_not_answer(
    instance: Instance, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Event()
    monkeypatch.setattr(log_files, "_LONGEST_SECONDS", 0.01)
    monkeypatch.setattr(log_files, "_last_round", lambda _: answers.wait())
    log_files.finish(settings.load({}, data_folder=instance.data, database_url=instance.database))
    answers.set()
    assert "The database does not answer." in capsys.readouterr().err
