"""Texts of disputes are erased by place, owner or age; an event records each erasure, and the audit finds no fault."""

import json
from typing import Any

import pytest
from sqlalchemy import select

from service.database.engines import reading
from service.disputes import dispute_commands
from service.event_store.log_tables import sealed
from service.games.game import SERVICE
from service.play.dispute_desk import DisputeRefused
from tests.disputes.disputed import Copy


def left(copy: Copy) -> set[tuple[int, str]]:
    """Return the places of the texts that are still sealed."""
    with reading(copy.service.parts.engine) as connection:
        rows = connection.execute(select(sealed).where(sealed.c.stream_id == copy.disputes)).all()
    return {(row.position, row.field) for row in rows}


def erased(copy: Copy, *arguments: str) -> list[dict[str, Any]]:
    said = copy.instance.run("erase", *arguments, "--json")
    assert said.code == 0, said.err
    return list(json.loads(said.out))


def places(outcomes: list[dict[str, Any]], outcome: str) -> set[tuple[int, str]]:
    return {(one["position"], one["field"]) for one in outcomes if one["outcome"] == outcome}


@pytest.mark.walk
def test_a_text_is_erased_by_its_place_with_an_event_and_only_once(copy: Copy) -> None:
    position, before = copy.position("dispute_decided"), left(copy)
    assert places(erased(copy, copy.place, str(position), "reason", "--dry-run"), "would_be_erased")
    assert left(copy) == before
    (done,) = erased(copy, copy.place, str(position), "reason", "--ground", "order")
    assert (done["table"], done["position"], done["outcome"]) == (copy.place, position, "erased")
    assert left(copy) == before - {(position, "reason")}
    last: Any = copy.stored().recorded[-1]
    assert (last.type, last.by) == ("dispute_value_erased", "service")
    assert (last.event.owner, last.event.position, last.event.field) == ("", position, "reason")
    assert last.event.ground == "order"
    again = copy.instance.run("erase", copy.place, str(position), "reason")
    assert again.code == 1
    assert "was erased before" in again.out
    assert copy.found() == []
    assert not copy.verified().has_failed


def test_by_owner_the_texts_that_the_owner_wrote_are_erased(copy: Copy) -> None:
    before, recorded = left(copy), copy.stored().recorded
    written = {
        (one.position, field) for one in recorded for field in one.priv if owner_of(one.event) == copy.known.auditor
    }
    assert written
    assert places(erased(copy, "--owner", copy.known.auditor), "erased") == written
    assert left(copy) == before - written
    assert erased(copy, "--owner", copy.known.auditor) == []
    assert copy.found() == []


def owner_of(event: Any) -> str:  # noqa: ANN401 -- of any type
    return getattr(event, "owner", "")


def test_by_age_all_texts_are_erased_and_the_audit_can_still_decide(copy: Copy) -> None:
    assert erased(copy, "--older-than", "1") == []
    before = left(copy)
    assert places(erased(copy, "--older-than", "0"), "erased") == before
    assert left(copy) == set()
    report = copy.verified()
    assert (report.findings, report.has_failed) == ((), False)
    assert {verdict.value for verdict in report.disputes} == {"clean"}


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("99", "Only a value that an event sealed"),
        ("1", "Only a value that an event sealed"),
    ],
)
def test_a_value_that_was_never_sealed_is_not_erased(copy: Copy, place: str, why: str) -> None:
    said = copy.instance.run("erase", copy.place, place, "reason")
    assert (said.code, why in said.out) == (1, True)


def test_no_other_stream_is_named_as_disputes(copy: Copy) -> None:
    as_table = copy.place.replace("dsp_", "tbl_")
    assert copy.instance.run("erase", as_table, "1", "statement").code == 1
    assert copy.instance.run("erase", copy.known.table.replace("tbl_", "dsp_"), "1", "statement").code == 2
    unknown = copy.instance.run("erase", f"dsp_{'ff' * 16}", "1", "statement")
    assert (unknown.code, "There are no such disputes." in unknown.out) == (1, True)


def test_a_text_is_not_erased_twice_under_another_key(copy: Copy) -> None:
    position = copy.position("dispute_value_erased")
    (gone,) = [one.event for one in copy.stored().recorded if one.position == position]
    command = dispute_commands.EraseDisputeValue(position=gone.position, field="statement", ground="request")  # type: ignore[attr-defined]
    with pytest.raises(DisputeRefused, match="dispute_value_must_be_sealed"):
        copy.do("", SERVICE, command, 4)
