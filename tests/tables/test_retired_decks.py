"""Only an event that reveals a deck's seed retires the deck (G.6)."""

from msgspec.structs import replace

from service.games.bankrupt import BANKRUPT
from service.games.common_events import DeckRevealed, DeckUnused
from service.games.game import Event
from service.tables.fold import TableAt, new
from service.tables.visibility import is_retired
from tests.games.stacked import epoch_of
from tests.games.table import fixed, reserved

FIRST, SECOND = epoch_of(1), epoch_of(2)


def table_after(*events: Event) -> TableAt:
    table_at = new(bytes.fromhex("7" * 32), BANKRUPT)
    state = table_at.state
    for event in events:
        state = BANKRUPT.evolve(state, event)
    return replace(table_at, state=state, opened={FIRST: 1, SECOND: 2})


def test_a_deck_that_another_replaced_is_not_retired() -> None:
    before = (reserved(FIRST), reserved(SECOND), fixed(FIRST), fixed(SECOND))
    assert not is_retired(table_after(*before), FIRST)
    revealed = table_after(*before, DeckRevealed(epoch=FIRST, server_seed="5" * 64))
    assert is_retired(revealed, FIRST)
    assert not is_retired(revealed, SECOND)


def test_a_deck_in_reserve_is_retired_once_its_seed_is_revealed_unused() -> None:
    assert not is_retired(table_after(reserved(FIRST)), FIRST)
    assert is_retired(table_after(reserved(FIRST), DeckUnused(epoch=FIRST, server_seed="5" * 64)), FIRST)


def test_a_deck_that_was_never_opened_is_not_retired() -> None:
    assert not is_retired(table_after(reserved(FIRST)), epoch_of(3))
