"""Two worlds that differ only in statements, answers and questions are alike to everybody who may not read these."""

from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import Any, Final
from zipfile import ZipFile

import pytest
from werkzeug.test import TestResponse

from service.disputes.dispute_events import KINDS, DisputeDecided
from service.disputes.dispute_rules import QUESTION, REASON, STATEMENT
from tests.databases import Databases
from tests.http.disputes import Case
from tests.http.service import Person, Service, Table, accepted, running
from tests.tables.worlds import Scripted, told

TEXTS: Final = ("I saw the queen.", "I won that hand, and everybody at the table saw it. " * 30)
"""The statement in each world; answers and questions are made from it."""
_REASON: Final = "The rule is clear."


class Told:
    """A service with a dispute about which *text* was written, and people who may read the text or not."""

    def __init__(self, service: Service, text: str, visibility: str) -> None:
        self.service = service
        self.case = case = Case(service, hands=9, visibility=visibility)
        number = case.opened(statement=text)
        case.do(number, case.auditor, "assignment")
        case.do(number, case.auditor, "question", question=f"{text}?")
        case.do(number, case.table.host, "answer", statement=f"{text}!")
        case.do(number, case.auditor, "decision", outcome="fault", rule="G.3", reason=_REASON)
        case.do(number, case.auditor, "correction", transfers=[case.transfer(number)])
        service.keep_log()
        self.outsiders = {
            "spectator": service.spectator,
            "stranger": service.person("play", "host"),
            "host of another table": Table(service, 2).host,
            "approver": case.approver,
            "admin": service.person("admin", "metrics"),
            "auditor of another table": service.person("audit", limits=(Table(service, 2).id,)),
            "auditor of another dispute": service.person("audit", limits=(f"{case.table.id}/2",)),
        }
        self.readers = {
            "complainant": case.complainant,
            "other player": case.table.players[3],
            "host": case.table.host,
            "auditor": case.other_auditor,
        }

    def answers(self, who: Person) -> Iterator[tuple[str, Any]]:
        """Send the requests of *who* about everything that could show a text, and yield the masked responses."""
        table, path = self.case.table.path, self.case.path
        paths = [
            *(f"{table}{rest}" for rest in ("", "/events?limit=1000", "/balances", "/hands", "/hands/1", "/actions")),
            *(f"{table}{rest}" for rest in ("/hands/1/adjudication", "/disputes", "/disputes/1", "/disputes/2", "/me")),
            "/v1/tables",
            "/v1/disputes",
            "/v1/disputes?closed=true",
            "/v1/feed?limit=1000",
        ]
        for each in paths:
            yield each, _told(who.get(each))
        for step, body in (("answer", {"statement": "x"}), ("withdrawal", {}), ("refusal", {"proposal": 1})):
            yield step, _told(who.post(f"{path}/1/{step}", body, key="tried"))
        yield "open", _told(who.post(path, {"hand": 99, "ground": "time"}, key="tried"))


def _told(answer: TestResponse) -> tuple[int, dict[str, str], object, int]:
    """Return the masked response without Log-Checkpoint, because the worlds read new checkpoints at different times."""
    status, headers, body, size = told(answer)
    return status, {name: value for name, value in headers.items() if name != "Log-Checkpoint"}, body, size


@pytest.fixture(scope="module", params=["public", "private"])
def worlds(
    request: pytest.FixtureRequest, all_databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Told, Told]]:
    with ExitStack() as stack:
        made = []
        for text in TEXTS:
            url = stack.enter_context(all_databases.migrated("sqlite"))
            service = stack.enter_context(running(tmp_path_factory.mktemp("world"), url, entropy=Scripted()))
            made.append(Told(service, text, request.param))
        yield made[0], made[1]


def test_a_caller_who_may_not_read_a_text_gets_the_same_bytes_for_each_text(worlds: tuple[Told, Told]) -> None:
    one, other = worlds
    for name in one.outsiders:
        pairs = zip(one.answers(one.outsiders[name]), other.answers(other.outsiders[name]), strict=True)
        for (path, ours), (_, theirs) in pairs:
            assert ours == theirs, (name, path)


def test_parties_the_host_and_auditors_read_every_text(worlds: tuple[Told, Told]) -> None:
    for world, text in zip(worlds, TEXTS, strict=True):
        for name, person in world.readers.items():
            steps = accepted(person.get(f"{world.case.path}/1")).json["steps"]
            texts = [field["value"] for step in steps for field in step["fields"]]
            assert texts == [text, f"{text}?", f"{text}!", _REASON], name


def test_everybody_who_sees_the_table_reads_the_reason_alone(worlds: tuple[Told, Told]) -> None:
    for person in worlds[0].outsiders.values():
        answer = person.get(f"{worlds[0].case.path}/1")
        if answer.status_code == 200:
            fields = [field for step in answer.get_json()["steps"] for field in step["fields"]]
            assert [(field["field"], field["value"]) for field in fields] == [(REASON, _REASON)]
        else:
            assert answer.get_json()["code"] == "table_must_exist"


def test_a_dossier_has_the_texts_of_its_reader_alone(worlds: tuple[Told, Told]) -> None:
    world = worlds[0]
    for may_read, people in ((False, world.outsiders), (True, world.readers)):
        for name, person in people.items():
            answer = person.get(f"{world.case.table.path}/hands/1/dossier")
            if answer.status_code == 200:
                with ZipFile(BytesIO(answer.data)) as dossier:
                    files = b"".join(map(dossier.read, dossier.namelist())).decode()
                assert (TEXTS[0] in files) == may_read, name
                assert _REASON in files


def test_no_text_is_a_public_member_of_an_event() -> None:
    for kind in KINDS:
        assert {STATEMENT, QUESTION, REASON}.isdisjoint(kind.__struct_fields__), kind
    assert DisputeDecided in KINDS


def test_no_text_is_in_logs_errors_or_metrics(
    all_databases: Databases, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "the dealer winked at seat two"
    folder = tmp_path_factory.mktemp("logged")
    with all_databases.migrated("sqlite") as url, running(folder, url, log_level="debug") as service:
        case = Case(service)
        number = case.opened(statement=secret)
        errors = [
            case.open(statement=secret),
            case.open(case.service.person("play"), statement=secret),
            case.step(number, case.complainant, "answer", statement=secret * 100),
            case.step(99, case.opponent, "answer", statement=secret),
            case.step(number, case.opponent, "answer", statement=secret, wrong=secret),
        ]
        assert all(answer.status_code >= 400 for answer in errors)
        assert all("winked" not in answer.get_data(as_text=True) for answer in errors[:4])
        assert "winked" not in service.person("metrics").get("/metrics").get_data(as_text=True)
    written = capsys.readouterr()
    assert "disputes" in written.err, "The requests are logged."
    assert "winked" not in written.out + written.err
