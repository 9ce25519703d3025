"""The settings file: its names, its types, and its place between the environment and the defaults."""

import os
from pathlib import Path
from typing import Final

import pytest

from service import settings_file
from service.settings import Settings, SettingsError, load

EVERY_SETTING: Final = """\
data_folder = "/data"
database_url = "postgresql://me:secret@db/chips"
key_file = "/run/key.json"
first_key_file = "/run/first.txt"
log_key_file = "/run/log-key.txt"
log_vkey = "a+b+c"
host = "::1"
port = 1
workers = 2
threads = 3
waiting_places = 4
waiting_places_each = 5
connections = 6
connections_per_address = 7
idle_seconds = 8
body_seconds = 9
log_level = "error"
owner_requests_per_second = 0
address_requests_per_second = 11
tables_per_owner = 12
seats_per_owner = 13
keys_per_owner = 14
proxies = 10
cors_origins = ["https://a.example", "https://b.example"]
witnesses = ["w.example/w1+df1c0a35+BIE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU=https://w.example"]
metrics_host = "::2"
metrics_port = 18
drain_seconds = 19
grace_seconds = 20
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chiptrail.toml"


def loaded(file: Path, content: str, **environment: str) -> Settings:
    """Write *content* to *file*; return the settings from it and from *environment*, whose names lack CHIPTRAIL_."""
    file.write_text(content)
    return load({f"CHIPTRAIL_{name}": value for name, value in environment.items()}, settings_file.read(file))


def test_the_file_sets_every_setting_by_its_name_in_lower_case(file: Path) -> None:
    chosen, default = loaded(file, EVERY_SETTING), load({})
    names = [line.partition(" ")[0] for line in EVERY_SETTING.splitlines()]
    assert tuple(names) == Settings.__struct_fields__
    assert [name for name in names if getattr(chosen, name) == getattr(default, name)] == ["workers"]
    assert chosen.workers == 2
    assert (chosen.port, chosen.owner_requests_per_second, chosen.key_file) == (1, 0, Path("/run/key.json"))
    assert chosen.cors_origins == ("https://a.example", "https://b.example")


def test_the_file_comes_after_a_flag_and_a_variable_and_before_the_default(file: Path) -> None:
    file.write_text('port = 1\nthreads = 1\nworkers = 1\nhost = ""\ncors_origins = []\n')
    environment = {"CHIPTRAIL_PORT": "2", "CHIPTRAIL_THREADS": "2"}
    chosen = load(environment, settings_file.read(file), port=3)
    assert (chosen.port, chosen.threads, chosen.workers, chosen.grace_seconds) == (3, 2, 1, 10)
    assert (chosen.host, chosen.cors_origins) == ("127.0.0.1", ())  # an empty value counts as not given


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prot = 1", "'prot' in FILE is not a setting; did you mean 'port'?"),
        ("PORT = 1", "'PORT' in FILE is not a setting; did you mean 'port'?"),
        ("CHIPTRAIL_PORT = 1", "'CHIPTRAIL_PORT' in FILE is not a setting; did you mean 'port'?"),
        ("[server]\nport = 1", "'server' in FILE is not a setting."),
        ("config = '/other'", "'config' in FILE is not a setting."),
        ("port = '1'", "port in FILE must be a whole number without quotation marks."),
        ("port = true", "port in FILE must be a whole number without quotation marks."),
        ("port = 1.0", "port in FILE must be a whole number without quotation marks."),
        ("port.number = 1", "port in FILE must be a whole number without quotation marks."),
        ("port = 65536", "port in FILE must be a whole number from 1 to 65535, not '65536'."),
        ("port = -1", "port in FILE must be a whole number from 1 to 65535, not '-1'."),
        ("host = 1", "host in FILE must be a text in quotation marks."),
        ("log_level = ['info']", "log_level in FILE must be a text in quotation marks."),
        ("log_level = 'loud'", "log_level in FILE must be one of debug, info, warning, error, not 'loud'."),
        ("cors_origins = 'https://a.example'", "cors_origins in FILE must be a list of texts without commas"),
        ("cors_origins = [1]", "cors_origins in FILE must be a list of texts without commas"),
        ("cors_origins = ['https://a.example,https://b.example']", "cors_origins in FILE must be a list of texts"),
        ("cors_origins = ['a']", "cors_origins in FILE must be origins like"),
        ("key_file = 'key.json'", "key_file in FILE must be an absolute path"),
        ('key_file = "/run/\\u0000"', "key_file in FILE must have no control characters."),
        ('host = "a\\nb"', "host in FILE must have no control characters."),
        ("data_folder = 1", "data_folder in FILE must be a text in quotation marks."),
        ("database_url = 'sqlite:///here.db'", "database_url in FILE must name its file by an absolute path"),
        ("database_url = 'mysql://me:secret@db/x'", "database_url in FILE must be one of"),
        ("port = 0x" + "f" * 5000, "port in FILE must be a whole number from 1 to 65535, not '0xfff"),
        ("port = 1\nport = 2\n", "FILE is not TOML: Cannot overwrite a value (at line 2"),
        ("port = \n", "FILE is not TOML: Invalid value (at line 1"),
        ("port = " + "9" * 5000, "FILE is not TOML: "),
        ("port = " + "[" * 60_000, "FILE is not TOML: "),
        ("#" * 65_537, "FILE has more than 65,536 bytes."),
    ],
)
def test_a_mistake_is_refused_by_the_names_of_the_file_and_the_key(file: Path, content: str, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        loaded(file, content)
    assert message in str(refused.value).replace(str(file), "FILE")
    assert "secret" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    os.mkfifo(tmp_path / "pipe")
    for name, message in (
        ("none", "can't be read: No such file or directory"),
        (".", "is not a regular file"),
        ("pipe", "is not a regular file"),
        ("latin", "is not UTF-8 at byte 0"),
    ):
        with pytest.raises(SettingsError) as refused:
            settings_file.read(tmp_path / name)
        assert str(refused.value) == f"The settings file {tmp_path / name} {message}."
