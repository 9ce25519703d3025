"""The rows of transfers have the balances that the fold booked; nothing books a transfer a second time."""

import random
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, text

from service.database.engines import reading
from service.entropy import Entropy
from service.games import definition
from service.ledger import Balances, Entries, Entry, Transfer, book
from service.projections.rebuild.projection_rebuild import rebuild
from tests.play.tables import House, Table, play_on

MARK = 1_000_000
"""The tests add this number to the balances of entries, so that no other code can compute these balances."""

ROWS = text("SELECT source, target, amount, source_balance, target_balance FROM transfers ORDER BY position, ordinal")


@pytest.fixture
def booked(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """Return the list of the entries that are booked from now on, in order; marks replace their balances."""
    found: list[Entry] = []

    def marked(balances: Balances, transfers: Iterable[Transfer]) -> tuple[Balances, Entries]:
        after, entries = book(balances, transfers)
        entries = tuple(replace(entry, source_balance=MARK, target_balance=MARK + len(found)) for entry in entries)
        found.extend(entries)
        return after, entries

    monkeypatch.setattr(definition, "book", marked)
    return found


def rows(engine: Engine) -> list[tuple[Any, ...]]:
    """Return all rows of transfers, in the order of the events."""
    with reading(engine) as connection:
        return [tuple(row) for row in connection.execute(ROWS)]


def expected(booked: Iterable[Entry]) -> list[tuple[Any, ...]]:
    """Return the rows that have the balances of the entries *booked*."""
    return [
        (one.transfer.source, one.transfer.target, one.transfer.amount, one.source_balance, one.target_balance)
        for one in booked
    ]


def test_a_command_books_its_transfers_once_and_records_the_balances_that_it_booked(
    engine: Engine, booked: list[Entry]
) -> None:
    table = Table(House(engine)).started(4)
    play_on(table, random.Random(1), most=60)
    assert len(booked) > 60
    assert rows(engine) == expected(booked)


def test_a_rebuild_books_each_transfer_once_and_writes_the_balances_that_it_booked(
    engine: Engine, request: pytest.FixtureRequest
) -> None:
    house = House(engine)
    play_on(Table(house).started(4), random.Random(1), most=60)
    kept = rows(engine)
    booked: list[Entry] = request.getfixturevalue("booked")
    rebuild(engine, house.log, Entropy())
    assert [row[:3] for row in rows(engine)] == [row[:3] for row in kept]
    assert rows(engine) == expected(booked)
