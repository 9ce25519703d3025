import threading

import pytest
from sqlalchemy import Engine

from service.database.engines import administering, reading
from service.secrets.key_check import OtherServiceKey, check_service_key, service_keys
from service.secrets.keyring import ServiceKey, derive
from service.secrets.receipts import public_key
from tests import databases
from tests.event_store.streams import KEY

OTHER = derive(f"svk_{8:032x}", bytes(32))


def start(engine: Engine, key: ServiceKey) -> None:
    with administering(engine) as connection:
        check_service_key(connection, key)


def test_a_new_database_belongs_to_the_first_key_that_comes(storage: Engine) -> None:
    start(storage, KEY)
    start(storage, KEY)
    with reading(storage) as connection:
        (row,) = connection.execute(service_keys.select())
    assert row.key_id.hex() == KEY.key_id.removeprefix("svk_")
    assert row.fingerprint.hex() == KEY.fingerprint
    assert row.public_key.hex() == public_key(KEY)


def test_nothing_of_the_key_itself_is_kept(storage: Engine) -> None:
    start(storage, KEY)
    with reading(storage) as connection:
        kept = b"".join(value for row in connection.execute(service_keys.select()) for value in row[1:])
    assert not any(secret in kept for secret in (KEY.sealing_key, KEY.signing_key, KEY.api_secret))


def test_a_start_with_another_key_is_refused(storage: Engine) -> None:
    start(storage, KEY)
    with pytest.raises(OtherServiceKey, match=KEY.fingerprint):
        start(storage, OTHER)
    start(storage, KEY)


def test_if_two_keys_start_at_once_one_is_refused(storage: Engine) -> None:
    refused: list[ServiceKey] = []
    together = threading.Barrier(2)

    def run(key: ServiceKey) -> None:
        together.wait()
        try:
            start(storage, key)
        except OtherServiceKey:
            refused.append(key)

    threads = [threading.Thread(target=run, args=(key,)) for key in (KEY, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    start(storage, OTHER if refused == [KEY] else KEY)


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])
@pytest.mark.parametrize("second", [KEY, OTHER], ids=["the same key", "another key"])
def test_the_second_start_waits_for_the_first(storage: Engine, second: ServiceKey) -> None:
    outcome: list[object] = []

    def run() -> None:
        try:
            start(storage, second)
            outcome.append("passed")
        except OtherServiceKey:
            outcome.append("refused")

    thread = threading.Thread(target=run)
    with administering(storage) as first:
        check_service_key(first, KEY)
        thread.start()
        databases.wait_until_somebody_waits(storage)
        assert outcome == []
    thread.join()
    assert outcome == ["passed" if second is KEY else "refused"]
