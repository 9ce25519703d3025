"""The log key is in a private file, in the form of Go's note package, and no message shows the secret."""

import os
import stat
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.entropy import Entropy
from service.secrets.keyring import KeyFileError
from service.transparency import log_key, signed_note
from tests.transparency.notes import ORIGIN, SEED, VECTORS, vector_key

GO_LINE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SECRET = b64encode(b"\1" + SEED).decode()
LINE = f"PRIVATE+KEY+{ORIGIN}+63a8b604+{SECRET}"


class OneSecret(Entropy):
    """Entropy whose secret is always the private key of the vectors."""

    def secret(self) -> bytes:
        return SEED


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "log-key.txt"


def write(path: Path, content: bytes | str, mode: int = 0o600) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def test_a_saved_key_is_loaded_again(path: Path) -> None:
    made = log_key.make(Entropy())
    log_key.save(path, made, Entropy())
    found = log_key.load(path)
    assert (found.origin, found.public) == (made.origin, made.public)
    assert found.private_key.private_bytes_raw() == made.private_key.private_bytes_raw()


def test_every_new_key_belongs_to_another_log() -> None:
    first, second = log_key.make(Entropy()), log_key.make(Entropy())
    assert first.origin != second.origin
    assert first.public.public_key != second.public.public_key


def test_file_and_folder_are_only_for_their_owner(path: Path) -> None:
    log_key.save(path, log_key.make(Entropy()), Entropy())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_existing_file_is_not_changed(path: Path) -> None:
    write(path, "something")
    log_key.save(path, log_key.make(Entropy()), Entropy())
    assert path.read_text() == "something"


def test_the_key_of_gos_documentation_is_loaded_and_written_again_to_the_byte(path: Path) -> None:
    key = log_key.load(write(path, f"{GO_LINE}\n"))
    assert str(key.public) == GO_PUBLIC
    other = path.with_name("copy.txt")
    log_key.save(other, key, Entropy())
    assert other.read_text() == f"{GO_LINE}\n"


def test_the_key_of_the_vectors_is_loaded(path: Path) -> None:
    assert str(log_key.load(write(path, LINE)).public) == VECTORS["keys"]["log_vkey"] == str(vector_key().public)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o777])
def test_a_file_that_others_may_access_is_refused_with_the_cure(path: Path, mode: int) -> None:
    with pytest.raises(KeyFileError, match="chmod 600"):
        log_key.load(write(path, LINE, mode))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="nothing"),
        pytest.param("\n", id="an empty line"),
        pytest.param(SECRET, id="the secret alone"),
        pytest.param(LINE.replace("PRIVATE+KEY+", ""), id="no prefix"),
        pytest.param(LINE.replace("PRIVATE", "private"), id="another prefix"),
        pytest.param(f"{LINE}\n\n", id="another line feed"),
        pytest.param(f"{LINE}\r\n", id="a carriage return"),
        pytest.param(f" {LINE}", id="a space before"),
        pytest.param(f"{LINE}\n{LINE}\n", id="two keys"),
        pytest.param(LINE.replace(ORIGIN, ""), id="no origin"),
        pytest.param(LINE.replace(ORIGIN, "another.example/log"), id="another origin"),
        pytest.param(LINE.replace(ORIGIN, "a log"), id="a space in the origin"),
        pytest.param(LINE.replace("63a8b604", "63a8b605"), id="another hash"),
        pytest.param(LINE.replace("63a8b604", "63A8B604"), id="a hash in upper case"),
        pytest.param(LINE.replace(SECRET, b64encode(b"\2" + SEED).decode()), id="another algorithm"),
        pytest.param(LINE.replace(SECRET, b64encode(b"\1" + SEED[:-1]).decode()), id="31 bytes"),
        pytest.param(LINE.replace(SECRET, b64encode(b"\1" + SEED + b"\0").decode()), id="33 bytes"),
        pytest.param(LINE.replace(SECRET, b64encode(b"\1" + SEED[::-1] + SEED).decode()), id="64 bytes"),
        pytest.param(LINE.replace(SECRET, SECRET[:-1]), id="cut base64"),
        pytest.param(LINE.replace(SECRET, f"é{SECRET}"), id="not ASCII"),
        pytest.param(LINE.encode() + b"\xff", id="not UTF-8"),
        pytest.param(str(vector_key().public), id="the public key"),
        pytest.param(LINE.replace(SECRET, SECRET[:20] + "B" + SECRET[21:]), id="another secret"),
    ],
)
def test_a_file_without_a_log_key_is_refused_and_no_message_shows_the_secret(path: Path, content: bytes | str) -> None:
    with pytest.raises(KeyFileError, match="has no log key") as caught:
        log_key.load(write(path, content))
    shown = f"{caught.value!r} {caught.value.__cause__!r}"
    assert SECRET[4:16] not in shown
    assert SEED.hex()[:16] not in shown


def test_a_key_file_that_is_missing_or_no_file_is_refused(path: Path) -> None:
    with pytest.raises(KeyFileError, match="can't be read"):
        log_key.load(path)
    path.parent.mkdir()
    os.mkfifo(path, 0o600)
    with pytest.raises(KeyFileError, match="not a regular file"):
        log_key.load(path)


def test_a_folder_that_is_a_file_is_a_key_file_error(path: Path) -> None:
    path.parent.write_text("no folder")
    with pytest.raises(KeyFileError, match="can't be created"):
        log_key.save(path, vector_key(), Entropy())


def test_the_secret_is_in_no_text_of_the_key() -> None:
    key = log_key.make(OneSecret())
    assert key.private_key.private_bytes_raw() == SEED
    for shown in (repr(key), str(key), f"{key}", repr([key]), repr(key.public), str(key.public), repr(key.private_key)):
        assert SECRET[4:16] not in shown
        assert SEED.hex()[:16] not in shown
        assert repr(SEED)[2:20] not in shown
    assert signed_note.parse_key(str(key.public)) == key.public
