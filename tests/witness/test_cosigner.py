"""A witness answers as C2SP tlog-witness says, and never cosigns two trees if neither continues the other."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from service.secrets.keyring import KeyFileError
from service.transparency import signed_note
from service.transparency.witnesses import cosignature
from service.transparency.witnesses.submission import Submission
from service.witness import witness_file
from service.witness.cosigner import TEXT, Answer, NotCosigned
from service.witness.witness_file import WitnessFile
from tests.witness.logs import AT, NAME, SomeLog, new_cosigner, new_file

LOG = SomeLog()
OTHER = SomeLog("log.example/two", 2)
IMPOSTOR = SomeLog(LOG.origin, 3)
SIZE = "text/x.tlog.size"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_file(tmp_path)


def is_cosigned(answer: Answer, path: Path, size: int, log: SomeLog = LOG) -> bool:
    """Check that *answer* has one line; return whether it is the witness's cosignature of a tree of *size* leaves."""
    note = log.note(size)
    cosigned = signed_note.parse(str(note).encode() + answer.body)
    (line,) = cosigned.signatures[1:]
    return answer.status == 200 and cosignature.cosigned_at(note.text, line, WitnessFile(path).key) == 1_767_225_600


def told(answer: Answer) -> tuple[int, bytes, str]:
    return int(answer.status), answer.body, answer.content_type


def test_each_tree_that_continues_the_last_tree_is_cosigned(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    for old, size in ((0, 1), (1, 7), (7, 7), (7, 8), (8, 40)):
        assert is_cosigned(witness.add_checkpoint(LOG.submission(old, size)), path, size)


def test_the_empty_tree_is_also_cosigned(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    assert is_cosigned(witness.add_checkpoint(LOG.submission(0, 0)), path, 0)
    assert is_cosigned(witness.add_checkpoint(LOG.submission(0, 3)), path, 3)


def test_a_witness_that_was_started_again_knows_each_log(path: Path) -> None:
    witness = new_cosigner(path, [LOG, OTHER])
    assert witness.add_checkpoint(LOG.submission(0, 7)).status == 200
    assert witness.add_checkpoint(OTHER.submission(0, 4)).status == 200
    again = new_cosigner(path, [LOG, OTHER])
    assert told(again.add_checkpoint(LOG.submission(0, 9))) == (409, b"7\n", SIZE)
    assert told(again.add_checkpoint(OTHER.submission(0, 9))) == (409, b"4\n", SIZE)
    assert is_cosigned(again.add_checkpoint(LOG.submission(7, 9)), path, 9)


def test_an_old_size_that_is_not_the_last_size_is_answered_with_the_last_size(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    assert told(witness.add_checkpoint(LOG.submission(3, 7))) == (409, b"0\n", SIZE)
    witness.add_checkpoint(LOG.submission(0, 7))
    for old, size in ((0, 9), (6, 9), (8, 9), (0, 7), (3, 5)):
        assert told(witness.add_checkpoint(LOG.submission(old, size))) == (409, b"7\n", SIZE)
    assert is_cosigned(witness.add_checkpoint(LOG.submission(7, 9)), path, 9)


def test_a_tree_that_does_not_continue_the_last_tree_is_refused(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    witness.add_checkpoint(LOG.submission(0, 7))
    before = path.read_bytes()
    split = witness.add_checkpoint(LOG.submission(7, 7, "other"))
    assert (split.status, split.content_type) == (409, TEXT)
    assert witness.add_checkpoint(LOG.submission(7, 12, "other")).status == 422
    without_a_hash = LOG.submission(7, 12).split(b"\n", 2)
    assert witness.add_checkpoint(without_a_hash[0] + b"\n" + without_a_hash[2]).status == 422
    too_many = LOG.submission(7, 7).replace(b"old 7\n", b"old 7\n" + without_a_hash[1] + b"\n")
    assert witness.add_checkpoint(too_many).status == 422
    assert path.read_bytes() == before


def test_a_tree_that_is_smaller_than_the_last_tree_is_refused(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    witness.add_checkpoint(LOG.submission(0, 7))
    assert witness.add_checkpoint(LOG.submission(7, 6)).status == 400
    assert told(witness.add_checkpoint(LOG.submission(6, 6))) == (409, b"7\n", SIZE)


def test_a_proof_for_the_first_tree_must_be_empty(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    body = LOG.submission(0, 7)
    line = LOG.submission(3, 7).split(b"\n", 2)[1]
    assert witness.add_checkpoint(body.replace(b"old 0\n", b"old 0\n" + line + b"\n")).status == 422


def test_an_unknown_log_and_an_unknown_key_are_refused_before_anything_else(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    assert witness.add_checkpoint(OTHER.submission(9, 7)).status == 404
    assert witness.add_checkpoint(IMPOSTOR.submission(9, 7)).status == 403
    forged = LOG.submission(0, 7).replace(b"\n7\n", b"\n8\n")
    assert witness.add_checkpoint(forged).status == 403


def test_a_log_may_change_its_key(path: Path) -> None:
    witness = new_cosigner(path, [LOG, IMPOSTOR])
    assert witness.add_checkpoint(LOG.submission(0, 7)).status == 200
    assert witness.add_checkpoint(IMPOSTOR.submission(7, 9)).status == 200


def test_signatures_of_others_are_ignored(path: Path) -> None:
    witness = new_cosigner(path, [LOG])
    body = LOG.submission(0, 7) + str(IMPOSTOR.note(7).signatures[0]).encode() + b"\n"
    assert is_cosigned(witness.add_checkpoint(body), path, 7)


@pytest.mark.parametrize("body", [b"", b"old 0\n\n", b"{}", b"\xff" * 100, b"x" * 10_000_000])
def test_a_malformed_body_is_a_bad_request(path: Path, body: bytes) -> None:
    before = path.read_bytes()
    assert new_cosigner(path, [LOG]).add_checkpoint(body).status == 400
    assert path.read_bytes() == before


def test_of_two_simultaneous_requests_one_is_answered_with_the_size_of_the_other(path: Path) -> None:
    both_have_passed_the_first_check = Barrier(2)

    def look(_: Submission) -> None:
        both_have_passed_the_first_check.wait()

    witness = new_cosigner(path, [LOG], look)
    with ThreadPoolExecutor(2) as pool:
        each = [pool.submit(witness.add_checkpoint, LOG.submission(0, size)) for size in (5, 9)]
        answers = {size: one.result() for size, one in zip((5, 9), each, strict=True)}
    (won,) = (size for size, answer in answers.items() if answer.status == 200)
    (lost,) = (answer for answer in answers.values() if answer.status != 200)
    assert told(lost) == (409, f"{won}\n".encode(), SIZE)
    assert WitnessFile(path).heads[LOG.origin].size == won


def test_a_checkpoint_that_can_not_be_written_is_not_cosigned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witness = new_cosigner(path, [LOG])
    witness.add_checkpoint(LOG.submission(0, 7))
    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", _full)
        with pytest.raises(KeyFileError, match="can't be written: No space left"):
            witness.add_checkpoint(LOG.submission(7, 9))
    assert WitnessFile(path).heads[LOG.origin].size == 7
    assert is_cosigned(witness.add_checkpoint(LOG.submission(7, 9)), path, 9)


def _full(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_look_that_refuses_leaves_nothing_behind(path: Path) -> None:
    def refuse(_: object) -> None:
        raise NotCosigned(Answer(403, b"No.\n"))

    before = path.read_bytes()
    assert new_cosigner(path, [LOG], refuse).add_checkpoint(LOG.submission(0, 7)) == Answer(403, b"No.\n")
    assert path.read_bytes() == before


def test_a_person_can_read_the_file_and_nobody_else_can(path: Path) -> None:
    new_cosigner(path, [LOG]).add_checkpoint(LOG.submission(0, 7))
    text = path.read_text()
    assert f'"{LOG.origin}": {{' in text
    assert f'"at": "{AT}"' in text
    assert '"7",' in text
    assert str(WitnessFile(path).key) in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="accessible to users other than its owner"):
        WitnessFile(path)


def test_a_file_is_made_once(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    assert new_file(tmp_path) == path
    assert path.read_bytes() == before
    assert WitnessFile(path).key.name == NAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("witness/v1", "witness/v2"),
        ('"secret": "', '"secret": "0'),
        ('"vkey": "', '"vkey": "x'),
        (LOG.origin, "log.example/three"),
        ('"7",', '"07",'),
        ('"7",', ""),
        ("{", ""),
    ],
)
def test_a_damaged_file_is_refused_without_its_secret(path: Path, old: str, new: str) -> None:
    new_cosigner(path, [LOG]).add_checkpoint(LOG.submission(0, 7))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(KeyFileError) as refused:
        WitnessFile(path)
    secret = text.split('"secret": "')[1][:64]
    assert secret not in str(refused.value)


def test_the_secret_of_another_witness_is_refused(path: Path, tmp_path: Path) -> None:
    other = new_file(tmp_path, "witness.example/other").read_text().split('"secret": "')[1][:64]
    text = path.read_text()
    path.write_text(text.replace(text.split('"secret": "')[1][:64], other))
    with pytest.raises(KeyFileError, match="the public key does not belong to the secret"):
        WitnessFile(path)


def test_only_one_witness_uses_a_file(path: Path) -> None:
    with (
        witness_file.exclusively(path, 0),
        pytest.raises(KeyFileError, match="Another witness uses"),
        witness_file.exclusively(path, 0),
    ):
        pass
