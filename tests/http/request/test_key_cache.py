"""The cache of API keys: it reads no key twice without need, and accepts a revoked key only for a short time."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, event

from service.api_keys import repository
from service.api_keys.key_cache import KeyCache
from service.api_keys.repository import Key
from service.database.cache_generation import Generation
from service.database.engines import administering
from tests.clocks import Clock

ONE, OTHER = (number.to_bytes(16, "big") for number in (1, 2))
GENERATION = Generation()
AT = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def known(engine: Engine, clock: Clock) -> KeyCache:
    with administering(engine) as connection:
        for key_id in (ONE, OTHER):
            repository.add(connection, _key(key_id))
    return KeyCache(engine, clock, GENERATION)


@pytest.fixture
def reads(engine: Engine) -> Iterator[list[str]]:
    """Yield a list that gets the kind of each read: "keys" or "revocations"."""
    seen: list[str] = []

    def see(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("SELECT"):
            seen.append("revocations" if "count(" in statement else "keys")

    event.listen(engine, "before_cursor_execute", see)
    yield seen
    event.remove(engine, "before_cursor_execute", see)


def test_a_key_is_read_once_however_long_ago_that_was(known: KeyCache, clock: Clock, reads: list[str]) -> None:
    known.find(ONE)
    for _ in range(50):
        clock.seconds += 0.5
        assert known.find(ONE) == _key(ONE)
    assert reads.count("keys") == 1


def test_revocations_are_read_once_a_second_for_any_number_of_keys(
    known: KeyCache, clock: Clock, reads: list[str]
) -> None:
    for _ in range(20):
        for key_id in (ONE, OTHER):
            known.find(key_id)
        clock.seconds += 0.25
    assert reads.count("revocations") == 5


def test_a_key_that_another_process_revoked_is_known_to_have_ended_a_second_later(
    engine: Engine, known: KeyCache, clock: Clock
) -> None:
    known.find(ONE)
    _revoke(engine, ONE)
    clock.seconds += 1
    found = known.find(ONE)
    assert found is not None
    assert found.revoked_at == AT
    assert known.find(OTHER) == _key(OTHER)


def test_a_key_that_this_process_revoked_is_known_to_have_ended_at_once(engine: Engine, known: KeyCache) -> None:
    known.find(ONE)
    _revoke(engine, ONE)
    known.forget()
    found = known.find(ONE)
    assert found is not None
    assert found.has_ended(AT)


def test_a_key_read_just_before_its_revocation_is_not_believed_after_it(
    engine: Engine, known: KeyCache, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = repository.find

    def slowly(connection: Connection, key_id: bytes) -> Key | None:
        found = find(connection, key_id)
        monkeypatch.undo()
        _revoke(engine, key_id)
        clock.seconds += 1
        known.find(OTHER)  # meanwhile, a request with another key notices the revocation
        return found

    known.find(OTHER)
    monkeypatch.setattr(repository, "find", slowly)
    before = known.find(ONE)
    after = known.find(ONE)
    assert before is not None
    assert after is not None
    assert (before.revoked_at, after.revoked_at) == ("", AT)


def test_a_missing_key_is_not_found_and_a_new_key_is_found_at_once(engine: Engine, known: KeyCache) -> None:
    late = (3).to_bytes(16, "big")
    assert known.find(late) is None
    with administering(engine) as connection:
        repository.add(connection, _key(late))
    assert known.find(late) == _key(late)


def test_a_key_that_the_new_database_has_lost_is_refused(
    engine: Engine, known: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert known.find(ONE) == _key(ONE)
    monkeypatch.setattr(repository, "find", lambda *_: None)
    assert known.find(ONE) == _key(ONE)
    GENERATION.end()
    assert known.find(ONE) is None


def test_a_key_that_was_read_before_a_failover_is_not_kept_after_it(
    engine: Engine, known: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = repository.find

    def loses(connection: Connection, key_id: bytes) -> Key | None:
        found = find(connection, key_id)
        GENERATION.end()
        monkeypatch.setattr(repository, "find", lambda *_: None)
        return found

    monkeypatch.setattr(repository, "find", loses)
    known.find(ONE)
    assert known.find(ONE) is None


def _key(key_id: bytes) -> Key:
    return Key(
        key_id=key_id,
        owner=f"own_{key_id.hex()}",
        scopes=("play",),
        secret_hash=bytes(32),
        label="",
        made_by="",
        made_at=AT,
    )


def _revoke(engine: Engine, key_id: bytes) -> None:
    with administering(engine) as connection:
        repository.revoke(connection, key_id, by="operator", at=AT)
