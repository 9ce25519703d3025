"""Players' seeds at a table of Bankrupt: the draw, the ritual, the settlement, and resigning (G.9)."""

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.commands import Resign
from service.games.bankrupt.events import CardUpturned, PlayerResigned, RoundEnded
from service.games.common_commands import CallTime, DealHand
from service.games.common_events import DealerDrawn, DeckFixed, DeckRevealed, GameEnded
from service.games.game import HOST, seat_actor
from service.games.seeds import seed_rules
from tests.games.seeded import SeededTable
from tests.games.stacked import epoch_of

CALL = CallTime(by=HOST)


def a_table() -> SeededTable:
    """Return a table of three players who have shown their seeds for the first batch."""
    table = SeededTable(BANKRUPT).started(3, {"buy_in": 1_000})
    table.all_commit()
    table.all_show()
    return table


def played_until_it_waits() -> SeededTable:
    """Return a table that waits for seeds: its decks are used up, and its players have given no further seed."""
    table = a_table()
    while not seed_rules.waits(table.state):
        table.do(CALL)  # The service decides: it deals, holds or passes.
    return table


def test_the_last_seed_is_followed_at_once_by_the_draw_and_the_ritual() -> None:  # Rules 5, 7; B5.1; B7.0; G.9
    table = a_table()
    drawn = [event for event in table.events if isinstance(event, DealerDrawn | CardUpturned)]
    assert [type(event) for event in drawn] == [DealerDrawn, CardUpturned]
    assert {event.level for event in table.events if isinstance(event, DeckFixed)} == {"joint"}


def test_a_settlement_never_waits_but_the_ritual_after_it_does() -> None:  # Rule 7; B7.0; G.9
    table = played_until_it_waits()
    assert isinstance(table.events[-1], DeckRevealed)
    assert any(isinstance(event, RoundEnded) for event in table.events)
    assert not any(isinstance(event, CardUpturned) for event in table.events)
    assert table.state.epoch == ""
    assert table.refusal(DealHand(by=seat_actor(table.state.dealer))) == ("seeds_must_be_in", "G.9")


def test_the_ritual_follows_at_once_when_the_seeds_are_in() -> None:  # Rule 7; B7.0; G.9
    table = played_until_it_waits()
    first = epoch_of(int(table.batch.rpartition("/")[2]))
    table.all_commit()
    (upturned,) = (event for event in table.all_show() if isinstance(event, CardUpturned))
    assert upturned.epoch == first
    assert BANKRUPT.due(table.state) == (seat_actor(table.state.dealer),)


def test_a_player_may_resign_while_the_ritual_waits_and_then_owes_no_seed() -> None:  # Rule 19; B19.1; G.9
    table = played_until_it_waits()
    (first, *others) = seed_rules.owed(table.state).seats
    assert isinstance(table.do(Resign(by=seat_actor(first)))[0], PlayerResigned)
    assert set(seed_rules.owed(table.state).seats) == set(others)
    assert isinstance(table.do(Resign(by=seat_actor(others[0])))[1], GameEnded)
    assert seed_rules.owed(table.state).seats == ()
    assert set(table.state.decks.values()) <= {"in_play"}


def test_a_player_who_has_committed_and_resigns_still_shows_the_seed() -> None:  # Rule 19; B19.1; G.9
    table = played_until_it_waits()
    leaver, *others = seed_rules.owed(table.state).seats
    table.all_commit([leaver])
    table.do(Resign(by=seat_actor(leaver)))
    table.all_commit(others)
    assert set(seed_rules.owed(table.state).seats) == {leaver, *others}
    fixed = [event for event in table.all_show() if isinstance(event, DeckFixed)]
    assert [(event.level, set(event.seats)) for event in fixed] == [("joint", {leaver, *others})]


def test_the_seed_of_a_player_who_has_resigned_goes_into_the_deck_and_does_not_raise_its_level() -> None:  # B19.1; G.9
    table = played_until_it_waits()
    leaver, *_ = seed_rules.owed(table.state).seats
    table.all_commit([leaver])
    table.do(Resign(by=seat_actor(leaver)))
    while seed_rules.owed(table.state).owed == "commitment":
        table.do(CALL)
    fixed = [event for event in table.all_show() if isinstance(event, DeckFixed)]
    assert [(event.level, event.seats) for event in fixed] == [("operator", (leaver,))]
