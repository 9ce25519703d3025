"""`chiptrail disputes` lists disputes, shows a dispute with its steps, and frees a dispute whose auditor is gone."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from service.disputes import dispute_commands
from service.play.dispute_desk import AUDITOR
from tests.cli.commands import Instance
from tests.cli.played import Originals
from tests.disputes.complaints import QUESTION, REASON, STATEMENT, Desk
from tests.dossier.made import play
from tests.http.service import Service, Table


@pytest.fixture
def disputed(originals: Originals, tmp_path: Path) -> Iterator[tuple[Instance, str]]:
    """Yield an instance whose table has two disputes: dispute 1 is corrected, and an auditor has taken dispute 2."""
    with originals.copied("sqlite", _played, tmp_path / "data") as played:
        yield played.instance, str(played.known)


def _played(service: Service) -> str:
    table = Table(service, 3).started()
    play(service, table, 9, Random(7))
    desk = Desk(table)
    desk.corrected()
    taken = desk.opened(2).dispute.number
    desk.do(desk.auditor, AUDITOR, dispute_commands.TakeDispute(), taken)
    return str(table.id)


def test_open_disputes_are_listed_and_closed_disputes_on_demand(disputed: tuple[Instance, str]) -> None:
    instance, table = disputed
    (open_one,) = json.loads(instance.run("disputes", "list", "--json").out)
    (closed,) = json.loads(instance.run("disputes", "list", "--closed", "--json").out)
    assert (open_one["table"], open_one["dispute"], open_one["status"]) == (table, 2, "taken")
    assert (closed["dispute"], closed["outcome"], closed["verdict"]) == (1, "fault", "clean")
    assert f"{table}  2        2     payout  taken" in instance.run("disputes", "list").out


def test_a_dispute_is_shown_with_its_reason_and_its_sealed_texts_only_on_demand(disputed: tuple[Instance, str]) -> None:
    instance, table = disputed
    shown = instance.run("disputes", "show", table, "1")
    assert shown.code == 0
    assert "verdict  clean now, clean when it was last recorded" in shown.out
    assert REASON in shown.out
    assert STATEMENT not in shown.out
    assert QUESTION not in shown.out
    assert "seat 2 gives 5 chips to seat 1 for the event at" in shown.out
    whole = instance.run("disputes", "show", table, "1", "--texts").out
    assert STATEMENT in whole
    assert QUESTION in whole
    assert instance.run("disputes", "show", table, "3").code == 1


def test_the_operator_returns_a_dispute_whose_auditor_is_gone(disputed: tuple[Instance, str]) -> None:  # D.4
    instance, table = disputed
    assert instance.run("disputes", "return", table, "2").code == 0
    shown = json.loads(instance.run("disputes", "show", table, "2", "--json").out)
    assert (shown["status"], shown["steps"][-1]["by"], shown["auditor"]) == ("open", "service", "")
    again = instance.run("disputes", "return", table, "2")
    assert (again.code, "D.4" in again.err) == (1, True)
