"""`/healthz` and `/readyz`: whether the process runs, and whether the service is ready."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as ThreadEvent

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import TimeoutError as QueuePoolTimeout

from service import app, settings
from service.database.engines import administering
from service.database.schema_check import migrate
from service.ttl_cache import TtlCache
from tests.clocks import Clock
from tests.http.service import Person, Service, accepted, refused, running


def test_a_service_that_runs_is_healthy_and_ready(service: Service) -> None:
    assert accepted(service.spectator.get("/healthz")).json == {"status": "ok"}
    assert accepted(service.spectator.get("/readyz")).json == {"status": "ok"}


def test_health_asks_for_no_key(service: Service) -> None:
    stranger = Person(service, "", "nonsense")
    accepted(stranger.get("/healthz"))
    accepted(stranger.get("/readyz"))


def test_a_service_is_not_ready_on_a_database_of_another_key(service: Service, tmp_path: Path) -> None:
    url = service.parts.settings.database_url
    other = app.build(settings.load({}, data_folder=tmp_path / "other", database_url=url))
    client = app.create_app(other).test_client()
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "OtherServiceKey"
    assert client.get("/healthz").status_code == 200
    other.engine.dispose()


def test_a_service_is_not_ready_before_its_database_is_migrated(tmp_path: Path) -> None:
    clock = Clock()
    parts = app.build(settings.load({}, data_folder=tmp_path, log_level="error"), clock)
    client = app.create_app(parts).test_client()
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "NoDatabase"
    assert not (tmp_path / "chiptrail.db").exists()
    migrate(parts.engine)
    clock.seconds += 1
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "OtherServiceKey"
    with administering(parts.engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    clock.seconds += 1
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "SchemaNotAtHead"
    parts.engine.dispose()


def test_an_unreachable_database_is_reported(tmp_path: Path) -> None:
    url = "postgresql://nobody@127.0.0.1:9/nothing?connect_timeout=2"
    parts = app.build(settings.load({}, data_folder=tmp_path, database_url=url, log_level="error"))
    client = app.create_app(parts).test_client()
    assert client.get("/healthz").status_code == 200
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "NoDatabase"
    answer = client.get("/v1/tables")
    refused(answer, 503, "database_must_answer")
    assert answer.headers["Retry-After"] == "1"
    assert "nobody" not in answer.get_data(as_text=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_service_works_with_the_fewest_threads(tmp_path: Path, database_url: str, threads: int) -> None:
    with running(tmp_path, database_url, threads=threads) as service:
        host = service.person("host")
        path = accepted(host.post("/v1/tables", {"game": "bankrupt"}), 201).headers["Location"]
        answer = host.get(f"{path}/events?after=2&wait=1")
        assert answer.status_code == 200  # the waiting request has given back the only worker slot


def test_a_service_that_is_asked_to_stop_is_alive_but_no_longer_ready(quick_service: Service) -> None:
    quick_service.parts.end()
    answer = quick_service.spectator.get("/readyz")
    assert refused(answer, 503, "service_must_be_ready")["detail"] == "Stopping"
    assert answer.headers["Retry-After"] == "1"
    accepted(quick_service.spectator.get("/healthz"))


@pytest.mark.walk
def test_a_service_without_its_database_is_not_ready_until_the_database_comes_back(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    with running(tmp_path, database_url, entropy=clock) as service:
        accepted(service.spectator.get("/readyz"))

        def fail() -> None:
            raise QueuePoolTimeout("no connection is free")

        with monkeypatch.context() as patch:
            patch.setattr(service.parts.engine, "connect", fail)
            accepted(service.spectator.get("/readyz"))
            clock.seconds += 1
            answer = service.spectator.get("/readyz")
            refused(answer, 503, "database_must_answer")
            assert answer.headers["Retry-After"] == "1"
            accepted(service.spectator.get("/healthz"))
        clock.seconds += 1
        accepted(service.spectator.get("/readyz"))


def test_readiness_asks_the_database_once_a_second_however_often_it_is_asked(tmp_path: Path, database_url: str) -> None:
    clock = Clock()
    with running(tmp_path, database_url, entropy=clock) as service:
        statements = []
        event.listen(service.parts.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
        accepted(service.spectator.get("/readyz"))
        asked = len(statements)
        assert asked > 0
        for _ in range(100):
            accepted(service.spectator.get("/readyz"))
        assert len(statements) == asked
        clock.seconds += 1
        accepted(service.spectator.get("/readyz"))
        assert len(statements) > asked


def test_during_a_check_other_requests_get_the_last_result() -> None:
    clock, looking, go_on = Clock(), ThreadEvent(), ThreadEvent()
    seen = iter(("first", "second"))

    def look() -> str:
        if clock.seconds > 1_000:
            looking.set()
            assert go_on.wait(60)
        return next(seen)

    remembered = TtlCache(look, 1, clock)
    assert remembered.get() == "first"
    clock.seconds += 1
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(remembered.get)
        assert looking.wait(60)
        assert remembered.get() == "first"
        go_on.set()
        assert slow.result() == "second"
    assert remembered.get() == "second"
