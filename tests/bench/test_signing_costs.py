"""The figure group `signing` plays tables with and without signatures, and tables with seeds of all players."""

from collections import Counter
from collections.abc import Sequence

import pytest

from service.bench import databases, signing_costs
from service.bench.databases import SQLITE, TemporaryDatabases, folder
from service.bench.games import LOADS
from service.bench.headless import HeadlessService
from service.database.engines import reading
from service.entropy import Entropy
from service.event_store.codec import RecordedEvent
from service.games.common_events import DeckFixed

MOVES = 150  # so many that a second batch of seeds is collected


def recorded(kind: type[signing_costs._Table], load: str) -> Sequence[RecordedEvent]:
    """Return the events of a table of a *kind* after some moves of a *load*."""
    with (
        folder() as home,
        TemporaryDatabases(home, "", Entropy()) as temporary,
        temporary.create(SQLITE) as url,
        databases.opened(url) as engine,
    ):
        service = HeadlessService(engine)
        table = kind(service, 1, load, Entropy())
        spent = [table.spend(0.0) for _ in range(MOVES)]
        assert [one.moves for one in spent] == MOVES * [1]
        assert all(one.seconds > 0 for one in spent)
        with reading(engine) as connection:
            found = service.log.reader.read(connection, table.stream_id, limit=table.table_at.position)
    assert sum(one.commands for one in spent) <= sum(1 for one in found if one.cmd)
    return found


def of_seats(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return the decisions of seats after the start of the game."""
    return [one for one in events if one.cmd and one.by.startswith("seat:") and one.type != "seat_taken"]


@pytest.mark.parametrize("load", LOADS.names)
def test_every_move_is_signed_or_none(load: str) -> None:
    signed, plain = (
        of_seats(recorded(signing_costs._SigningTable, load)),
        of_seats(recorded(signing_costs._Table, load)),
    )
    assert len(signed) == len(plain) + LOADS.seats
    assert all(one.sig for one in signed)
    assert not any(one.sig for one in plain)
    assert [one.type for one in signed if one.type != "signing_key_registered"] == [one.type for one in plain]


@pytest.mark.parametrize("load", LOADS.names)
def test_every_deck_has_the_seeds_of_all_seats_and_the_moves_are_those_of_the_plain_table(load: str) -> None:
    events = recorded(signing_costs._SeedsTable, load)
    levels = Counter(one.event.level for one in events if isinstance(one.event, DeckFixed))
    assert levels.keys() == {"joint"}
    shown = sum(one.type == "deck_seed_revealed" for one in events)
    assert shown >= 2 * LOADS.seats
    moves = [one.type for one in of_seats(events) if not one.type.startswith("deck_seed")]
    assert moves == [one.type for one in of_seats(recorded(signing_costs._Table, load))]
