import hmac
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from service.entropy import Entropy
from service.secrets.keyring import KeyFileError, LastingSecrets, ServiceKey, derive, load_or_make, make_private_file

ENTROPY = Entropy()
ROOT = Path(__file__).parents[2]
STARTED_AT_ONCE = 6

ASKS_FOR_THE_KEY = """
import sys
from pathlib import Path
from service.entropy import Entropy
from service.secrets.keyring import load_or_make
print("ready", flush=True)
sys.stdin.readline()
key = load_or_make(Path(sys.argv[1]), Entropy())
print(key.key_id, key.fingerprint, key.sealing_key.hex())
"""


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "service-key.json"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_key_is_made_once_and_then_the_same_for_ever(path: Path) -> None:
    key = load_or_make(path, ENTROPY)
    content = path.read_bytes()
    assert load_or_make(path, ENTROPY) == key
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_only_their_owner_can_read_file_and_folder(path: Path) -> None:
    load_or_make(path, ENTROPY)
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700


def test_the_file_has_a_version_and_an_id_and_a_secret(path: Path) -> None:
    key = load_or_make(path, ENTROPY)
    content = json.loads(path.read_bytes())
    assert content == {"v": 1, "id": key.key_id, "secret": content["secret"]}
    assert derive(content["id"], bytes.fromhex(content["secret"])) == key


def test_two_services_have_different_keys(tmp_path: Path) -> None:
    first, second = (load_or_make(tmp_path / name, ENTROPY) for name in ("first", "second"))
    assert first.key_id != second.key_id
    assert first.fingerprint != second.fingerprint
    assert len({*secrets_of(first), *secrets_of(second)}) == 8


def test_if_servers_start_at_once_one_makes_the_key_and_all_use_this_key(path: Path) -> None:
    servers = [
        subprocess.Popen(
            [sys.executable, "-c", ASKS_FOR_THE_KEY, str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(STARTED_AT_ONCE)
    ]
    for server in servers:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
    for server in servers:
        assert server.stdin is not None
        server.stdin.write("\n")
        server.stdin.flush()
    keys = {server.communicate()[0] for server in servers}
    assert [server.returncode for server in servers] == [0] * STARTED_AT_ONCE
    made = load_or_make(path, ENTROPY)
    assert keys == {f"{made.key_id} {made.fingerprint} {made.sealing_key.hex()}\n"}
    assert list(path.parent.iterdir()) == [path]


def test_the_second_server_uses_the_key_of_the_first(path: Path) -> None:
    class Overtaken(Entropy):
        def secret(self) -> bytes:
            self.first = load_or_make(path, ENTROPY)
            return super().secret()

    entropy = Overtaken()
    assert load_or_make(path, entropy) == entropy.first
    assert list(path.parent.iterdir()) == [path]


def test_a_draft_left_by_a_killed_process_does_not_stop_another_process(path: Path) -> None:
    path.parent.mkdir()
    (path.parent / f".{path.name}.draft_0").write_bytes(b"half a ke")
    assert load_or_make(path, ENTROPY) == load_or_make(path, ENTROPY)


def test_a_private_file_is_never_replaced(path: Path) -> None:
    make_private_file(path, b"first", ENTROPY)
    make_private_file(path, b"second", ENTROPY)
    assert path.read_bytes() == b"first"
    assert mode(path) == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("open_to_others", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601])
def test_a_key_open_to_others_is_refused_with_the_cure(tmp_path: Path, open_to_others: int) -> None:
    path = tmp_path / "the key.json"
    key = load_or_make(path, ENTROPY)
    path.chmod(open_to_others)
    with pytest.raises(KeyFileError) as refused:
        load_or_make(path, ENTROPY)
    assert str(path) in str(refused.value)
    cure = str(refused.value).partition("The cure: ")[2]
    subprocess.run(["sh", "-c", cure], check=True)
    assert load_or_make(path, ENTROPY) == key


SECRET = "ab" * 32
KEY_ID = f"svk_{'0' * 32}"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        SECRET,
        "{}",
        f'{{"v":2,"id":"{KEY_ID}","secret":"{SECRET}"}}',
        f'{{"v":1,"id":"key_1","secret":"{SECRET}"}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET[:-1]}"}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET.upper()}"}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET}\\n"}}',
        f'{{"v":1,"id":"{KEY_ID}\\n","secret":"{SECRET}"}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET}","more":1}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"é{SECRET}"}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET}","lasting":{{"api_secret":"{SECRET}"}}}}',
        f'{{"v":1,"id":"{KEY_ID}","secret":"{SECRET}","lasting":{{"api_secret":"{SECRET}","derivation_secret":"ab"}}}}',
    ],
)
def test_another_file_is_neither_used_nor_replaced_nor_quoted(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key.json"
    make_private_file(path, content.encode("latin-1"), ENTROPY)
    with pytest.raises(KeyFileError, match="has no service key") as refused:
        load_or_make(path, ENTROPY)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert path.read_bytes() == content.encode("latin-1")


def test_a_path_that_can_hold_no_file_is_refused_by_its_name(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path, pipe, tmp_path / "file" / "key.json", tmp_path / "dangling"):
        with pytest.raises(KeyFileError, match=str(path)):
            load_or_make(path, ENTROPY)


def secrets_of(key: ServiceKey) -> tuple[bytes, ...]:
    return key.sealing_key, key.signing_key, key.api_secret, key.derivation_secret


def test_each_use_has_its_own_key_and_no_key_is_the_secret() -> None:
    secret = bytes.fromhex(SECRET)
    key = derive(KEY_ID, secret)
    assert len({*secrets_of(key), secret, bytes.fromhex(key.fingerprint)}) == 6
    assert {len(each) for each in secrets_of(key)} == {32}


def test_keys_follow_from_the_secret_for_ever() -> None:
    key = derive(KEY_ID, bytes.fromhex(SECRET))
    expected = sha256(f"chiptrail/service-key/v1\n{SECRET}\n".encode()).hexdigest()
    assert key.fingerprint == expected
    extracted = hmac.digest(bytes(32), bytes.fromhex(SECRET), "sha256")  # this computes HKDF as RFC 5869 defines it
    assert secrets_of(key) == tuple(
        hmac.digest(extracted, f"chiptrail/{use}/v1\n".encode() + b"\1", "sha256")
        for use in ("sealing", "signing", "api-keys", "derivation")
    )


def test_a_file_may_name_the_secrets_that_outlive_its_own(tmp_path: Path) -> None:
    first = derive(KEY_ID, bytes.fromhex(SECRET))
    lasting = {"api_secret": first.api_secret.hex(), "derivation_secret": first.derivation_secret.hex()}
    keys = []
    for number, named in enumerate((lasting, {**lasting, "derivation_secret": "00" * 32})):
        path = tmp_path / f"{number}.json"
        content = {"v": 1, "id": KEY_ID, "secret": "cd" * 32, "lasting": named}
        make_private_file(path, json.dumps(content).encode(), ENTROPY)
        keys.append(load_or_make(path, ENTROPY))
    rotated, other = keys
    assert (rotated.api_secret, rotated.derivation_secret) == (first.api_secret, first.derivation_secret)
    assert lasting["derivation_secret"] not in repr(LastingSecrets(**lasting))
    assert not {rotated.sealing_key, rotated.signing_key} & {*secrets_of(first)}
    alone = derive(KEY_ID, bytes.fromhex("cd" * 32))
    assert len({rotated.fingerprint, other.fingerprint, alone.fingerprint}) == 3  # a database can distinguish the keys


def test_a_secret_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        derive(KEY_ID, bytes(31))


def test_a_printed_key_shows_no_secret() -> None:
    key = derive(KEY_ID, bytes.fromhex(SECRET))
    output = StringIO()
    Console(file=output, width=500).print(key)
    for shown in (repr(key), str(key), f"{key}", output.getvalue()):
        assert key.key_id in shown
        assert key.fingerprint in shown
        for hidden in secrets_of(key):
            assert hidden.hex() not in shown
            assert repr(hidden) not in shown
