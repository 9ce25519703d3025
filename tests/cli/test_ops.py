"""The files of service/ops name only existing settings, flags, routes and files; the commands of their page work."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from configparser import ConfigParser
from pathlib import Path
from typing import Final, NamedTuple

import click
import pytest
import urllib3

from service import settings, settings_file
from service.cli import main
from service.cli.support.exit_codes import ExitCode
from service.cli.support.server_process import Server, free_port
from service.client.client import Client
from service.client.endpoints import Api
from service.entropy import Entropy
from service.http.operations.long_polls import MOST_SECONDS
from service.http.request.parsing import MOST_BODY_BYTES
from tests.cli.commands import Instance, Served, environment, running_server
from tests.cli.page_blocks import blocks
from tests.cli.played import Originals, two_tables
from tests.faults.servers import wait_until
from tests.house.tree import ROOT

OPS: Final = ROOT / "service" / "ops"
DOCKERFILE: Final = (OPS / "Dockerfile").read_text()
PAGE: Final = (OPS / "README.md").read_text()
LOCK: Final = "requirements.lock"


class Machine(NamedTuple):
    """A machine whose server has two finished tables; the file *config* has the server's settings."""

    folder: Path
    instance: Instance
    config: Path
    server: Server


@pytest.fixture(scope="module")
def machine(originals: Originals, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("machine")
    config = folder / "chiptrail.toml"
    with originals.copied("sqlite", two_tables, folder / "data") as (copy, _):
        instance = Instance(f"sqlite:///{folder}/data/chiptrail.db", folder / "data")
        shutil.copy(copy.database.removeprefix("sqlite:///"), instance.data / "chiptrail.db")
        config.write_text(f'data_folder = "{instance.data}"\nworkers = 1\n')
        with running_server(["--config", str(config)], folder / "log") as server:
            yield Machine(folder, instance, config, server)


def test_the_health_check_of_the_image_finds_out_whether_the_server_answers(running: dict[str, Served]) -> None:
    (check,) = re.findall(r"^ +CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    program, *arguments = json.loads(check)
    assert program == "python"
    port = running["sqlite"].url.rpartition(":")[2]
    assert "127.0.0.1:8000" in arguments[-1]
    for tried, code in ((port, 0), (str(free_port()), 1)):
        command = [sys.executable, *arguments[:-1], arguments[-1].replace("8000", tried)]
        assert subprocess.run(command, check=False, capture_output=True).returncode == code


@pytest.mark.full
def test_a_lost_machine_is_restored_elsewhere_and_what_it_acknowledged_is_compared(
    machine: Machine, quick_script: Path, tmp_path: Path
) -> None:
    """After the loss of all files of a server, the commands of the page restore the backup.

    A checkpoint from after the backup then shows that later events are missing.
    """
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chiptrail").symlink_to(quick_script)
    once, backup, *of_containers, restore, upgrade = blocks(PAGE)[2:]
    assert all("docker " in commands for commands in of_containers)
    kept, elsewhere = tmp_path / "kept", machine.folder / "elsewhere"

    def run(commands: str, config: Path, data: Path) -> subprocess.CompletedProcess[str]:
        changed = commands.replace("/var/lib/chiptrail", str(data)).replace("/var/backups/chiptrail", str(kept))
        path = f"{tmp_path / 'bin'}:{environment()['PATH']}"
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", changed.replace("http://127.0.0.1:8000", machine.server.url)],
            env=environment() | {"PATH": path, "CHIPTRAIL_CONFIG": str(config)},
            capture_output=True,
            text=True,
            check=False,
        )

    host = Api(Client(machine.server.url, machine.instance.first_key, Entropy()))
    for commands in (once, backup):
        done = run(commands, machine.config, machine.instance.data)
        assert done.returncode == 0, done.stderr
    passphrase = machine.instance.data / "passphrase.txt"
    signed = int((kept / "checkpoint").read_text().splitlines()[1])
    host.open_table("bankrupt", 2, {})  # acknowledged after the backup
    later = tmp_path / "later"
    wait_until(lambda: _checkpoint(machine.server.url, later) > signed)
    os.killpg(machine.server.process.pid, signal.SIGKILL)
    elsewhere.mkdir()
    shutil.copy(passphrase, elsewhere)
    shutil.rmtree(machine.instance.data)

    config = machine.folder / "elsewhere.toml"
    config.write_text(f'data_folder = "{elsewhere}"\n')
    done = run(restore, config, elsewhere)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing failed" in done.stdout
    done = run(f"chiptrail verify --checkpoint {later}", config, elsewhere)
    assert done.returncode == ExitCode.VERIFICATION_FAILED
    assert run(upgrade, config, elsewhere).returncode == 0


def _checkpoint(url: str, file: Path) -> int:
    """Write the newest checkpoint to *file*, and return its size."""
    text = urllib3.request("GET", f"{url}/v1/log/checkpoint", timeout=10).data.decode()
    file.write_text(text)
    return int(text.splitlines()[1])


def test_the_image_has_the_files_of_the_wheel_and_a_user_without_rights() -> None:
    copied = dict(re.findall(r"^COPY (\S+) (\S+)$", DOCKERFILE, re.MULTILINE))
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    places = {**{name: name for name in wheel["packages"]}, **wheel["force-include"]}
    assert {
        **{name: f"/srv/chiptrail/{place}" for name, place in places.items()},
        LOCK: f"/srv/chiptrail/{LOCK}",
    } == copied
    sources = [*copied, *re.findall(r"^COPY --chmod=755 (\S+) /usr/local/bin/chiptrail$", DOCKERFILE, re.MULTILINE)]
    assert len(sources) == len(re.findall("^COPY ", DOCKERFILE, re.MULTILINE))
    allowed = [line[1:] for line in (OPS / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")]
    for source in sources:
        assert (ROOT / source).exists()
        assert any(source == one or source.startswith(f"{one}/") for one in allowed), source
    (base,) = re.findall(r"^FROM (\S+)$", DOCKERFILE, re.MULTILINE)
    assert "/" not in base  # no registry's host
    assert "--require-hashes" in DOCKERFILE
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    variables = dict(re.findall(r"(CHIPTRAIL_\w+)=(\S+)", DOCKERFILE))
    assert variables
    assert settings.unknown(variables) == ()
    # With umask 077, only the owner can read the files of a clone; the image makes them readable for all.
    assert re.search(r"^RUN chmod -R a\+rX /srv/chiptrail ", DOCKERFILE, re.MULTILINE)
    (volumes,) = re.findall(r"^VOLUME (.+)$", DOCKERFILE, re.MULTILINE)
    mounts = set(re.findall(r"-v ([\w-]+):(/var/\S+)", PAGE))  # each volume has one name and one place on the page
    assert sorted(place for _, place in mounts) == sorted(volumes.split())
    assert str(settings.load(variables).data_folder) in volumes.split()
    must_be_a_command(json.loads(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0]))


def test_the_unit_names_existing_flags_and_waits_longer_than_a_stop_takes() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    unit.read(OPS / "chiptrail.service")
    service = unit["Service"]
    program, *command = shlex.split(service["ExecStart"])
    assert Path(program).name == "chiptrail"
    must_be_a_command(command)
    assert [int(code) for code in service["RestartPreventExitStatus"].split()] == [
        ExitCode.WRONG_USE,
        ExitCode.SCHEMA_NOT_AT_HEAD,
    ]
    chosen = settings.load({}, settings_file.read(OPS / "chiptrail.toml"))
    assert int(service["TimeoutStopSec"]) > chosen.drain_seconds + chosen.grace_seconds + 20
    assert chosen.data_folder == Path("/var/lib") / service["StateDirectory"]
    assert int(service["LimitNOFILE"]) > chosen.connections
    targets = re.findall(r"targets: (.*)", (OPS / "prometheus.yml").read_text())
    assert targets == [f'["{chosen.metrics_host}:{chosen.metrics_port}"]']


def test_the_proxy_lets_streams_through_at_once_and_agrees_with_the_limits_of_the_server() -> None:
    text = (OPS / "nginx.conf").read_text()
    (streams,) = re.findall(r"location ~ (\S+) \{[^}]*proxy_buffering off;", text)
    paths = json.loads((ROOT / "api_spec" / "openapi.json").read_text())["paths"]
    routes = [path for path, item in paths.items() if "text/event-stream" in json.dumps(item.get("get", {}))]
    for module in (ROOT / "service" / "web" / "pages").rglob("*.py"):
        if "text/event-stream" in (source := module.read_text()):
            routes += re.findall(r'@pages\.get\("([^"]+)"\)', source)
    assert len(routes) == 3
    for route in routes:
        assert re.match(streams, re.sub(r"[{<][^}>]+[}>]", "tbl_1", route)), route
    chosen = settings.load({})
    assert int(re.findall(r"keepalive_timeout (\d+)s;", text)[0]) < chosen.idle_seconds
    assert int(re.findall(r"proxy_read_timeout (\d+)s;", text)[0]) > MOST_SECONDS
    assert int(re.findall(r"client_max_body_size (\d+)k;", text)[0]) * 1024 > MOST_BODY_BYTES
    assert int(re.findall(r"limit_conn chiptrail_addresses (\d+);", text)[0]) == chosen.connections_per_address


def test_the_page_lists_every_file_and_its_commands_exist() -> None:
    linked = set(re.findall(r"\]\(([\w.]+)\)", PAGE.partition("## Install")[0]))
    inside = {"Dockerfile.dockerignore", "chiptrail.sh", "README.md"}  # parts of the image, and the page itself
    assert linked | inside == {path.name for path in OPS.iterdir()}
    for block in blocks(PAGE)[:2]:
        for line in block.replace("\\\n", "").splitlines():
            words = shlex.split(line, comments=True)
            named = [word for word in words if word.startswith("service/") or word == LOCK]
            assert all((ROOT / word).exists() for word in named), line
            if words[0] == "docker" and words[1] == "exec":
                words = words[3:]
            if words[:4] == ["sudo", "-E", "-u", "chiptrail"]:
                words = words[4:]
            if words[0] == "chiptrail":
                must_be_a_command(words[1:])


def must_be_a_command(words: Sequence[str]) -> None:
    """Check that *words* are a command of Chiptrail, with flags that it has."""
    name, *arguments = words
    command = main.get_command(click.Context(main), name)
    assert command, name
    command.make_context(name, list(arguments))
