"""The service sends its newest checkpoint to each witness, trusts no answer, and serves only valid cosignatures."""

from collections.abc import Iterator, MutableMapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from service.database.engines import administering, reading
from service.database.exclusive import WITNESSING, exclusive_work
from service.entropy import Entropy
from service.event_store.entries import EMPTY, Head
from service.transparency import published, signed_note
from service.transparency.log_signer import LogSigner
from service.transparency.sequencer import Sequencer
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.witnesses import cosignature, cosigned, senders, witness_client
from service.transparency.witnesses.sender import WitnessSender
from service.transparency.witnesses.senders import WitnessSenders
from service.transparency.witnesses.submission import SIZE_TYPE, Submission
from service.transparency.witnesses.witness_client import Witness, WitnessAnswer, WitnessSilent
from service.witness import witness_file
from service.witness.cosigner import Cosigner, logs_of
from service.witness.witness_file import WitnessFile
from tests.audit.forging import DROPPINGS
from tests.clocks import Clock
from tests.event_store.streams import append, asked, head_of, make_log, new_stream
from tests.transparency.notes import new_signer

LOG = make_log()
ON = "https://witness.example"
NAMES = {"w.example/1", "w.example-2"}


class SomeWitness:
    """A witness in this process; it gives the prepared *answers* first, and then answers itself."""

    def __init__(self, folder: Path, name: str, signer: LogSigner) -> None:
        self.path = folder / f"{name}.json"
        witness_file.make(self.path, name, Entropy())
        self.logs = logs_of([str(signer.key.public)])
        self.answers: list[WitnessAnswer | Exception] = []
        self.asked: list[Submission] = []
        self.start()

    def start(self) -> None:
        """Start the witness, or start it again after a kill."""
        self.cosigner = Cosigner(WitnessFile(self.path), self.logs, Entropy())

    @property
    def key(self) -> VerifierKey:
        return WitnessFile(self.path).key

    def __call__(self, submission: Submission) -> WitnessAnswer:
        self.asked.append(submission)
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        own = self.cosigner.add_checkpoint(bytes(submission))
        return WitnessAnswer(own.status, own.content_type, own.body)


class Party:
    """A log in a database, its signer, and the senders to two witnesses."""

    def __init__(self, engine: Engine, folder: Path, clock: Clock) -> None:
        self.engine = engine
        self.signer = new_signer(folder)
        self.stream_id = new_stream(engine, LOG)
        self.head: Head = EMPTY
        self.witnesses = [SomeWitness(folder, name, self.signer) for name in ("w.example/1", "w.example-2")]
        self.senders = [self.sender(one, clock) for one in self.witnesses]

    def sender(self, witness: SomeWitness, clock: Clock) -> WitnessSender:
        return WitnessSender(self.engine, self.signer.key.public, Witness(witness.key, ON), witness, clock)

    def grow(self, name: str) -> int:
        """Add two leaves and publish a checkpoint; return the checkpoint's size."""
        recorded = append(self.engine, LOG, self.stream_id, self.head, asked(name, answers=1))
        self.head = head_of(recorded)
        while Sequencer(self.engine).round():
            pass
        note = published.publish(self.engine, self.signer)
        assert note
        return int(note.split("\n")[1])

    def served(self, least: int = 0) -> tuple[int, set[str]]:
        """Return the size of the checkpoint that is served, and the names of its cosigners."""
        keys = [one.key for one in self.witnesses]
        with reading(self.engine) as connection:
            note = cosigned.newest(connection, self.signer.key.origin, keys, least)
        if note is None:
            return 0, set()
        parsed = signed_note.parse(note.encode())
        signed_note.must_be_signed(parsed, self.signer.key.public)
        for key, line in ((key, line) for key in keys for line in parsed.signatures if line.name == key.name):
            cosignature.cosigned_at(parsed.text, line, key)
        return int(parsed.text.split("\n")[1]), {line.name for line in parsed.signatures[1:]}

    def problem(self, number: int) -> str | None:
        with reading(self.engine) as connection:
            found = cosigned.reports(connection).get(str(self.witnesses[number].key))
        return found.problem if found else None


@pytest.fixture
def party(engine: Engine, tmp_path: Path, clock: Clock) -> Party:
    (tmp_path / "w.example").mkdir()
    return Party(engine, tmp_path, clock)


@pytest.fixture
def lines() -> Iterator[list[MutableMapping[str, Any]]]:
    with capture_logs() as captured:
        yield captured


def test_both_witnesses_cosign_each_checkpoint(party: Party) -> None:
    assert all(one.look() for one in party.senders), "without a checkpoint there is nothing to send"
    assert party.served() == (0, set())
    for name in ("a", "b", "c"):
        size = party.grow(name)
        assert party.served() == (size, set())
        assert [one.look() for one in party.senders] == [True, True]
        assert party.served() == (size, NAMES)
    assert [one.old_size for one in party.witnesses[0].asked] == [0, 2, 4], "no request was needed to learn a size"


def test_a_checkpoint_is_sent_once(party: Party) -> None:
    party.grow("a")
    for _ in range(3):
        assert party.senders[0].look()
    assert len(party.witnesses[0].asked) == 1


def test_a_silent_witness_holds_up_no_other_witness_and_goes_on_later(
    party: Party, lines: list[MutableMapping[str, Any]]
) -> None:
    size = party.grow("a")
    party.witnesses[0].answers = [WitnessSilent("It does not answer (NewConnectionError).")] * 2
    assert [one.look() for one in party.senders] == [False, True]
    assert party.served() == (size, {"w.example-2"})
    assert party.problem(0) == "It does not answer (NewConnectionError)."
    assert not party.senders[0].look()
    assert [one["event"] for one in lines].count("witness_does_not_cosign") == 1, "the same problem is reported once"
    party.witnesses[0].start()
    assert party.senders[0].look()
    assert (party.served(), party.problem(0)) == ((size, NAMES), "")


def test_a_witness_that_was_killed_and_started_again_goes_on(party: Party, clock: Clock) -> None:
    party.grow("a")
    assert party.senders[0].look()
    size = party.grow("b")
    answer = party.witnesses[0].cosigner.add_checkpoint  # The witness stores the head, and is killed before it answers.
    party.witnesses[0].answers = [WitnessSilent("It does not answer (ReadTimeoutError).")]
    assert not party.senders[0].look()
    assert answer(bytes(party.witnesses[0].asked[-1])).status == 200
    party.witnesses[0].start()
    assert party.senders[0].look()
    assert party.served() == (size, {"w.example/1"})
    size = party.grow("c")
    assert party.sender(party.witnesses[0], clock).look(), "another process of the service goes on too"
    assert party.served() == (size, {"w.example/1"})


def test_the_size_in_the_answer_of_a_witness_is_used(party: Party) -> None:
    party.grow("a")
    party.senders[0].look()
    with administering(party.engine) as connection:
        connection.execute(text("DELETE FROM cosignatures"))
    size = party.grow("b")
    fresh = party.sender(party.witnesses[0], Clock())
    assert fresh.look()
    assert [one.old_size for one in party.witnesses[0].asked] == [0, 0, 2]
    assert party.served() == (size, {"w.example/1"})


def test_an_older_checkpoint_with_enough_cosignatures_is_served(party: Party) -> None:
    first = party.grow("a")
    assert [one.look() for one in party.senders] == [True, True]
    second = party.grow("b")
    assert party.senders[0].look()
    third = party.grow("c")
    assert party.served() == (third, set())
    assert party.served(1) == (second, {"w.example/1"})
    assert party.served(2) == (first, NAMES)
    assert party.served(3) == (0, set())


def other_key(submission: Submission, name: str, seed: int) -> bytes:
    key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    return f"{cosignature.cosign(submission.note.text, name, key, 1)}\n".encode()


def liars(party: Party) -> dict[str, list[WitnessAnswer | Exception]]:
    """Return answers of a witness without a valid cosignature, by the service's message about the answers."""
    party.grow("a")
    assert party.senders[1].look()
    submission = party.witnesses[1].asked[0]
    line = other_key(submission, party.witnesses[0].key.name, 7)
    renamed = line.replace(b"w.example/1", b"w.example/9")
    foreign = f"{cosignature.cosign('other', 'w.example/1', WitnessFile(party.witnesses[0].path).private_key, 1)}\n"
    own = party.witnesses[0].cosigner.add_checkpoint(bytes(submission)).body
    party.witnesses[0].start()

    def sizes(*told: bytes) -> list[WitnessAnswer | Exception]:
        return [WitnessAnswer(409, SIZE_TYPE, one) for one in told]

    return {
        "has cosigned a tree with 900 leaves": sizes(b"900\n"),
        "refuses the old size for which it asks": sizes(b"0\n"),
        "It refuses the old size for which it asks.": sizes(b"1\n", b"2\n", b"1\n", b"2\n"),
        "must be a size": sizes(b"-1\n"),
        "The answer of the witness must be a size.": sizes(b"x" * 65_536),
        "status 409: another root": [WitnessAnswer(409, "text/plain", b"another root\n")],
        "status 404: without a reason": [WitnessAnswer(404, "text/plain", b"\x00\xff\n")],
        "status 500: <b>broken</b>": [WitnessAnswer(500, "text/html", b"<b>broken</b>\r\n\x1b[2J")],
        "status 302": [WitnessAnswer(302, "text/plain", b"")],
        "must have exactly one cosignature by its key": [WitnessAnswer(200, "text/plain", line)],
        "Its answer must have exactly one cosignature by its key.": [WitnessAnswer(200, "text/plain", renamed)],
        "The cosignature by w.example/1 is wrong.": [WitnessAnswer(200, "text/plain", foreign.encode())],
        "its key.": [WitnessAnswer(200, "text/plain", own + own)],
        "a line that is no signature line": [WitnessAnswer(200, "text/plain", own + b"hello\n")],
        "A note is": [WitnessAnswer(200, "text/plain", b"")],
        "UTF-8": [WitnessAnswer(200, "text/plain", b"\xff" * 65_536)],
        "at most 100 signatures": [WitnessAnswer(200, "text/plain", line * 200)],
    }


def test_no_wrong_answer_of_a_witness_is_believed_and_each_is_reported(party: Party) -> None:
    for problem, answers in liars(party).items():
        witness = party.witnesses[0]
        witness.answers, witness.asked = answers, []
        assert not party.senders[0].look(), problem
        assert problem in (party.problem(0) or ""), party.problem(0)
        assert len(witness.asked) <= 3
        assert "\x1b" not in (party.problem(0) or "")
    assert party.served()[1] == {"w.example-2"}
    party.witnesses[0].answers = []
    assert party.senders[0].look()
    assert party.served()[1] == NAMES


def test_a_cosignature_of_another_kind_or_by_others_is_ignored(party: Party) -> None:
    size = party.grow("a")
    party.senders[1].look()
    submission = party.witnesses[1].asked[0]
    own = party.witnesses[0].cosigner.add_checkpoint(bytes(submission)).body
    party.witnesses[0].answers = [WitnessAnswer(200, "text/plain", other_key(submission, "somebody", 7) + own)]
    assert party.senders[0].look()
    assert party.served() == (size, NAMES)


def test_a_database_older_than_a_cosigned_tree_is_reported(party: Party) -> None:
    party.grow("a")
    ahead = party.grow("b")
    assert party.senders[0].look()
    with administering(party.engine) as connection:
        for drop in connection.execute(text(DROPPINGS[party.engine.dialect.name])).scalars().all():
            connection.execute(text(drop))
        connection.execute(text("DELETE FROM cosignatures"))
        connection.execute(text(f"DELETE FROM checkpoints WHERE size = {ahead}"))  # noqa: S608  # a number
    assert not party.sender(party.witnesses[0], Clock()).look()
    assert "this database lacks leaves that the log key signed" in (party.problem(0) or "")


def test_a_cosignature_that_was_changed_in_the_database_is_not_served(party: Party) -> None:
    size = party.grow("a")
    assert [one.look() for one in party.senders] == [True, True]
    with administering(party.engine) as connection:
        connection.execute(text("UPDATE cosignatures SET line = replace(line, 'A', 'B') WHERE vkey LIKE '%/1+%'"))
    assert party.served() == (size, {"w.example-2"})
    assert party.served(2) == (0, set())


class Script(WitnessSender):
    """A sender whose method `look` returns or raises the next step of a script; the last step ends the sender."""

    def __init__(self, script: list[bool | Exception]) -> None:
        self._script = script
        self.ended = Waits()

    def look(self) -> bool:
        step = self._script.pop(0)
        if not self._script:
            self.ended.set()
        if isinstance(step, Exception):
            raise step
        return step


class Waits(Event):
    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout or 0.0)
        return self.is_set()


def test_the_pauses_after_failures_grow_to_a_minute_and_end_with_a_success(
    lines: list[MutableMapping[str, Any]],
) -> None:
    script = Script([False, RuntimeError("secret"), *[False] * 6, True, False])
    senders.keep_sending(script, script.ended)
    assert script.ended.seconds == [0.0, 1, 2, 4, 8, 16, 32, 60, 60, 0.2, 1]
    assert [(one["event"], one["error"]) for one in lines] == [("checkpoint_not_sent", "RuntimeError")]
    assert "secret" not in str(lines)


def test_only_one_process_sends(engine: Engine, party: Party) -> None:
    party.grow("a")
    here = WitnessSenders(engine, party.signer.key.public, [Witness(party.witnesses[0].key, ON)], Entropy())
    tried = Waits()
    tried.is_set = lambda: bool(tried.seconds)  # type: ignore[method-assign]
    with exclusive_work(engine, WITNESSING):
        here._run(tried)
    assert tried.seconds == [5.0], "it tries again after some seconds"
    assert party.problem(0) is None


def test_witnesses_are_named_by_key_and_address() -> None:
    key = cosignature.witness_key("w.example/1", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    assert witness_client.parse_all([f"{key}={ON}"]) == (Witness(key, ON),)
    log_key = signed_note.verifier_key("log", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    for pairs in ([ON], [str(key)], [f"{key}=ftp://x"], [f"{log_key}={ON}"], [f"{key}={ON}"] * 2, [f"x{key}={ON}"]):
        with pytest.raises(NoteMustBeGenuine):
            witness_client.parse_all(pairs)
