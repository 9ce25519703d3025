"""Builds and runs the image with buildah, if buildah and the base image are installed."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from service.cli.support.server_process import free_port
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.entropy import Entropy
from tests.faults.servers import wait_until
from tests.house.tree import ROOT

FOLDER = Path("service/ops")
DOCKERFILE = (ROOT / FOLDER / "Dockerfile").read_text()


def buildah(*words: str) -> str:
    done = subprocess.run(["buildah", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture
def container(tmp_path: Path) -> Iterator[str]:
    """Build the image from a clone that only its owner can read; yield a container of this image."""
    (base,) = re.findall(r"^FROM (\S+)$", DOCKERFILE, re.MULTILINE)
    if shutil.which("buildah") is None or not buildah("images", "--quiet", "--filter", f"reference={base}"):
        pytest.skip(f"buildah or the image {base} is not installed")
    for name in ("service", "migrations", "api_spec"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    for path in tmp_path.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    file = tmp_path / FOLDER / "Dockerfile"
    words = ("--format", "docker", "--isolation", "chroot", "--pull-never", "--quiet", "--file", str(file))
    image = buildah("build", *words, str(tmp_path)).splitlines()[-1]
    made = buildah("from", "--pull-never", image)
    yield made
    buildah("rm", made)
    buildah("rmi", image)


@pytest.mark.full
def test_a_user_without_rights_serves_a_game_in_the_image_of_a_private_clone(container: str) -> None:
    inside = ("run", "--isolation", "chroot", container, "--")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        ["buildah", *inside, "chiptrail", "serve", "--migrate", "--port", str(port)], start_new_session=True
    ) as server:
        try:
            wait_until(lambda: server.poll() is not None or _answers(url))
            game = ("--players", "2", "--option", "buy_in=3")
            key = "/var/lib/chiptrail/first-key.txt"
            assert "won by" in buildah(*inside, "chiptrail", "play", "--url", url, "--key-file", key, *game)
            assert buildah(*inside, "id", "-u") == "10001"
            assert buildah(*inside, "sh", "-c", "touch /srv/chiptrail/x 2>/dev/null || echo refused") == "refused"
        finally:
            with suppress(ProcessLookupError):  # the server did not start
                os.killpg(server.pid, signal.SIGTERM)
    assert "nothing failed" in buildah(*inside, "chiptrail", "verify")


def _answers(url: str) -> bool:
    with closing(Client(url, "", Entropy(), patience_seconds=0)) as client, suppress(ServerGone):
        client.get("/readyz", dict[str, str])
        return True
    return False
