"""Every setting has a flag, and every command on a database has a flag for the service key."""

import click
import pytest

from service.cli import main
from service.cli.keys import keys
from service.cli.support.command_group import COMMANDS
from service.settings import Settings
from tests.cli.commands import Instance, run
from tests.house.tree import ROOT

OF_THE_PLACE = {"database_url": "--database", "data_folder": "--data"}


def _command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found, name
    return found


def test_every_file_of_the_command_line_is_a_command() -> None:
    files = {file.stem for file in (ROOT / "service" / "cli").glob("*.py")}
    assert {file.removesuffix("_") for file in files - {"__init__", "__main__"}} == set(COMMANDS)
    assert [_command(name).name for name in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_every_setting_has_a_flag_of_its_name(command: str) -> None:
    flags = {option for parameter in _command(command).params for option in parameter.opts}
    wanted = {OF_THE_PLACE.get(name, f"--{name.replace('_', '-')}") for name in Settings.__struct_fields__}
    assert wanted - flags == set()


def test_the_service_key_can_be_named_wherever_it_is_needed() -> None:
    with_a_place = [
        command
        for command in (*map(_command, COMMANDS), *keys.commands.values())
        if any("--database" in parameter.opts for parameter in command.params)
    ]
    assert len(with_a_place) > 10
    for command in with_a_place:
        assert any("--key-file" in parameter.opts for parameter in command.params), command.name


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_cure_names_the_same_service_key(nowhere: Instance) -> None:
    said = nowhere.run("keys", "list", "--key-file", str(nowhere.data / "elsewhere.json"))
    assert said.code == 4
    assert f"--key-file {nowhere.data / 'elsewhere.json'}" in said.err


def test_a_flag_that_is_no_level_is_refused_by_its_name() -> None:
    said = run("serve", "--log-level", "loud")
    assert said.code == 2
    assert "--log-level" in said.err


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", {"COMP_WORDS": "chiptrail verif", "COMP_CWORD": "1"}),
        ("zsh", {"COMP_WORDS": "chiptrail verif", "COMP_CWORD": "1"}),
        ("fish", {"COMP_WORDS": "chiptrail verif", "COMP_CWORD": "verif"}),
    ],
)
def test_a_shell_gets_a_script_for_completion(shell: str, words: dict[str, str]) -> None:
    script = run("completion", shell)
    assert (script.code, "_CHIPTRAIL_COMPLETE" in script.out) == (0, True)
    assert "verify" in run(_CHIPTRAIL_COMPLETE=f"{shell}_complete", **words).out
