from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from service.settings import SettingsError, load, unknown


def test_without_settings_all_files_are_in_one_folder_on_sqlite() -> None:
    settings = load({})
    folder = Path.cwd() / "chiptrail-data"
    assert settings.data_folder == folder
    assert settings.database_url == f"sqlite:///{folder}/chiptrail.db"
    assert settings.key_file == folder / "service-key.json"
    assert settings.first_key_file == folder / "first-key.txt"
    assert (settings.host, settings.port, settings.threads, settings.log_level) == ("127.0.0.1", 8000, 32, "info")


def test_the_environment_sets_every_setting() -> None:
    settings = load(
        {
            "CHIPTRAIL_DATA_FOLDER": "/var/lib/chiptrail",
            "CHIPTRAIL_DATABASE_URL": "postgresql:///chiptrail",
            "CHIPTRAIL_KEY_FILE": "/run/key.json",
            "CHIPTRAIL_FIRST_KEY_FILE": "/run/first.txt",
            "CHIPTRAIL_HOST": "::1",
            "CHIPTRAIL_PORT": "65535",
            "CHIPTRAIL_THREADS": "32",
            "CHIPTRAIL_LOG_LEVEL": "debug",
            "CHIPTRAIL_OF_ANOTHER_PROGRAM": "is left alone",
        }
    )
    assert settings.data_folder == Path("/var/lib/chiptrail")
    assert settings.database_url == "postgresql:///chiptrail"
    assert settings.key_file == Path("/run/key.json")
    assert settings.first_key_file == Path("/run/first.txt")
    assert (settings.host, settings.port, settings.threads, settings.log_level) == ("::1", 65535, 32, "debug")


def test_limits_have_defaults_and_zero_switches_a_limit_off() -> None:
    settings = load({})
    assert (settings.owner_requests_per_second, settings.address_requests_per_second) == (100, 50)
    assert (settings.tables_per_owner, settings.seats_per_owner, settings.keys_per_owner) == (1000, 1000, 1000)
    assert (settings.proxies, settings.cors_origins, settings.drain_seconds, settings.grace_seconds) == (0, (), 0, 10)
    settings = load(
        {
            "CHIPTRAIL_OWNER_REQUESTS_PER_SECOND": "0",
            "CHIPTRAIL_ADDRESS_REQUESTS_PER_SECOND": "7",
            "CHIPTRAIL_TABLES_PER_OWNER": "3",
            "CHIPTRAIL_SEATS_PER_OWNER": "0",
            "CHIPTRAIL_KEYS_PER_OWNER": "4",
            "CHIPTRAIL_PROXIES": "2",
            "CHIPTRAIL_DRAIN_SECONDS": "5",
        }
    )
    assert (settings.owner_requests_per_second, settings.address_requests_per_second) == (0, 7)
    assert (settings.tables_per_owner, settings.seats_per_owner, settings.keys_per_owner) == (3, 0, 4)
    assert (settings.proxies, settings.drain_seconds) == (2, 5)


def test_origins_are_separated_by_commas() -> None:
    settings = load({"CHIPTRAIL_CORS_ORIGINS": "https://cards.example, http://localhost:5173,"})
    assert settings.cors_origins == ("https://cards.example", "http://localhost:5173")


def test_an_unknown_variable_is_found() -> None:
    environment = {"CHIPTRAIL_PROT": "1", "CHIPTRAIL_PORT": "1", "CHIPTRAIL_WORKERS": "2", "PATH": "/bin"}
    assert unknown(environment | {"CHIPTRAIL_TEST_GO": "required"}) == ("CHIPTRAIL_PROT",)


def test_files_follow_the_data_folder_unless_they_are_set_themselves() -> None:
    settings = load({"CHIPTRAIL_DATA_FOLDER": "/data", "CHIPTRAIL_KEY_FILE": "/run/key.json"})
    assert settings.database_url == "sqlite:////data/chiptrail.db"
    assert settings.first_key_file == Path("/data/first-key.txt")
    assert settings.key_file == Path("/run/key.json")


def test_a_flag_comes_before_the_environment_and_an_empty_flag_sets_nothing() -> None:
    environment = {"CHIPTRAIL_PORT": "9000", "CHIPTRAIL_HOST": "", "CHIPTRAIL_THREADS": "4"}
    settings = load(environment, port=9001, threads=None, host="", data_folder=Path("/data"))
    assert (settings.port, settings.threads, settings.host) == (9001, 4, "127.0.0.1")
    assert settings.data_folder == Path("/data")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CHIPTRAIL_PORT", "0"),
        ("CHIPTRAIL_PORT", "65536"),
        ("CHIPTRAIL_PORT", "-1"),
        ("CHIPTRAIL_PORT", "80a"),
        ("CHIPTRAIL_PORT", "8000.0"),
        ("CHIPTRAIL_PORT", "8२३४"),
        ("CHIPTRAIL_PORT", "9" * 5000),
        ("CHIPTRAIL_THREADS", "0"),
        ("CHIPTRAIL_THREADS", "many"),
        ("CHIPTRAIL_LOG_LEVEL", "loud"),
        ("CHIPTRAIL_OWNER_REQUESTS_PER_SECOND", "-1"),
        ("CHIPTRAIL_OWNER_REQUESTS_PER_SECOND", "00"),
        ("CHIPTRAIL_ADDRESS_REQUESTS_PER_SECOND", "1000001"),
        ("CHIPTRAIL_TABLES_PER_OWNER", "some"),
        ("CHIPTRAIL_PROXIES", "11"),
        ("CHIPTRAIL_DRAIN_SECONDS", "301"),
        ("CHIPTRAIL_GRACE_SECONDS", "0"),
        ("CHIPTRAIL_CORS_ORIGINS", "*"),
        ("CHIPTRAIL_CORS_ORIGINS", "https://cards.example/"),
        ("CHIPTRAIL_CORS_ORIGINS", "https://*.cards.example"),
        ("CHIPTRAIL_CORS_ORIGINS", "cards.example"),
        ("CHIPTRAIL_CORS_ORIGINS", "https://Cards.example"),
        ("CHIPTRAIL_CORS_ORIGINS", "null"),
        ("CHIPTRAIL_DATABASE_URL", "mysql://here/there"),
        ("CHIPTRAIL_DATABASE_URL", "chiptrail.db"),
        ("CHIPTRAIL_DATABASE_URL", "sqlite://"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"{variable} must be"):
        load({variable: value})


def test_a_flag_that_sets_nothing_known_is_refused() -> None:
    with pytest.raises(SettingsError, match="colour"):
        load({}, colour="red")


SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me@db/chips", "postgresql://me@db/chips"),
        (f"postgresql://me:{SECRET}@db:5432/chips", "postgresql://me:***@db:5432/chips"),
        (f"postgresql+psycopg://:{SECRET}@db/chips", "postgresql+psycopg://:***@db/chips"),
        (f"postgresql://me:{SECRET}@un@escaped/:{SECRET}@db/chips", "postgresql://me:***@db/chips"),
        (f"postgresql://me:a\n{SECRET}@db/chips", "postgresql://me:***@db/chips"),
        (
            f"postgresql:///chips?user=me&password={SECRET}&sslmode=require",
            "postgresql:///chips?user=me&password=***&sslmode=require",
        ),
        (f"postgresql:///chips?sslPassword={SECRET}", "postgresql:///chips?sslPassword=***"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    settings = load({}, database_url=url)
    assert settings.database_url == url
    assert settings.shown_database_url == shown
    output = StringIO()
    Console(file=output, width=500).print(settings)
    assert SECRET not in repr(settings) + output.getvalue()
    assert "***" in repr(settings) or SECRET not in url


def test_an_error_does_not_show_a_password_either() -> None:
    with pytest.raises(SettingsError) as refused:
        load({}, database_url=f"mysql://me:{SECRET}@db/chips")
    assert SECRET not in str(refused.value)
    assert "mysql://me:***@db/chips" in str(refused.value)
