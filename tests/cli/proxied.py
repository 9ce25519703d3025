"""Runs nginx in front of a server, with the example configuration of service/ops and a new certificate."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Final, NamedTuple

from service.cli.support.server_process import free_port, stop
from tests.faults.servers import wait_until
from tests.house.tree import ROOT

EXAMPLE: Final = ROOT / "service" / "ops" / "nginx.conf"
_MAIN: Final = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/chiptrail.conf;
}}
"""


class Proxy(NamedTuple):
    """nginx on ports of this machine: *port* with TLS, *plain_port* without; clients trust *certificate*."""

    port: int
    plain_port: int
    certificate: Path

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @contextmanager
    def answer(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None, *, plain: bool = False
    ) -> Iterator[HTTPResponse]:
        """Yield the response to a request on a new connection (TLS unless *plain* is True); then close it."""
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        connection = (
            HTTPConnection("127.0.0.1", self.plain_port, timeout=30)
            if plain
            else HTTPSConnection("127.0.0.1", self.port, timeout=30, context=trusted)
        )
        try:
            connection.request(method, path, body, dict(headers))
            with connection.getresponse() as response:
                yield response
        finally:
            connection.close()

    def status(self, path: str, **headers: str) -> int:
        """Return the status of the response to GET *path*."""
        with self.answer("GET", path, {name.replace("_", "-"): value for name, value in headers.items()}) as response:
            return response.status


def program() -> str | None:
    """Return the path of nginx, which Debian does not put on the path of ordinary users; None: not installed."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def configure(folder: Path, upstream: str, connections: int = 500) -> Proxy:
    """Write the example configuration to *folder*, with free ports and a new certificate.

    *connections* is the largest number of connections that nginx accepts from one address.
    """
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject)
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    proxy = Proxy(free_port(), free_port(), certificate)
    changed = {
        r"server 127\.0\.0\.1:8000;": f"server {upstream.removeprefix('http://')};",
        r"listen 443 ": f"listen 127.0.0.1:{proxy.port} ",
        r"listen 80;": f"listen 127.0.0.1:{proxy.plain_port};",
        r" *listen \[::\].*;\n": "",
        r"cards\.example": "127.0.0.1",
        r"/etc/nginx/chiptrail\.crt": str(certificate),
        r"/etc/nginx/chiptrail\.key": str(key),
        r"chiptrail_addresses 500;": f"chiptrail_addresses {connections};",
    }
    text = EXAMPLE.read_text()
    for old, new in changed.items():
        text, count = re.subn(old, new, text)
        assert count, old
    (folder / "chiptrail.conf").write_text(text)
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder))
    return proxy


@contextmanager
def proxied(folder: Path, upstream: str, connections: int = 500) -> Iterator[Proxy]:
    """Run nginx, with the example configuration and its files in *folder*, in front of the server at *upstream*."""
    nginx = program()
    assert nginx
    proxy = configure(folder, upstream, connections)
    process = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"])
    try:
        wait_until(lambda: _answers(proxy))
        yield proxy
    finally:
        stop(process)


def _answers(proxy: Proxy) -> bool:
    with suppress(OSError):
        return proxy.status("/healthz") == 200
    return False
