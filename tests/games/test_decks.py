"""A deck's status at a table: in reserve, in play or replaced; a deck whose seed is revealed has no status."""

from service.games import decks
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.state import State
from service.games.common_events import DeckOpened, DeckRevealed, DeckUnused
from service.games.decks import Emitter
from service.games.game import Event
from tests.games.stacked import TABLE, StackedDecks, epoch_of
from tests.games.table import fixed, reserved

FIRST, SECOND, THIRD = map(epoch_of, range(1, 4))


def after(*events: Event) -> State:
    state = State(table=TABLE)
    for event in events:
        state = BANKRUPT.evolve(state, event)
    return state


def revealed(epoch: str) -> DeckRevealed:
    return DeckRevealed(epoch=epoch, server_seed="5" * 64)


def test_of_several_decks_in_reserve_the_first_is_fixed_next() -> None:
    state = after(reserved(FIRST), reserved(SECOND))
    assert (state.epoch, state.reserve, state.decks_opened) == ("", FIRST, 2)
    state = after(reserved(FIRST), reserved(SECOND), fixed(FIRST))
    assert (state.epoch, state.reserve, state.decks_opened) == (FIRST, SECOND, 2)


def test_a_deck_that_another_replaces_is_listed_until_its_seed_is_revealed() -> None:  # G.6
    replaced = (reserved(FIRST), reserved(SECOND), fixed(FIRST), fixed(SECOND))
    assert after(*replaced).decks == {FIRST: "replaced", SECOND: "in_play"}
    assert after(*replaced, revealed(FIRST)).decks == {SECOND: "in_play"}
    assert after(*replaced, revealed(SECOND)).epoch == ""


def test_a_finished_table_reveals_every_deck_in_reserve() -> None:  # G.6
    emitter = Emitter(after(*map(reserved, (FIRST, SECOND))), BANKRUPT.step)
    known = StackedDecks()
    decks.reveal_unused(emitter, known)
    assert emitter.events == [DeckUnused(epoch=one, server_seed=known.server_seed(one)) for one in (FIRST, SECOND)]
    assert emitter.state.decks == {}


def test_the_next_deck_has_the_next_number_however_many_are_revealed() -> None:
    emitter = Emitter(after(reserved(FIRST), fixed(FIRST), revealed(FIRST)), BANKRUPT.step)
    decks.open_reserve(emitter, StackedDecks())
    (opened,) = emitter.events
    assert isinstance(opened, DeckOpened)
    assert opened.epoch == SECOND


def test_only_the_deck_that_is_fixed_last_is_in_play() -> None:
    state = after(*map(reserved, (FIRST, SECOND, THIRD)), *map(fixed, (FIRST, SECOND, THIRD)))
    assert [epoch for epoch, status in state.decks.items() if status == "in_play"] == [THIRD]
