import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

from service.entropy import Entropy

ENTROPY = Entropy()


def test_secrets_have_32_bytes_and_are_never_the_same() -> None:
    secrets = {ENTROPY.secret() for _ in range(1000)}
    assert len(secrets) == 1000
    assert {len(secret) for secret in secrets} == {32}


def test_nonces_have_12_bytes_and_are_never_the_same() -> None:
    nonces = {ENTROPY.nonce() for _ in range(1000)}
    assert len(nonces) == 1000
    assert {len(nonce) for nonce in nonces} == {12}


def test_the_time_is_given_in_utc_to_the_millisecond() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    now = ENTROPY.now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now)
    assert before <= datetime.fromisoformat(now) <= datetime.now(UTC)


def test_ids_are_a_prefix_and_a_uuid_of_version_7_and_grow() -> None:
    ids = [ENTROPY.new_id("tbl") for _ in range(1000)]
    assert all(re.fullmatch("tbl_[0-9a-f]{32}", each) for each in ids)
    assert {UUID(each.removeprefix("tbl_")).version for each in ids} == {7}
    assert len(set(ids)) == 1000
    assert ids == sorted(ids)


def test_the_monotonic_clock_never_goes_back() -> None:
    readings = [ENTROPY.monotonic() for _ in range(1000)]
    assert readings == sorted(readings)
