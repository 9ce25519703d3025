"""A client checks steps of disputes against the log: the steps that it took, and the steps that the server shows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from service.client import Client, DisputeApi, KeptLog, LogContradiction
from service.client.kept.acknowledgement import disputes_of
from service.client.kept.kept_file import KeptFile
from service.entropy import Entropy
from tests.client.lying import Liar, grow, lying
from tests.databases import Databases
from tests.http.disputes import Case
from tests.http.service import running

World = tuple[Case, Liar, str]


@pytest.fixture(scope="module")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a table with hands that can be disputed, the `Liar` of its service, and the URL."""
    folder = tmp_path_factory.mktemp("disputes")
    with all_databases.migrated("sqlite") as url, running(folder, url) as service, lying(service) as (liar, served):
        yield Case(service, hands=3), liar, served


@pytest.fixture(autouse=True)
def honest_again(world: World) -> Iterator[None]:
    yield
    world[1].lies.clear()


@contextmanager
def keeping(path: Path, url: str, token: str) -> Iterator[tuple[KeptLog, DisputeApi]]:
    with (
        closing(KeptLog(path, Entropy())) as kept,
        closing(Client(url, token, Entropy(), kept=kept, patience_seconds=0)) as client,
    ):
        yield kept, DisputeApi(client)


def remembered(body: bytes, answers: list[bytes]) -> bytes:
    """Add *body* to *answers*, and return *body* unchanged."""
    answers.append(body)
    return body


def finds(words: str, code: str = "event_must_stay") -> pytest.RaisesExc[LogContradiction]:
    return pytest.raises(LogContradiction, match=f"(?s){code}: .*{words}")


def test_the_receipts_of_steps_are_proven_one_by_one(world: World, tmp_path: Path) -> None:
    case, _, url = world
    path, stream = tmp_path / "kept", disputes_of(case.table.id)
    with keeping(path, url, case.complainant.token) as (kept, api):
        number = api.open(case.table.id, 1, "payout", "I won that.")
        assert kept.check(api.client).waiting == 1
        grow(case.service)
        assert kept.check(api.client).waiting == 0
        case.do(number, case.auditor, "assignment")  # the client gets no receipt of this step
        api.take_step(case.table.id, number, "withdrawal")
        assert kept.check(api.client).waiting == 1
    grow(case.service)
    with keeping(path, url, case.complainant.token) as (kept, api):
        assert kept.check(api.client).waiting == 0
        (receipt,) = kept.file.receipts(stream)
        assert receipt.is_proven


def test_a_step_that_the_log_does_not_have_is_found(world: World, tmp_path: Path) -> None:
    case, liar, url = world
    with keeping(tmp_path / "kept", url, case.complainant.token) as (kept, api):
        api.open(case.table.id, 2, "payout", "I won that, too.")
        grow(case.service)
        liar.lies["/proof"] = lambda body: body.replace(b"\nindex ", b"\nindex 1", 1)
        with finds("does not have the acknowledged event at position"):
            kept.check(api.client)
        liar.lies["/proof"] = lambda _: b"no proof"
        with finds("A proof is malformed"):
            kept.check(api.client)
        liar.lies["/proof"] = lambda _: (404, b'{"code":"position_must_exist"}')
        assert kept.check(api.client).hidden == (case.table.id,)


def test_a_receipt_of_the_disputes_of_another_table_is_refused(world: World, tmp_path: Path) -> None:
    case, liar, url = world
    answers: list[bytes] = []
    liar.lies["POST .*/disputes"] = lambda body: remembered(body, answers)
    with keeping(tmp_path / "kept", url, case.opponent.token) as (kept, api):
        api.open(case.table.id, 1, "payout", "It is mine.")
        other = f"/v1/tables/tbl_{1:032x}/disputes"
        with finds("names position", "receipt_must_be_genuine"):
            kept.keep(api.client, other, answers[0], "my dispute there")


def test_the_steps_of_others_are_checked_as_the_server_shows_them(world: World, tmp_path: Path) -> None:
    case, liar, url = world
    number = case.taken(who=case.table.players[3], hand=2)
    with keeping(tmp_path / "kept", url, case.opponent.token) as (kept, api):
        assert kept.check_dispute(api.client, case.table.id, number).waiting == 2
        grow(case.service)
        checked = kept.check_dispute(api.client, case.table.id, number)
        assert (checked.waiting, checked.size > 0) == (0, True)
        shown = f"GET .*/disputes/{number}$"
        for lie, words in {
            lambda body: body.replace(b'"at":"2', b'"at":"1'): "does not have the event",
            lambda body: body.replace(b'"dispute":%d,"' % number, b'"dispute":9,"'): "an event of another dispute",
            lambda body: body.replace(b'"dispute/dsp_ff', b'"dispute/dsp_fe'): "The server shows position",
            lambda body: body.replace(b'"prev":', b'"before":'): "is no leaf",
            lambda _: b'{"steps":[]}': "shows no event of dispute",
        }.items():
            liar.lies[shown] = lie
            with finds(words):
                kept.check_dispute(api.client, case.table.id, number)
        assert kept.file.findings()


def test_a_file_of_an_earlier_version_is_read_on(world: World, tmp_path: Path) -> None:
    """Receipts of disputes in such a file name no table, so the client neither proves nor awaits these receipts."""
    case, _, url = world
    path = tmp_path / "kept"
    with keeping(path, url, case.table.players[4].token) as (_, api):
        api.open(case.table.id, 2, "payout", "It was mine.")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE disputes")
        connection.commit()
    grow(case.service)
    with keeping(path, url, case.table.players[4].token) as (kept, api):
        assert kept.check(api.client).waiting == 0
    with closing(KeptFile(path, Entropy())) as file:
        (receipt,) = file.receipts(disputes_of(case.table.id))
        assert not receipt.is_proven
