"""The first key of a database is made once, even if an earlier release derived its id in another way."""

from pathlib import Path

from msgspec.structs import replace
from sqlalchemy import Engine

from service import settings
from service.api_keys import repository
from service.api_keys.repository import SCOPES, Key
from service.cli.support import first_key
from service.database.engines import administering
from service.entropy import Entropy
from service.secrets.keyring import LastingSecrets, derive
from tests.contract.service_logs import service_log

KEY = derive(f"svk_{'1' * 32}", b"\1" * 32)


def test_a_database_that_has_its_first_key_gets_no_second_first_key(engine: Engine, tmp_path: Path) -> None:
    chosen = settings.load({}, data_folder=tmp_path)
    made_before = Key(
        key_id=b"\7" * 16,  # as if an earlier release had derived the id
        owner="own_" + "7" * 32,
        scopes=SCOPES,
        secret_hash=bytes(32),
        label="first key",
        made_by=repository.SERVICE,
        made_at="2026-01-01T00:00:00.000Z",
    )
    with administering(engine) as connection:
        repository.add(connection, made_before)
        assert not first_key.ensure(connection, KEY, service_log(), chosen, Entropy())
        assert [key.key_id for key in repository.admin_keys(connection)] == [made_before.key_id]
    assert not chosen.first_key_file.exists()


def test_the_first_key_stays_the_first_under_another_service_key(engine: Engine, tmp_path: Path) -> None:
    chosen = settings.load({}, data_folder=tmp_path)
    lasting = LastingSecrets(api_secret=KEY.api_secret.hex(), derivation_secret=KEY.derivation_secret.hex())
    rotated = derive(f"svk_{'2' * 32}", b"\2" * 32, lasting)
    with administering(engine) as connection:
        assert first_key.ensure(connection, KEY, service_log(), chosen, Entropy())
        token = chosen.first_key_file.read_text().strip()
        chosen.first_key_file.unlink()
        assert not first_key.ensure(connection, rotated, service_log(), chosen, Entropy())
        first = repository.first_service_key(connection)
    assert first is not None
    assert repository.token(rotated, first.key_id) == token
    assert not repository.matches(replace(first, secret_hash=bytes(32)), token.rpartition("_")[2])
    assert repository.matches(first, token.rpartition("_")[2])
