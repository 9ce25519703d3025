"""The keys that a key may make: when they expire, and how many keys a host may make."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.http import api
from tests.http.service import Service, accepted, refused, running

END = "2999-06-01T12:00:00.000Z"


@pytest.mark.parametrize("scope", ["host", "admin"])
@pytest.mark.parametrize("wanted", ["", "2999-06-01T12:00:00.001Z", "3000-01-01T00:00:00Z"])
def test_no_key_makes_a_key_that_outlives_it(quick_service: Service, scope: str, wanted: str) -> None:
    ending = quick_service.person("host" if scope == "host" else "admin", expires_at=END)
    details = refused(ending.post("/v1/keys", {"expires_at": wanted}), 403, "key_must_be_within_your_power")
    assert END in details["detail"]
    assert accepted(ending.get("/v1/keys")).json["items"][0]["expires_at"] == END


def test_a_key_that_ends_makes_keys_that_end_no_later(service: Service) -> None:
    host = service.person("host", expires_at=END)
    for wanted in (END, "2999-06-01T12:00:00Z", "2998-01-01T00:00:00.5Z"):
        made = accepted(host.post("/v1/keys", {"expires_at": wanted}), 201).json["key"]
        assert "" < made["expires_at"] <= END


def test_a_repeat_with_an_expiring_key_shows_no_key_that_outlives_the_expiring_key(quick_service: Service) -> None:
    host = quick_service.person("host")
    accepted(host.post("/v1/keys", {}, key="lasting"), 201)
    ending = quick_service.person("host", owner=host.owner, expires_at=END)
    refused(ending.post("/v1/keys", {}, key="lasting"), 403, "key_must_be_within_your_power")
    accepted(host.post("/v1/keys", {}, key="lasting"), 201)


def test_a_host_makes_a_limited_number_of_keys_and_ended_keys_do_not_count(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, keys_per_owner=2) as service:
        host, other, admin = service.person("host"), service.person("host"), service.person("admin")
        first = accepted(host.post("/v1/keys", {}, key="first"), 201).json["key"]
        accepted(host.post("/v1/keys", {"owner": first["owner"]}), 201)
        refused(host.post("/v1/keys", {}, key="third"), 409, "keys_must_be_fewer")
        again = accepted(host.post("/v1/keys", {}, key="first"), 201)
        assert again.headers["Idempotent-Replayed"] == "true"
        accepted(other.post("/v1/keys", {}), 201)
        for _ in range(3):
            accepted(admin.post("/v1/keys", {}), 201)
        accepted(host.send("DELETE", f"/v1/keys/{first['id']}", headers={}), 204)
        accepted(host.post("/v1/keys", {}, key="third"), 201)
        refused(host.post("/v1/keys", {}), 409, "keys_must_be_fewer")


def test_keys_that_have_run_out_do_not_count(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, keys_per_owner=1) as service:
        host = service.person("host")
        service.person("play", made_by=host.owner, expires_at="2026-01-01T00:00:00.000Z")
        accepted(host.post("/v1/keys", {}), 201)
        refused(host.post("/v1/keys", {}), 409, "keys_must_be_fewer")


@pytest.mark.walk
def test_a_host_with_simultaneous_requests_makes_no_more_keys_than_the_limit_allows(
    tmp_path: Path, database_url: str
) -> None:
    with running(tmp_path, database_url, keys_per_owner=3) as service:
        host = service.person("host")
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda number: host.post("/v1/keys", {}, key=f"at-once-{number}"), range(8)))
        assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 5


def test_zero_allows_any_number_of_keys(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path, database_url, keys_per_owner=0) as service:
        host = service.person("host")
        for _ in range(3):
            accepted(host.post("/v1/keys", {}), 201)


def test_the_document_names_the_arrays_whose_values_must_differ() -> None:
    schemas = api.document()["components"]["schemas"]
    assert schemas["PassCards"]["properties"]["cards"]["uniqueItems"] is True
    assert schemas["NewKey"]["properties"]["scopes"]["uniqueItems"] is True
