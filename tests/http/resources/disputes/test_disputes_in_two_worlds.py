"""Two worlds that differ only in statements, answers and questions are alike to everybody who may not read these."""

from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from zipfile import ZipFile

import pytest

from service.disputes.dispute_events import KINDS, DisputeDecided
from service.disputes.dispute_rules import QUESTION, REASON, STATEMENT
from tests.databases import Databases
from tests.http.disputed_texts import REASON as DECIDED, TEXTS, Told
from tests.http.disputes import Case
from tests.http.service import accepted, running
from tests.tables.worlds import Scripted
from tests.web.looking import FIGURES, Onlooker, must_be_equal, paths


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


def test_who_may_not_read_a_text_gets_the_same_pages_whatever_it_says(worlds: tuple[Told, Told]) -> None:
    examples = {"table": worlds[0].case.table.id, "hand": "1", "account": "stack:1", "dispute": "1", "game": "bankrupt"}
    for name, person in worlds[0].outsiders.items():
        lookers = [Onlooker(world.service.app, person.token) for world in worlds]
        for path in paths(examples):
            if name == "admin" and path.startswith(FIGURES):
                continue
            ours, theirs = (looker.sees(path) for looker in lookers)
            must_be_equal(ours, theirs, f"{name} at {path}")
            assert isinstance(ours.body, bytes | None), path
            assert TEXTS[0].encode() not in (ours.body or b""), path


def test_parties_the_host_and_auditors_read_every_text(worlds: tuple[Told, Told]) -> None:
    for world, text in zip(worlds, TEXTS, strict=True):
        for name, person in world.readers.items():
            steps = accepted(person.get(f"{world.case.path}/1")).json["steps"]
            texts = [field["value"] for step in steps for field in step["fields"]]
            assert texts == [text, f"{text}?", f"{text}!", DECIDED], name


def test_everybody_who_sees_the_table_reads_the_reason_alone(worlds: tuple[Told, Told]) -> None:
    for person in worlds[0].outsiders.values():
        answer = person.get(f"{worlds[0].case.path}/1")
        if answer.status_code == 200:
            fields = [field for step in answer.get_json()["steps"] for field in step["fields"]]
            assert [(field["field"], field["value"]) for field in fields] == [(REASON, DECIDED)]
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
                assert DECIDED in files


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
        assert all("winked" not in answer.get_data(as_text=True) for answer in errors)
        assert "winked" not in service.person("metrics").get("/metrics").get_data(as_text=True)
    written = capsys.readouterr()
    assert "disputes" in written.err, "The requests are logged."
    assert "winked" not in written.out + written.err
