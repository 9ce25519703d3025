"""The service's own stream records keys in the transactions that change them; the audit compares the keys with it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import asdict, replace
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError

from service.api_keys import key_tables, repository, sign_ins
from service.api_keys.repository import Key
from service.database.engines import administering, migrating, reading
from service.database.metadata import SERVICE_STREAM
from service.entropy import Entropy
from service.event_store.log_tables import outbox
from service.event_store.quarantine import StreamCorrupted
from service.secrets import key_check, key_rotation, keyring, receipts
from service.secrets.derivation import Derivation
from service.secrets.key_check import check_service_key
from service.secrets.keyring import ServiceKey
from service.service_log import key_rebuild, key_register, recorded_rotation
from service.service_log.key_rebuild import RebuiltKeys
from service.service_log.service_events import KeyAdopted, KeyEnded, KeyMade, LogOpened, ReleaseChanged
from service.transparency import tree
from service.transparency.sequencer import Sequencer
from tests.contract.service_logs import (
    AT,
    HOST,
    IDENTITY,
    a_key,
    as_owner,
    end_key,
    events,
    found,
    make_key,
    recorded,
    service_log,
    types,
    verified,
)
from tests.damage import alter
from tests.event_store.streams import KEY

DERIVATION = Derivation(KEY)
DAY = ("2026-01-01T00:00:00.000Z", "2026-01-01T08:00:00.000Z")
"""The time when a browser signed in, and the time when this sign-in ends."""


def test_the_first_key_opens_the_stream_which_names_origin_keys_and_release(storage: Engine) -> None:
    make_key(storage, a_key(1))
    opened, made = events(storage)
    assert opened == LogOpened(
        origin=IDENTITY.origin, log_key=IDENTITY.log_key, receipt_key=IDENTITY.receipt_key, release="1.0"
    )
    assert made == KeyMade(
        key=f"key_{1:032x}",
        owner=HOST,
        scopes=("play",),
        secret_hash=repository.hash_of("secret 1").hex(),
        made_by="operator",
        made_at=AT,
    )


def test_every_leaf_is_from_the_service_and_no_leaf_has_a_label(storage: Engine) -> None:
    make_key(storage, a_key(1))
    end_key(storage, a_key(1))
    for one in recorded(storage):
        assert one.by == "service"
        assert b'"stream":"service/log"' in one.leaf
        assert b"Ann" not in one.leaf


def test_keys_from_before_the_stream_are_adopted_with_their_ends(storage: Engine) -> None:
    with administering(storage) as connection:
        for number in (1, 2):
            repository.add(connection, a_key(number, "admin", expires_at="2027-01-01T00:00:00.000Z"))
        repository.revoke(connection, a_key(2).key_id, by=HOST, at=AT)
    make_key(storage, a_key(3))
    assert types(storage) == ["log_opened", "key_adopted", "key_adopted", "key_ended", "key_made"]
    adopted, ended = events(storage)[1], events(storage)[3]
    assert isinstance(adopted, KeyAdopted)
    assert asdict(adopted) == {
        "key": f"key_{1:032x}",
        "owner": HOST,
        "scopes": ("admin",),
        "secret_hash": repository.hash_of("secret 1").hex(),
        "made_by": "operator",
        "made_at": AT,
        "expires_at": "2027-01-01T00:00:00.000Z",
        "limits": (),
    }
    assert ended == KeyEnded(key=f"key_{2:032x}", ended_by=HOST, ended_at=AT)
    assert found(storage) == []


def test_many_keys_are_adopted_in_several_entries(storage: Engine) -> None:
    with administering(storage) as connection:
        for number in range(1, 1_204):
            repository.add(connection, a_key(number))
    with administering(storage) as connection:
        service_log().record_start(connection)
    assert len(recorded(storage)) == 1_204
    assert found(storage) == []


def test_a_key_is_made_and_ended_once_on_record(storage: Engine) -> None:
    assert make_key(storage, a_key(1))
    assert not make_key(storage, a_key(1))
    end_key(storage, a_key(1))
    end_key(storage, a_key(1))
    assert types(storage) == ["log_opened", "key_made", "key_ended"]


def _make_and_end_but_break_off(engine: Engine, key: Key) -> None:
    with administering(engine) as connection:
        key_register.make_key(connection, service_log(), key)
        key_register.end_key(connection, service_log(), key.key_id, by=HOST, at=AT)
        raise InterruptedError


@pytest.mark.parametrize("is_open", [False, True])
def test_a_change_that_is_broken_off_leaves_neither_row_nor_event(storage: Engine, *, is_open: bool) -> None:
    if is_open:
        make_key(storage, a_key(1))
    before = types(storage) if is_open else []
    with pytest.raises(InterruptedError):
        _make_and_end_but_break_off(storage, a_key(2))
    with reading(storage) as connection:
        assert repository.find(connection, a_key(2).key_id) is None
        assert service_log().is_open(connection) is is_open
    assert not is_open or types(storage) == before


def test_workers_that_make_keys_at_once_record_each_of_them(storage: Engine) -> None:
    logs = [service_log() for _ in range(4)]  # as four processes have them

    def make(number: int) -> None:
        make_key(storage, a_key(number), logs[number % 4])
        if number % 3 == 0:
            end_key(storage, a_key(number), logs[number % 4])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(1, 41)))
    assert types(storage)[0] == "log_opened"
    assert sorted(types(storage)) == [*["key_ended"] * 13, *["key_made"] * 40, "log_opened"]
    assert found(storage) == []


def test_the_leaves_of_the_services_own_stream_are_in_the_tree(storage: Engine) -> None:
    make_key(storage, a_key(1))
    assert Sequencer(storage).round() == 2
    make_key(storage, a_key(2))
    assert Sequencer(storage).round() == 1
    with reading(storage) as connection:
        assert tree.head(connection).size == 3
        leaf = tree.indexed(connection, SERVICE_STREAM, 3)
        assert connection.scalar(select(func.count()).select_from(outbox)) == 0
    assert leaf
    assert leaf.leaf_hash == recorded(storage)[2].hash
    report = verified(storage)
    assert (report.findings, report.indexed, report.service_events, report.keys) == ((), 3, 3, 2)


def test_a_start_records_changes_and_nothing_else(storage: Engine) -> None:
    later = replace(IDENTITY, release="1.1")
    other_origin = replace(later, origin="chiptrail/log_2", log_key="chiptrail/log_2+00000000+AQ==")
    other_key = replace(other_origin, receipt_key="ab" * 32)
    for identity in (IDENTITY, IDENTITY, later, later, other_origin, other_key, other_key):
        with administering(storage) as connection:
            service_log(identity).record_start(connection)
    assert types(storage) == ["log_opened", "release_changed", "log_opened", "signing_key_changed"]
    assert events(storage)[1] == ReleaseChanged(release="1.1")
    assert events(storage)[2].origin == "chiptrail/log_2"
    assert events(storage)[3].receipt_key == "ab" * 32


def test_a_new_log_names_the_last_checkpoint_of_the_log_before_it(storage: Engine) -> None:
    other_log = replace(IDENTITY, origin="chiptrail/log_2", log_key="chiptrail/log_2+00000000+AQ==")
    other_key = replace(other_log, log_key="chiptrail/log_2+11111111+AQ==")
    for number, identity in enumerate((IDENTITY, other_log, other_log, other_key)):
        with administering(storage) as connection:
            service_log(identity).record_start(connection, lambda _, number=number: f"checkpoint {number}")  # type: ignore[misc]
    opened = [(one.log_key, one.checkpoint) for one in events(storage)]
    assert opened == [(IDENTITY.log_key, ""), (other_log.log_key, "checkpoint 1"), (other_key.log_key, "checkpoint 3")]


def test_without_the_stream_keys_are_not_checked_and_the_report_notes_it(storage: Engine) -> None:
    assert verified(storage).not_checked == ()
    with administering(storage) as connection:
        repository.add(connection, a_key(1))
    report = verified(storage)
    assert report.findings == ()
    assert [line.partition(":")[0] for line in report.not_checked] == ["API keys and imports"]


ADDED = (
    "INSERT INTO keys (key_id, owner, scopes, secret_hash, label, made_by, made_at)"
    " VALUES (:hash_id, 'own_mine', 'admin', :hash, '', 'operator', 'now')"
)
TAMPERINGS = {
    "a scope is raised": ("UPDATE keys SET scopes = 'admin' WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a secret is swapped": ("UPDATE keys SET secret_hash = :hash WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "an owner is changed": ("UPDATE keys SET owner = 'own_mine' WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a maker is changed": ("UPDATE keys SET made_by = 'own_mine' WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a life is prolonged": ("UPDATE keys SET expires_at = NULL WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a limit is changed": ("UPDATE keys SET limits = 'tbl_1' WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a time is changed": ("UPDATE keys SET made_at = 'then' WHERE key_id = :one", "key_must_be_as_recorded", 2),
    "a key is removed": ("DELETE FROM keys WHERE key_id = :one", "recorded_key_must_be_there", 2),
    "an ended key is revived": ("DELETE FROM key_revocations WHERE key_id = :two", "ended_key_must_stay_ended", 4),
    "an end is moved": ("UPDATE key_revocations SET revoked_at = '2030'", "end_of_key_must_be_as_recorded", 4),
    "a key is ended in silence": (
        "INSERT INTO key_revocations (key_id, revoked_by, revoked_at) VALUES (:one, 'own_mine', 'now')",
        "end_of_key_must_be_on_record",
        0,
    ),
    "a key is added": (ADDED, "key_must_be_on_record", 0),
    "the public key is replaced": (
        "UPDATE service_keys SET public_key = :hash",
        "stored_public_key_must_be_on_record",
        1,
    ),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_a_change_of_keys_without_an_event_is_named(storage: Engine, tampering: str) -> None:
    with administering(storage) as connection:
        check_service_key(connection, KEY)
    make_key(storage, a_key(1, expires_at="2027-01-01T00:00:00.000Z"))
    make_key(storage, a_key(2))
    end_key(storage, a_key(2))
    assert found(storage) == []
    statement, check, position = TAMPERINGS[tampering]
    values = {
        "one": a_key(1).key_id,
        "two": a_key(2).key_id,
        "hash": b"\7" * 32,
        "hash_id": b"\7" * 16,
    }
    as_owner(storage, statement, **{name: value for name, value in values.items() if f":{name}" in statement})
    assert (check, "service/log", position) in found(storage)
    assert {one.check for one in verified(storage).findings} == {check}
    if "public key" not in tampering:
        rebuilt = key_rebuild.rebuild_keys(storage, service_log())
        assert rebuilt == RebuiltKeys(
            restored=int(tampering != "a key is added"), removed=int(tampering == "a key is added")
        )
        assert found(storage) == []
        assert key_rebuild.rebuild_keys(storage, service_log()) == RebuiltKeys()


def test_a_rebuild_ends_the_sign_ins_of_a_key_that_no_event_records(storage: Engine) -> None:
    make_key(storage, a_key(1))
    as_owner(storage, ADDED, hash=b"\7" * 32, hash_id=b"\7" * 16)
    with administering(storage) as connection:
        for token, key_id in (("added", b"\7" * 16), ("own", a_key(1).key_id)):
            sign_ins.begin(connection, DERIVATION, token, key_id, DAY)
    assert key_rebuild.rebuild_keys(storage, service_log()) == RebuiltKeys(removed=1)
    with reading(storage) as connection:
        found = [sign_ins.key_of(connection, DERIVATION, token, DAY[0]) for token in ("added", "own")]
    assert found == [None, a_key(1).key_id]


@pytest.mark.parametrize(
    ("statement", "check", "position"),
    [
        pytest.param("UPDATE events SET leaf = :leaf WHERE position = 2", "leaf_must_be_readable", 2, id="leaf"),
        pytest.param("DELETE FROM events WHERE position = 3", "head_row_must_be_the_last_leaf", 2, id="cut"),
        pytest.param("DELETE FROM streams", "head_row_must_be_the_last_leaf", 3, id="head row"),
    ],
)
def test_a_damaged_stream_is_named(storage: Engine, statement: str, check: str, position: int) -> None:
    make_key(storage, a_key(1))
    make_key(storage, a_key(2))
    values = {"leaf": b"{}"} if ":leaf" in statement else {}
    as_owner(storage, statement, **values)
    assert (check, "service/log", position) in found(storage)


def test_a_receipt_key_that_differs_from_the_recorded_key_is_named(storage: Engine) -> None:
    make_key(storage, a_key(1))
    (finding,) = verified(storage, receipt_key="ab" * 32).findings
    assert (finding.check, finding.position, finding.found) == ("receipt_key_must_be_on_record", 1, "ab" * 32)


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        pytest.param("SET fingerprint = :hash", "service_key_must_be_on_record", id="fingerprint"),
        pytest.param("SET key_id = :hash_id", "service_key_must_be_on_record", id="id"),
    ],
)
def test_a_key_in_use_that_no_rotation_recorded_is_named(storage: Engine, statement: str, check: str) -> None:
    rotated = _rotate(storage, KEY)
    assert verified(storage, receipts.public_key(rotated)).findings == ()
    values = {"hash": b"\7" * 32, "hash_id": b"\7" * 16}
    used = {name: value for name, value in values.items() if f":{name}" in statement.split()}
    as_owner(storage, f"UPDATE service_keys {statement}", **used)
    (finding,) = verified(storage, receipts.public_key(rotated)).findings
    assert (finding.check, finding.position) == (check, 2)


def test_a_rotation_that_leaves_out_a_key_is_named(storage: Engine) -> None:
    _rotate(storage, KEY)
    last = _rotate(storage, KEY)
    (finding,) = verified(storage, receipts.public_key(last)).findings
    assert (finding.check, finding.position) == ("rotation_must_follow_the_recorded_key", 4)
    assert (finding.found, finding.expected == finding.found) == (KEY.key_id, False)


def _rotate(storage: Engine, earlier: ServiceKey) -> ServiceKey:
    """Bind the database to *earlier* if it is bound to no key, and rotate to a new key; return the new key."""
    content = keyring.KeyFile(v=1, id=earlier.key_id, secret="ab" * 32)
    new, _ = keyring.keys_of(key_rotation.with_new_key(content, Entropy()))
    with migrating(storage) as connection:
        if key_check.bound_to(connection) is None:
            check_service_key(connection, earlier)
        recorded_rotation.rotate(connection, service_log(), earlier, new)
    return new


def test_a_rebuild_keeps_labels_and_the_triggers_and_a_lost_key_gets_none(storage: Engine) -> None:
    for number in (1, 2):
        make_key(storage, a_key(number))
    alter(storage, "UPDATE keys SET scopes = 'admin' WHERE key_id = :id", id=a_key(1).key_id)
    alter(storage, "DELETE FROM keys WHERE key_id = :id", id=a_key(2).key_id)
    assert key_rebuild.rebuild_keys(storage, service_log()) == RebuiltKeys(restored=2)
    with reading(storage) as connection:
        assert [key.label for key in repository.all_keys(connection)] == ["of Ann, number 1", ""]
        assert [key.scopes for key in repository.all_keys(connection)] == [("play",), ("play",)]
    with pytest.raises(DBAPIError, match="refused"), administering(storage) as connection:
        connection.execute(key_tables.keys.delete())


def test_keys_are_not_rebuilt_from_a_damaged_stream(storage: Engine) -> None:
    make_key(storage, a_key(1))
    make_key(storage, a_key(2))
    as_owner(storage, "UPDATE keys SET scopes = 'admin'", "DELETE FROM events WHERE position = 3")
    with pytest.raises(StreamCorrupted):
        key_rebuild.rebuild_keys(storage, service_log())
    with reading(storage) as connection:
        assert {key.scopes for key in repository.all_keys(connection)} == {("admin",)}


def test_the_number_of_stored_keys_is_the_number_on_record(storage: Engine) -> None:
    for number in range(1, 6):
        make_key(storage, a_key(number))
    with reading(storage) as connection:
        stored = connection.scalar(select(func.count()).select_from(key_tables.keys))
    assert stored == verified(storage).keys == 5
