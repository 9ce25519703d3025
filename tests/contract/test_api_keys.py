"""API keys on every database: adding, finding, listing, counting and revoking keys."""

from threading import Thread

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, func, select

from service.api_keys import key_tables, repository
from service.api_keys.repository import OPERATOR, SERVICE, Key, Scope
from service.database.engines import administering, reading
from tests import databases

HOST, PLAYER = "own_host", "own_player"
AT, LATER = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"


def key(number: int, owner: str = HOST, *scopes: Scope, made_by: str = OPERATOR, expires_at: str = "") -> Key:
    return Key(
        key_id=number.to_bytes(16, "big"),
        owner=owner,
        scopes=scopes or ("play",),
        secret_hash=repository.hash_of(f"secret {number}"),
        label=f"key {number}",
        made_by=made_by,
        made_at=AT,
        expires_at=expires_at,
    )


@pytest.fixture
def keys(storage: Engine) -> list[Key]:
    """Add four keys: a key that the service made, two keys of a host, and a key that the host made for a player."""
    made = [
        key(1, "own_first", "admin", "host", made_by=SERVICE),
        key(2, HOST, "host", "play"),
        key(3, HOST, "play", made_by=HOST, expires_at=LATER),
        replace(key(4, PLAYER, made_by=HOST), limits=("tbl_1", "tbl_2/3")),
    ]
    with administering(storage) as connection:
        assert all(repository.add(connection, one) for one in made)
    return made


def test_a_key_is_found_as_it_was_added_and_an_unknown_key_is_not_found(storage: Engine, keys: list[Key]) -> None:
    with reading(storage) as connection:
        assert [repository.find(connection, one.key_id) for one in keys] == keys
        assert repository.find(connection, bytes(16)) is None


def test_a_key_is_added_once(storage: Engine, keys: list[Key]) -> None:
    with administering(storage) as connection:
        assert not repository.add(connection, replace(keys[1], owner=PLAYER))
    with reading(storage) as connection:
        assert repository.find(connection, keys[1].key_id) == keys[1]


def test_a_key_is_revoked_once_and_its_first_end_stays(storage: Engine, keys: list[Key]) -> None:
    for by, at in ((HOST, AT), (OPERATOR, LATER)):
        with administering(storage) as connection:
            repository.revoke(connection, keys[3].key_id, by=by, at=at)
    with reading(storage) as connection:
        found = repository.find(connection, keys[3].key_id)
        assert found == replace(keys[3], revoked_by=HOST, revoked_at=AT)
        assert repository.find(connection, keys[1].key_id) == keys[1]


def test_a_key_has_ended_from_its_first_end_on() -> None:
    """A key ends when it is revoked or expires, whichever is earlier; at that time the key has already ended."""
    before = "2026-01-01T23:59:59.999Z"
    expiring = key(1, expires_at=LATER)
    assert (expiring.ended_at(before), expiring.ended_at(LATER)) == ("", LATER)
    revoked = replace(expiring, revoked_at=AT)
    assert (revoked.ended_at(AT), revoked.ended_at(LATER)) == (AT, AT)
    assert replace(expiring, revoked_at="2026-01-03T00:00:00.000Z").ended_at("2026-01-04T00:00:00.000Z") == LATER


def test_an_owner_lists_own_and_made_keys_and_an_admin_lists_all_keys_page_by_page(
    storage: Engine, keys: list[Key]
) -> None:
    with reading(storage) as connection:
        of_host = repository.list_keys(connection, HOST, of_everybody=False, after=b"", limit=10)
        pages = [
            repository.list_keys(connection, HOST, of_everybody=True, after=after, limit=2)
            for after in (b"", keys[1].key_id, keys[3].key_id)
        ]
        assert repository.keys_of(connection, HOST) == keys[1:3]
    assert of_host == keys[1:]
    assert pages == [keys[:2], keys[2:], []]


def test_keys_of_the_service_and_of_administrators_are_known_by_their_maker_and_scope(
    storage: Engine, keys: list[Key]
) -> None:
    with reading(storage) as connection:
        assert repository.first_service_key(connection) == keys[0]
        assert repository.admin_keys(connection) == [keys[0]]
        assert repository.has_made(connection, HOST, PLAYER)
        assert not repository.has_made(connection, PLAYER, HOST)


@pytest.mark.usefixtures("keys")
def test_only_the_keys_of_a_maker_that_have_not_ended_count(storage: Engine) -> None:
    with administering(storage) as connection:
        assert repository.has_reached_key_limit(connection, HOST, 2, now=AT)
        assert not repository.has_reached_key_limit(connection, HOST, 3, now=AT)
        assert not repository.has_reached_key_limit(connection, HOST, 2, now=LATER), "one has expired"
        repository.revoke(connection, key(4).key_id, by=HOST, at=AT)
        assert not repository.has_reached_key_limit(connection, HOST, 2, now=AT)
        assert repository.has_reached_key_limit(connection, HOST, 1, now=AT)


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])  # SQLite has one writer at a time
def test_two_keys_for_one_owner_are_made_one_after_the_other(storage: Engine) -> None:
    counted: list[int] = []

    def make_another() -> None:
        with administering(storage) as connection:
            repository.lock_until_commit(connection, f"keys of {HOST}")
            counted.append(connection.execute(select(func.count()).select_from(key_tables.keys)).scalar_one())

    other = Thread(target=make_another)
    with administering(storage) as connection:
        repository.lock_until_commit(connection, f"keys of {HOST}")
        other.start()
        databases.wait_until_somebody_waits(storage, other)
        repository.add(connection, key(1))
    other.join()
    assert counted == [1]
