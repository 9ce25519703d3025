"""The TypeScript example plays a whole game, with types that are generated from the API's document."""

import json
import re
import shlex
import shutil
from pathlib import Path

from tests.databases import Databases
from tests.house.tree import ROOT
from tests.http.service import running, serving
from tests.typescript import run

SPEC = ROOT / "api_spec"
EXAMPLE = SPEC / "typescript" / "whole_game.mts"
PAGE = (ROOT / "service" / "client" / "README.md").read_text()
WRONG = {
    "wrong_action.mts": ('type: "start_game"', 'type: "begin_game"'),
    "wrong_member.mts": ("listed.position", "listed.place"),
    "wrong_path.mts": ('"/v1/keys"', '"/v1/key"'),
}


def test_the_example_has_only_paths_and_actions_of_the_document() -> None:
    document, program = json.loads((SPEC / "openapi.json").read_text()), EXAMPLE.read_text()
    asked = set(re.findall(r'(?:host|player|client)\.(get|post)\("([^"]+)"', program))
    assert len(asked) == 6
    assert {(method, path) for method, path in asked if method not in document["paths"][path]} == set()
    kinds = set(re.findall(r'type(?: !== |: )"(\w+)"', program))
    assert kinds == {"resign", "start_game"}
    assert kinds <= set(document["components"]["schemas"]["Action"]["discriminator"]["mapping"])


def test_the_example_is_compiled_against_the_generated_types_and_plays_a_whole_game(
    all_databases: Databases, tmp_path: Path
) -> None:
    for file in (EXAMPLE, EXAMPLE.with_name("chiptrail.d.ts")):
        shutil.copy(file, tmp_path)
    for name, (right, wrong) in WRONG.items():
        assert right in EXAMPLE.read_text()
        (tmp_path / name).write_text(EXAMPLE.read_text().replace(right, wrong))
    (command,) = re.findall(r"^tsc .*$", PAGE, re.MULTILINE)
    done = run(*shlex.split(command), *WRONG, cwd=tmp_path)
    assert set(re.findall(r"^(\S+)\(\d+,\d+\): error", done.stdout, re.MULTILINE)) == {*WRONG}
    with all_databases.migrated("sqlite") as database, running(tmp_path, database) as service, serving(service) as url:
        key = {"CHIPTRAIL_KEY": service.person("admin", "host").token}
        played = run("node", EXAMPLE.with_suffix(".mjs").name, url, cwd=tmp_path, environment=key)
        assert (played.returncode, played.stderr) == (0, "")
        said = re.fullmatch(r"(tbl_\w+): seat (\d) won after (\d+) hands, (\d+) events\n", played.stdout)
        assert said
        table = service.spectator.get(f"/v1/tables/{said[1]}").get_json()
        assert (table["status"], table["winners"]) == ("finished", [int(said[2])])
        assert (table["hand"], table["position"]) == (int(said[3]), int(said[4]))
