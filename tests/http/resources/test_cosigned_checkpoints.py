"""Checkpoints and proofs have the cosignatures of the service's witnesses; metrics name a silent witness."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.dossier import archive
from service.entropy import Entropy
from service.transparency import signed_note
from service.transparency.witnesses import cosignature
from service.transparency.witnesses.sender import WitnessSender
from service.transparency.witnesses.submission import Submission
from service.transparency.witnesses.witness_client import Witness, WitnessAnswer, WitnessSilent
from service.witness import witness_file
from service.witness.cosigner import Cosigner, logs_of
from service.witness.witness_file import WitnessFile
from tests.dossier.made import must_pass
from tests.http.operations.test_metrics import scraped
from tests.http.service import Service, Table, accepted, refused, running


class Witnessed:
    """A service with one witness, to which the test sends checkpoints."""

    def __init__(self, service: Service, path: Path) -> None:
        self.service = service
        parts = service.parts
        self.cosigner = Cosigner(WitnessFile(path), logs_of([str(parts.log_key)]), Entropy())
        self.sender = WitnessSender(parts.engine, parts.log_key, parts.witnesses[0], self.ask, parts.clock)
        self.is_silent = False

    @property
    def witness(self) -> Witness:
        return self.service.parts.witnesses[0]

    def ask(self, submission: Submission) -> WitnessAnswer:
        if self.is_silent:
            raise WitnessSilent("It does not answer.")
        own = self.cosigner.add_checkpoint(bytes(submission))
        return WitnessAnswer(own.status, own.content_type, own.body)

    def cosigners(self, note: str) -> list[str]:
        """Check the witness's cosignatures of *note*; return the names of the cosigners."""
        parsed = signed_note.parse(note.encode())
        for line in parsed.signatures[1:]:
            cosignature.cosigned_at(parsed.text, line, self.witness.key)
        return [line.name for line in parsed.signatures[1:]]


@pytest.fixture
def witnessed(tmp_path: Path, database_url: str) -> Iterator[Witnessed]:
    path = tmp_path / "witness.json"
    witness_file.make(path, "w.example", Entropy())
    with running(tmp_path, database_url, witnesses=f"{WitnessFile(path).key}=https://w.example") as service:
        yield Witnessed(service, path)


def test_the_checkpoint_and_a_proof_are_cosigned(witnessed: Witnessed) -> None:
    reader = witnessed.service.spectator
    table = Table(witnessed.service)
    refused(reader.get("/v1/log/checkpoint"), 404, "checkpoint_must_exist")
    witnessed.service.keep_log()
    assert witnessed.cosigners(accepted(reader.get("/v1/log/checkpoint")).text) == []
    answer = reader.get("/v1/log/checkpoint?cosignatures=1")
    details = refused(answer, 404, "checkpoint_must_exist")
    title, detail = "The log has no such checkpoint.", "The log has no checkpoint with at least 1 cosignature."
    assert (details["title"], details["detail"]) == (title, detail)
    assert answer.headers["Retry-After"] == "1"
    assert witnessed.sender.look()
    newest = accepted(reader.get("/v1/log/checkpoint")).text
    assert witnessed.cosigners(newest) == ["w.example"]
    proof = accepted(reader.get(f"{table.path}/events/1/proof")).text
    assert proof.endswith(f"\n\n{newest}")
    table.seated()
    witnessed.service.keep_log()
    assert witnessed.cosigners(accepted(reader.get("/v1/log/checkpoint")).text) == []
    assert accepted(reader.get("/v1/log/checkpoint?cosignatures=1")).text == newest


@pytest.mark.parametrize("number", ["-1", "101", "x", "1.5"])
def test_a_number_of_cosignatures_is_a_number(witnessed: Witnessed, number: str) -> None:
    answer = witnessed.service.spectator.get(f"/v1/log/checkpoint?cosignatures={number}")
    refused(answer, 422, "request_must_have_its_shape")


def test_the_metrics_name_a_witness_that_does_not_cosign(witnessed: Witnessed) -> None:
    Table(witnessed.service)
    witnessed.service.keep_log()
    witnessed.is_silent = True
    assert not witnessed.sender.look()
    assert scraped(witnessed.service)["chiptrail_witness_cosigns", "w.example"] == 0
    assert scraped(witnessed.service)["chiptrail_witness_checkpoint_size", "w.example"] == 0


def test_the_metrics_have_the_size_that_a_witness_cosigned(witnessed: Witnessed) -> None:
    Table(witnessed.service)
    witnessed.service.keep_log()
    assert witnessed.sender.look()
    assert scraped(witnessed.service)["chiptrail_witness_cosigns", "w.example"] == 1
    assert scraped(witnessed.service)["chiptrail_witness_checkpoint_size", "w.example"] == witnessed.service.events()


def test_without_witnesses_there_are_no_gauges_of_witnesses(quick_service: Service) -> None:
    assert not any("witness" in name[0] for name in scraped(quick_service))


def test_a_dossier_has_the_cosignatures_and_the_keys_of_its_cosigners(witnessed: Witnessed) -> None:
    table = Table(witnessed.service).dealt()
    witnessed.service.keep_log()
    for cosigners in ([], ["w.example"]):
        data = accepted(witnessed.service.spectator.get(f"{table.path}/dossier")).data
        must_pass(data)
        files = archive.unpacked(data)
        assert witnessed.cosigners(files[archive.CHECKPOINT].decode()) == cosigners
        assert files[archive.KEYS].count(b"\n") == 1 + len(cosigners)
        witnessed.sender.look()
