"""systemd, Prometheus, nginx and docker, where they are installed, accept their files of service/ops."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from service.client.client import Client
from service.client.endpoints import Api
from service.entropy import Entropy
from tests.cli import commands, proxied
from tests.cli.commands import Instance, Served, running_server
from tests.cli.proxied import Proxy
from tests.databases import SQLITE, Databases
from tests.faults.servers import wait_until
from tests.house.tree import ROOT
from tests.http.streams import EVENTS, frames
from tests.web.world import FROM_A_PAGE

OPS = ROOT / "service" / "ops"
WITH_NGINX = pytest.mark.skipif(proxied.program() is None, reason="nginx is not installed")
REQUESTS_PER_SECOND = 5
CONNECTIONS = 8


@pytest.mark.full
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "chiptrail.service"
    program = shutil.which("true")
    unit.write_text((OPS / unit.name).read_text().replace("/usr/local/lib/chiptrail/bin/chiptrail", f"{program}"))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_prometheus_accepts_the_rules_and_raises_the_alerts() -> None:
    for arguments in (
        ("check", "config", str(OPS / "prometheus.yml")),
        ("test", "rules", str(Path(__file__).with_name("alerts_test.yml"))),
    ):
        done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def behind(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Proxy]]:
    """Yield a server whose settings say that one proxy is in front of it, and nginx as this proxy."""
    folder = tmp_path_factory.mktemp("behind")
    with all_databases.migrated(SQLITE) as url:
        instance = Instance(url, folder / "data")
        limits = ("--address-requests-per-second", str(REQUESTS_PER_SECOND), "--owner-requests-per-second", "0")
        flags = (*instance.flags, "--proxies", "1", "--workers", "1", *limits)
        with running_server(flags, folder / "log") as server, proxied.proxied(folder, server.url, CONNECTIONS) as proxy:
            yield Served(instance, server), proxy


@pytest.mark.full
@WITH_NGINX
def test_whole_games_are_played_through_nginx_with_tls(
    behind: tuple[Served, Proxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, proxy = behind
    monkeypatch.setenv("SSL_CERT_FILE", str(proxy.certificate))
    key = str(served.instance.data / "first-key.txt")
    said = commands.run("play", "--url", proxy.url, "--key-file", key, "--players", "2", "--option", "buy_in=3")
    assert said.code == 0, said.err
    assert "won by" in said.out
    assert served.instance.run("verify").code == 0


@pytest.mark.full
@WITH_NGINX
def test_through_nginx_an_event_leaves_a_stream_and_a_long_poll_at_once(behind: tuple[Served, Proxy]) -> None:
    served, proxy = behind
    host, table = _table(served)
    path, asked = f"/v1/tables/{table}/events", _headers(served)
    with (
        ThreadPoolExecutor(1) as threads,
        proxy.answer("GET", path, asked | {"Accept": EVENTS}) as stream,
        proxy.answer("GET", "/v1/feed", asked | {"Accept": EVENTS}) as feed,
        proxy.answer("GET", f"/tables/{table}/live?after=1", {"Accept": EVENTS}) as live,
    ):
        events = frames(stream)
        assert next(events).id == "1"
        assert (feed.status, live.status) == (200, 200)
        polled = threads.submit(_page, proxy, f"{path}?after=1&wait=30", asked)
        begun = time.monotonic()
        host.act(table, {"type": "close_table"})
        assert next(events).id == "2"
        assert next(frames(live)).id == "2"
        assert polled.result()["items"][0]["leaf"]["position"] == 2
        assert any("table_closed" in frame.data and table in frame.data for frame in frames(feed))
        assert time.monotonic() - begun < 20  # with buffering by nginx or a missed event it would be 30 s


@pytest.mark.full
@WITH_NGINX
def test_behind_nginx_limits_count_the_address_of_the_client_and_not_what_it_claims(
    behind: tuple[Served, Proxy],
) -> None:
    _, proxy = behind
    claimed = [f"10.0.0.{number}" for number in range(10 * REQUESTS_PER_SECOND + 20)]
    statuses = [proxy.status("/v1/games", X_Forwarded_For=address) for address in claimed]
    assert set(statuses) == {200, 429}
    assert statuses[0] == 200


@pytest.mark.full
@WITH_NGINX
def test_nginx_redirects_to_tls_and_sends_hsts(behind: tuple[Served, Proxy]) -> None:
    _, proxy = behind
    with proxy.answer("GET", "/tables?status=open", {}, plain=True) as plain:
        assert (plain.status, plain.headers["Location"]) == (308, "https://127.0.0.1/tables?status=open")
    with proxy.answer("GET", "/healthz", {}) as secure:
        assert (secure.status, secure.headers["Strict-Transport-Security"]) == (200, "max-age=63072000")


@pytest.mark.full
@WITH_NGINX
def test_nginx_limits_the_connections_of_an_address(behind: tuple[Served, Proxy]) -> None:
    served, proxy = behind
    _, table = _table(served)
    asked = _headers(served) | {"Accept": EVENTS}
    with ExitStack() as streams:
        for _ in range(CONNECTIONS):
            answer = proxy.answer("GET", f"/v1/tables/{table}/events", asked)
            assert streams.enter_context(answer).status == 200
        assert proxy.status("/healthz") == 503
    wait_until(lambda: proxy.status("/healthz") == 200)


@pytest.mark.full
@WITH_NGINX
def test_the_cookie_of_a_browser_behind_nginx_is_bound_to_tls(behind: tuple[Served, Proxy]) -> None:
    served, proxy = behind
    form = urlencode({"key": served.instance.first_key, "form_token": ""}).encode()
    headers = {**FROM_A_PAGE, "Content-Type": "application/x-www-form-urlencoded"}
    with proxy.answer("POST", "/sign-in", headers, form) as answer:
        assert answer.status == 303
        assert re.match("__Host-.*; Secure", answer.headers["Set-Cookie"])


def _table(served: Served) -> tuple[Api, str]:
    host = Api(Client(served.url, served.instance.first_key, Entropy()))
    return host, host.open_table("bankrupt", 2, {})


def _headers(served: Served) -> dict[str, str]:
    return {"Authorization": f"Bearer {served.instance.first_key}"}


def _page(proxy: Proxy, path: str, headers: Mapping[str, str]) -> Any:  # noqa: ANN401 -- JSON may be any value
    with proxy.answer("GET", path, headers) as response:
        return json.load(response)


@pytest.mark.full
def test_docker_builds_an_image_whose_server_becomes_healthy() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run((docker, "info"), capture_output=True, check=False).returncode:
        pytest.skip("there is no docker with a daemon")
    name = f"chiptrail-test-{os.getpid()}"
    build = ("docker", "build", "-q", "-t", name, "-f", "service/ops/Dockerfile", ".")
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    try:
        subprocess.run(("docker", "run", "-d", "--name", name, name), check=True, capture_output=True)
        wait_until(lambda: _docker("inspect", "-f", "{{.State.Health.Status}}", name).strip() == "healthy")
        assert '"check":"log","state":"ok"' in _docker("exec", name, "chiptrail", "doctor", "--json")
        assert _docker("exec", name, "id", "-u").strip() == "10001"
    finally:
        _docker("rm", "-f", "-v", name)
        _docker("rmi", name)


def _docker(*arguments: str) -> str:
    return subprocess.run(("docker", *arguments), capture_output=True, text=True, check=False).stdout
