"""Players' seeds at a table of Insurance Hearts: the draw, and a deck for each hand (G.9, H-DEAL.1)."""

from service.games.common_commands import CallTime, DealHand
from service.games.common_events import DealerDrawn, DeckFixed
from service.games.game import HOST, seat_actor
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.events import HandFinished
from service.games.seeds import seed_rules
from tests.games.real_decks import RealDecks
from tests.games.seeded import SeededTable

CALL = CallTime(by=HOST)
CARDS_ONLY = {"insurance": False, "bidding": False, "foot": False, "target": 10_000}


def a_table() -> SeededTable:
    """Return a table with the three rules off, where all seeds for the first batch have been shown."""
    table = SeededTable(INSURANCE_HEARTS, RealDecks(1)).started(4, CARDS_ONLY)
    table.all_commit()
    table.all_show()
    return table


def hands_until_it_waits(table: SeededTable) -> int:
    """Deal hands until the game waits for seeds, end each hand right after its deal, and return the number of hands."""
    hands = 0
    while not seed_rules.waits(table.state):
        events = table.do(DealHand(by=seat_actor(table.state.dealer)))
        assert [event.level for event in events if isinstance(event, DeckFixed)] == ["joint"]
        hands += 1
        table.state = INSURANCE_HEARTS.evolve(table.state, HandFinished(dealer=1))
    return hands


def test_the_draw_for_the_dealer_follows_at_once_on_the_last_seed() -> None:  # H-DEAL.1; G.9
    assert sum(isinstance(event, DealerDrawn) for event in a_table().events) == 1


def test_a_batch_has_a_deck_for_each_of_four_hands_and_the_first_batch_also_for_the_draw() -> None:  # H-DEAL.1; G.9
    table = a_table()
    assert hands_until_it_waits(table) == 5  # The deck for ties in the draw was not needed, and serves a hand.
    table.all_commit()
    table.all_show()
    assert hands_until_it_waits(table) == 4


def test_no_hand_waits_if_the_seeds_of_the_next_batch_come_while_hands_are_played() -> None:  # H-DEAL.1; G.9
    table = a_table()
    for _ in range(20):
        if table.batch:
            table.all_commit()
            table.all_show()
        assert not seed_rules.waits(table.state)
        table.do(DealHand(by=seat_actor(table.state.dealer)))
        table.state = INSURANCE_HEARTS.evolve(table.state, HandFinished(dealer=1))


def test_the_dealer_is_due_again_once_the_seeds_are_in() -> None:  # H-DEAL.2; G.9
    table = a_table()
    hands_until_it_waits(table)
    assert len(INSURANCE_HEARTS.due(table.state)) == 4
    for _ in range(4):
        table.do(CALL)
    assert INSURANCE_HEARTS.due(table.state) == (seat_actor(table.state.dealer),)
