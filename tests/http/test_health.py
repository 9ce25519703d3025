"""Whether the service lives, and whether it can work."""

from pathlib import Path

import pytest
from sqlalchemy import text

from service import app, settings
from service.log.database import administering
from service.log.schema import migrate
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
    configured = settings.load({}, data_folder=tmp_path, log_level="error")
    parts = app.build(configured)
    client = app.create_app(parts).test_client()
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "NoDatabase"
    assert not (tmp_path / "chiptrail.db").exists()
    migrate(parts.engine)
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "OtherServiceKey"
    with administering(parts.engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert refused(client.get("/readyz"), 503, "service_must_be_ready")["detail"] == "SchemaNotAtHead"
    parts.engine.dispose()


def test_a_database_out_of_reach_is_said_to_be(tmp_path: Path) -> None:
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
        accepted(host.get(f"{path}/events?after=2&wait=1"))
