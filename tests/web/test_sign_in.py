"""Signing in: the cookie, the time for which a sign-in is valid, and the ways in which it ends."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from werkzeug.http import parse_cookie
from werkzeug.test import Client

from service.api_keys import sign_ins
from service.database.engines import administering, reading
from service.exchange import database_copy
from tests.databases import Databases
from tests.http.service import Service, accepted
from tests.web.signing_in import (
    BEHIND_TLS,
    PLAIN,
    MovableClock,
    looks_with,
    sign_ins_of,
    signing_in,
    token_of,
)
from tests.web.world import FROM_A_PAGE, Visitor

OVER_TLS = {**FROM_A_PAGE, "X-Forwarded-Proto": "https"}


@pytest.fixture(scope="module")
def timed(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, MovableClock]]:
    with (
        all_databases.migrated("sqlite") as url,
        signing_in(tmp_path_factory.mktemp("signing-in"), url, log_level="debug") as made,
    ):
        yield made


@pytest.fixture
def service(timed: tuple[Service, MovableClock]) -> Service:
    return timed[0]


@pytest.fixture
def clock(timed: tuple[Service, MovableClock]) -> MovableClock:
    return timed[1]


def test_a_browser_is_signed_in_by_a_key_until_it_signs_out(service: Service) -> None:
    person = service.person("play")
    visitor = Visitor(service, person.token)
    assert person.owner in visitor.page("/tables")
    kept = token_of(visitor)
    assert visitor.post("/sign-out").status_code == 303
    assert token_of(visitor) == ""
    assert person.owner not in visitor.page("/tables")
    assert person.owner not in looks_with(service, kept).text, "the service has ended it, not the browser alone"


def test_the_cookie_is_for_pages_of_this_host_alone(service: Service) -> None:
    set_cookie = _signs_in(Visitor(service), service.person("play").token)
    assert _attributes(set_cookie) == (PLAIN, {"HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Strict"})


def test_behind_tls_the_cookie_is_secure_and_bound_to_its_host(all_databases: Databases, tmp_path: Path) -> None:
    with all_databases.migrated("sqlite") as url, signing_in(tmp_path, url, proxies=1) as (service, _):
        person = service.person("play")
        visitor = Visitor(service)
        set_cookie = _signs_in(visitor, person.token, OVER_TLS)
        attributes = {"HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Strict", "Secure"}
        assert _attributes(set_cookie) == (BEHIND_TLS, attributes)
        token = parse_cookie(set_cookie)[BEHIND_TLS]
        for name, is_it in ((BEHIND_TLS, True), (PLAIN, False)):
            sent = {**OVER_TLS, "Cookie": f"{name}={token}"}
            answer = Client(service.app, use_cookies=False).get("/tables", headers=sent)
            assert (person.owner in answer.text) == is_it, name
        spoofed = {**FROM_A_PAGE, "X-Forwarded-Proto": "https, http"}  # the proxy has appended the last entry
        assert _attributes(_signs_in(Visitor(service), person.token, spoofed))[0] == PLAIN


def test_without_proxies_nobody_can_say_that_there_is_tls(service: Service) -> None:
    set_cookie = _signs_in(Visitor(service), service.person("play").token, OVER_TLS)
    assert _attributes(set_cookie)[0] == PLAIN


def test_a_sign_in_lasts_eight_hours_however_much_it_is_used(service: Service, clock: MovableClock) -> None:
    person = service.person("play")
    visitor = Visitor(service, person.token)
    for _ in range(8):
        answer = visitor.get("/tables")
        assert "Set-Cookie" not in answer.headers
        assert person.owner in answer.text
        clock.move(hours=1, milliseconds=-0.125)
    clock.move(milliseconds=1)
    assert person.owner not in visitor.page("/tables")


def test_each_sign_in_has_a_new_token_and_ends_the_one_before(service: Service) -> None:
    person, other = service.person("play"), service.person("play")
    visitor = Visitor(service)
    visitor.client.set_cookie(PLAIN, fixed := "ab" * 32)
    assert visitor.post("/sign-in", key=person.token).status_code == 303
    first = token_of(visitor)
    assert visitor.post("/sign-in", key=other.token).status_code == 303
    second = token_of(visitor)
    assert len({fixed, first, second}) == 3
    assert other.owner in visitor.page("/tables")
    for token in (fixed, first):
        assert "Sign in" in looks_with(service, token).text


def test_a_key_has_a_limited_number_of_sign_ins_and_the_oldest_end(service: Service, clock: MovableClock) -> None:
    person = service.person("play")
    before, tokens = sign_ins_of(service), []
    for _ in range(sign_ins.MOST_OF_A_KEY + 3):
        clock.move(milliseconds=1)
        tokens.append(token_of(Visitor(service, person.token)))
    assert sign_ins_of(service) == before + sign_ins.MOST_OF_A_KEY
    kept = [person.owner in looks_with(service, token).text for token in (*tokens[:4], tokens[-1])]
    assert kept == [False, False, False, True, True]


def test_a_page_for_a_key_that_was_revoked_signs_out_and_says_so(service: Service) -> None:
    host = service.person("host")
    made = accepted(host.post("/v1/keys", {"scopes": ["play"]}), 201).json
    visitor = Visitor(service, made["token"])
    token, stored = token_of(visitor), sign_ins_of(service)
    accepted(host.send("DELETE", f"/v1/keys/{made['key']['id']}", headers={}), 204)
    answer = visitor.get("/tables")
    assert answer.status_code == 401
    assert "You are signed out, because your key has ended." in answer.text
    assert token_of(visitor) == ""
    assert sign_ins_of(service) == stored - 1
    assert looks_with(service, token).status_code == 200, "to the service, this browser is a spectator's"


def test_a_sign_in_ends_with_the_time_of_its_key(service: Service, clock: MovableClock) -> None:
    clock.move(seconds=1)
    now = clock.time.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
    clock.move(seconds=-1)
    visitor = Visitor(service, service.person("play", expires_at=now).token)
    assert visitor.get("/tables").status_code == 200
    clock.move(seconds=1)
    assert visitor.get("/tables").status_code == 401
    assert visitor.get("/tables").status_code == 200


def test_a_key_may_be_pasted_with_spaces_line_breaks_and_unseen_signs(service: Service) -> None:
    person = service.person("play")
    pasted = f"\ufeff {person.token[:40]}\r\n{person.token[40:]}\N{ZERO WIDTH SPACE}\N{NO-BREAK SPACE}\n"
    assert person.owner in Visitor(service, pasted).page("/tables")


def test_a_key_that_has_ended_signs_nobody_in(service: Service) -> None:
    person = service.person("play", expires_at="2000-01-01T00:00:00.000Z")
    answer = Visitor(service).post("/sign-in", key=person.token)
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (401, False)
    assert "This key is unknown or has ended." in answer.text


def test_a_stale_cookie_keeps_nobody_from_signing_in(service: Service, clock: MovableClock) -> None:
    person = service.person("play")
    visitor = Visitor(service, person.token)
    visitor.client.set_cookie(PLAIN, token_of(visitor))  # a browser whose clock is slow still sends the cookie
    clock.move(hours=9)
    assert visitor.post("/sign-in", key=person.token).status_code == 303


def test_the_database_has_no_token_and_drops_what_has_expired(service: Service, clock: MovableClock) -> None:
    visitor = Visitor(service, service.person("play").token)
    with reading(service.parts.engine) as connection:
        rows = connection.exec_driver_sql("SELECT hex(token_hash), hex(key_id), expires_at FROM sign_ins").all()
    assert token_of(visitor) not in json.dumps([list(row) for row in rows]).lower()
    clock.move(hours=8)
    Visitor(service, service.person("play").token)
    assert sign_ins_of(service) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE sign_ins SET key_id = (SELECT key_id FROM keys WHERE key_id <> sign_ins.key_id LIMIT 1)",
        "UPDATE sign_ins SET expires_at = '9999-01-01T00:00:00.000Z'",
        "UPDATE sign_ins SET mark = zeroblob(32)",
    ],
)
def test_a_row_that_the_database_owner_changed_signs_nobody_in(service: Service, change: str) -> None:
    other, person = service.person("play"), service.person("play")
    visitor = Visitor(service, person.token)
    assert person.owner in visitor.page("/tables")
    with administering(service.parts.engine) as connection:
        connection.exec_driver_sql(change)
    page = visitor.page("/tables")
    assert (person.owner in page, other.owner in page) == (False, False)


def test_a_backup_has_no_sign_ins(service: Service, tmp_path: Path) -> None:
    Visitor(service, service.person("play").token)
    assert sign_ins_of(service)
    database_copy.back_up(service.parts.engine, tmp_path / "backup")
    with signing_in(tmp_path, f"sqlite:///{tmp_path / 'backup'}", key_file=service.parts.settings.key_file) as (
        there,
        _,
    ):
        assert sign_ins_of(there) == 0


@pytest.mark.parametrize(
    "cookie",
    [
        *(f"{PLAIN}={value}" for value in ("", "x", "0" * 64, "ab" * 40_000, '"\\377\\000"', "é" * 64, "%00", "a=b=c")),
        f"{PLAIN}",
        ";;;=;",
        f'{PLAIN}="',
        f"{PLAIN}={'a' * 64}; {PLAIN}={'b' * 64}",
        "\xff\xfe",
    ],
    ids=range(13),
)
def test_an_odd_cookie_is_none(service: Service, cookie: str) -> None:
    answer = Client(service.app, use_cookies=False).get("/tables", headers={"Cookie": cookie})
    assert (answer.status_code, "Sign in" in answer.text) == (200, True)


def test_the_api_reads_no_cookie_and_sends_none(service: Service) -> None:
    person = service.person("admin", "audit", owner=f"own_{'5e' * 16}")  # an owner whom no example of the API names
    visitor = Visitor(service, person.token)
    paths = [one.rule for one in service.app.url_map.iter_rules() if "GET" in (one.methods or ()) and not one.arguments]
    assert {"/v1/whoami", "/v1/tables", "/v1/keys", "/docs", "/metrics"} <= set(paths)
    for path in paths:
        signed_in, anybody = visitor.get(path), service.spectator._client.get(path)
        assert signed_in.status_code == anybody.status_code, path
        assert "Set-Cookie" not in signed_in.headers, path
        assert person.owner not in signed_in.text, path


def test_attempts_to_sign_in_count_against_the_limit_of_the_address(all_databases: Databases, tmp_path: Path) -> None:
    with (
        all_databases.migrated("sqlite") as url,
        signing_in(tmp_path, url, address_requests_per_second=1) as (service, _),
    ):
        wrong = f"ctk_{'0' * 32}_{'0' * 64}"
        visitor = Visitor(service)
        answers = [visitor.post("/sign-in", key=key) for key in [wrong, "nonsense", ""] * 3 + [wrong, wrong]]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert "Too many requests." in answers[-1].text


def test_no_key_and_no_token_is_logged(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = service.person("play")
    visitor = Visitor(service, person.token)
    tokens = [token_of(visitor)]
    wrong = person.token[:-1] + ("0" if person.token[-1] != "0" else "1")
    assert visitor.post("/sign-in", key=wrong).status_code == 401

    def fail(_: bytes) -> str:
        raise RuntimeError(person.token)

    with monkeypatch.context() as patch:
        patch.setattr(service.parts.browser_sessions, "begin", fail)
        answer = visitor.post("/sign-in", key=person.token)
    assert (answer.status_code, answer.mimetype) == (500, "text/html")
    written = capsys.readouterr()
    log = written.out + written.err
    assert '"route":"/sign-in"' in log
    assert '"error":"RuntimeError"' in log
    for secret in (*tokens, person.token.rpartition("_")[2], wrong.rpartition("_")[2]):
        assert secret not in log
        assert secret not in answer.text


def _signs_in(visitor: Visitor, key: str, headers: Mapping[str, str] = FROM_A_PAGE) -> str:
    answer = visitor.client.post("/sign-in", data={"key": key, "form_token": ""}, headers=headers)
    assert answer.status_code == 303, answer.text
    return answer.headers["Set-Cookie"]


def _attributes(set_cookie: str) -> tuple[str, set[str]]:
    """Return the name and the attributes of a cookie, without its time of expiry: Max-Age has the same time."""
    pair, *attributes = set_cookie.split("; ")
    return pair.partition("=")[0], {one for one in attributes if not one.startswith("Expires=")}
