"""The view of a table, the same for everybody: the banker's chips, every dealt card, and no other card."""

from service.games.common_events import CardsDealt, CardsShown
from service.games.insurance import INSURANCE
from service.games.insurance.state import State
from tests.games.insurance.actors import host, seat
from tests.games.insurance.table import Table, a_game, a_table, an_open_table
from tests.games.random_play import play

EVERYBODY = (0, 1, 2, 3)


def may_be_seen(table: Table) -> set[frozenset[int]]:
    """Return the sets of positions that the viewers may see, in views of the present and of the past."""
    return {INSURANCE.visible(table.state, one, is_present) for one in EVERYBODY for is_present in (True, False)}


def test_before_the_deal_everybody_sees_the_sum_of_the_bets_and_the_bankers_chips() -> None:  # BET; I-PAY.2
    table = a_table(35, 100, 100).given(seat(2).bets(20))
    assert (table.seen_by(0).bets_total, table.seen_by(0).banker_chips) == (20, 35)
    table.given(seat(3).bets(30))
    for viewer in EVERYBODY:
        assert (table.seen_by(viewer).bets_total, table.seen_by(viewer).banker_chips) == (50, 35)


def test_between_hands_the_chips_of_the_provisional_banker_are_shown() -> None:  # BET; I-END.2
    view = a_table(9, 70, 100).seen_by(0)
    assert (view.banker, view.banker_chips, view.bets_total, view.banker_is_settled) == (2, 70, 0, False)


def test_everybody_sees_the_same() -> None:  # BET, INSURANCE OFFER
    table = a_table(100, 100, 100).bets_lie(10, 10).dealt("9s").given(seat(2).offers(3))
    assert all(table.seen_by(viewer) == table.seen_by(0) for viewer in EVERYBODY)


def test_each_card_is_face_up_from_its_deal_on_and_no_undealt_card_is_seen() -> None:  # FIRST ROUND DEAL; G.6
    table = a_table(100, 100, 100).bets_lie(10, 10)
    assert may_be_seen(table) == {frozenset()}
    table.dealt("9s")
    assert (table.seen_by(0).cards, may_be_seen(table), table.seen_by(0).deck_left) == ({1: "9s"}, {frozenset({0})}, 51)
    table.offers_lie(1, 1).next_cards("Td 8d").when_answered()
    assert (table.seen_by(2).cards, may_be_seen(table)) == ({1: "9s", 2: "Td", 3: "8d"}, {frozenset({0, 1, 2})})


def test_exactly_the_cards_dealt_in_this_hand_can_be_seen() -> None:  # SECOND ROUND DEAL, END OF HAND; G.6
    for seed in range(20):
        dealt: set[int] = set()
        shown: set[int] = set()
        hand = 0
        for step in play(INSURANCE, seed):
            for event, state in zip(step.events, step.after, strict=True):
                assert isinstance(state, State)
                if state.hand != hand or not state.epoch:
                    dealt, shown, hand = set(), set(), state.hand
                if isinstance(event, CardsDealt):
                    dealt |= {position for position, _ in event.cards}
                if isinstance(event, CardsShown):
                    shown |= {card.pos for card in event.cards}
                if state.status == "playing":
                    assert INSURANCE.visible(state, 0, True) == shown <= dealt
            assert shown == dealt


def test_a_retired_decks_cards_are_gone_from_the_table() -> None:  # END OF HAND; G.6
    table = a_table(100, 100).bets_lie(10).dealt("As").given(host.closes())
    assert (table.seen_by(0).cards, may_be_seen(table), table.seen_by(0).deck_left) == ({}, {frozenset()}, 0)
    assert table.seen_by(0).phase == "over"


def test_the_view_shows_the_present_table() -> None:  # INSURANCE OFFER, ACCEPTANCE; I-BET.2, I-OFFER.2, I-ACC.1, G.5
    table = a_table(100, 100, 10, 100, 100, banker=2).given(seat(5).sits_out()).bets_lie(10, 10, 10).dealt("9s")
    view = table.seen_by(0)
    assert (view.phase, view.banker, view.players, view.sitting_out) == ("offering", 2, (3, 4, 1, 2), (5,))
    assert (view.to_offer, view.to_answer, view.insured) == ((4, 1), (), ())
    view = table.given(seat(1).offers(3)).seen_by(0)
    assert (view.to_offer, view.to_answer, view.insured) == ((4,), (1,), ())
    view = table.given(seat(4).offers(3), seat(2).insures(1)).seen_by(0)
    assert (view.phase, view.to_offer, view.to_answer, view.insured) == ("accepting", (), (4,), (1,))
    assert (view.least_bet, view.standard_bet, view.out, view.banker_is_settled) == (10, 0, (), True)


def test_before_the_start_the_view_shows_no_hand() -> None:  # G.4
    view = an_open_table(players=2).seen_by(0)
    assert (view.phase, view.cards, view.deck_left, view.bets_total) == ("seating", {}, 0, 0)


def test_the_variation_shows_its_standard_and_who_is_out() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    view = a_game(100, 10, 100, bets=(10, 30)).bets_lie(10, 10).dealt("As").seen_by(0)
    assert (view.out, view.players, view.standard_bet, view.least_bet) == ((2,), (1, 3), 30, 30)
