"""The TypeScript example plays a whole game, with types that are generated from the API's document."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.databases import Databases
from tests.house.tree import ROOT
from tests.http.service import running, serving

SPEC = ROOT / "api_spec"
EXAMPLE = SPEC / "typescript" / "whole_game.mts"
PAGE = (ROOT / "service" / "client" / "README.md").read_text()
TOOLS = ("node", "openapi-typescript", "tsc")


def test_the_example_has_only_paths_and_actions_of_the_document() -> None:
    document, program = json.loads((SPEC / "openapi.json").read_text()), EXAMPLE.read_text()
    asked = set(re.findall(r'(?:host|player|client)\.(get|post)\("([^"]+)"', program))
    assert len(asked) == 6
    assert {(method, path) for method, path in asked if method not in document["paths"][path]} == set()
    kinds = set(re.findall(r'type(?: !== |: )"(\w+)"', program))
    assert kinds == {"resign", "start_game"}
    assert kinds <= set(document["components"]["schemas"]["Action"]["discriminator"]["mapping"])


def compile_in(folder: Path, program: str) -> "subprocess.CompletedProcess[str]":
    """Compile *program* in *folder* with the command on the page of the client kit."""
    (folder / EXAMPLE.name).write_text(program)
    (command,) = re.findall(r"^npx (tsc .*)$", PAGE, re.MULTILINE)
    return subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_the_example_is_compiled_against_generated_types_and_plays_a_whole_game(
    all_databases: Databases, tmp_path: Path
) -> None:
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"There is no {' and no '.join(missing)}; npm installs the packages that the client kit names.")
    shutil.copy(SPEC / "openapi.json", tmp_path)
    (command,) = re.findall(r"^npx (openapi-typescript .*)$", PAGE, re.MULTILINE)
    subprocess.run(shlex.split(command), cwd=tmp_path, capture_output=True, check=True)
    wrong = compile_in(tmp_path, EXAMPLE.read_text().replace('type: "start_game"', 'type: "begin_game"'))
    assert (wrong.returncode, '"begin_game"' in wrong.stdout) == (2, True)
    done = compile_in(tmp_path, EXAMPLE.read_text())
    assert (done.returncode, done.stdout) == (0, "")
    with all_databases.migrated("sqlite") as database, running(tmp_path, database) as service, serving(service) as url:
        key = {"CHIPTRAIL_KEY": service.person("admin", "host").token}
        asked = ["node", str((tmp_path / EXAMPLE.name).with_suffix(".mjs")), url]
        played = subprocess.run(asked, capture_output=True, text=True, check=False, env={**os.environ, **key})
        assert (played.returncode, played.stderr) == (0, "")
        said = re.fullmatch(r"(tbl_\w+): seat (\d) won after (\d+) hands, (\d+) events\n", played.stdout)
        assert said
        table = service.spectator.get(f"/v1/tables/{said[1]}").get_json()
        assert (table["status"], table["winners"]) == ("finished", [int(said[2])])
        assert (table["hand"], table["position"]) == (int(said[3]), int(said[4]))
