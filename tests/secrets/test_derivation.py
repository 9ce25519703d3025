"""Values from the derivation secret differ by caller, stream, Idempotency-Key and kind; a rotation changes none."""

import hmac

from service.secrets.derivation import Derivation
from service.secrets.keyring import LastingSecrets, derive

KEY = derive(f"svk_{'1' * 32}", b"\1" * 32)
OTHER = derive(f"svk_{'1' * 32}", b"\2" * 32)
OWNER, STREAM = "own_" + "a" * 32, "table/tbl_" + "b" * 32


def test_a_command_secret_belongs_to_one_caller_in_one_stream_of_one_service() -> None:
    asked = [(KEY, OWNER, STREAM), (KEY, "service", STREAM), (KEY, OWNER, f"{STREAM}1"), (OTHER, OWNER, STREAM)]
    secrets = [Derivation(key).command_secret(owner, stream) for key, owner, stream in asked]
    assert len(set(secrets)) == len(asked)
    assert {len(secret) for secret in secrets} == {32}


def test_a_commands_id_follows_from_the_secret_that_its_caller_gets() -> None:
    ours = Derivation(KEY)
    own = hmac.new(ours.command_secret(OWNER, STREAM), b"chiptrail/cmd/v1\nkey 1\n", "sha256").hexdigest()
    assert ours.command_id(OWNER, STREAM, "key 1") == own
    assert ours.command_id(OWNER, STREAM, "key 2") != own


def test_an_id_is_the_same_only_for_the_same_caller_and_key_and_kind() -> None:
    ours = Derivation(KEY)
    asked = [("table", OWNER, "k"), ("key", OWNER, "k"), ("table", "own_2", "k"), ("table", OWNER, "l")]
    made = [ours.derived_id(*one) for one in asked]
    assert len({*made, Derivation(OTHER).derived_id(*asked[0])}) == len(asked) + 1
    assert ours.derived_id(*asked[0]) == made[0]
    assert len(made[0]) == 16


def test_ids_stay_the_same_after_a_change_of_the_secret_that_seals_and_signs() -> None:
    lasting = LastingSecrets(api_secret=KEY.api_secret.hex(), derivation_secret=KEY.derivation_secret.hex())
    rotated = derive(f"svk_{'3' * 32}", b"\3" * 32, lasting)
    assert (rotated.api_secret, rotated.derivation_secret) == (KEY.api_secret, KEY.derivation_secret)
    assert rotated.sealing_key != KEY.sealing_key
    assert rotated.signing_key != KEY.signing_key
    assert Derivation(rotated).command_id(OWNER, STREAM, "k") == Derivation(KEY).command_id(OWNER, STREAM, "k")
    assert Derivation(rotated).derived_id("table", OWNER, "k") == Derivation(KEY).derived_id("table", OWNER, "k")
