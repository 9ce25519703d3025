"""The view of a table, and the cards in it: Rule 7's upturned card, hands, discards, and hands thrown in."""

import pytest

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.events import AntesPlaced, CardExchanged, PlayerBankrupt
from service.games.bankrupt.state import Phase, State
from service.games.bankrupt.view import OfferView, view
from service.games.common_events import CardsDealt, HandDealt
from service.games.full_viewpoint import EmptyViewpoint
from tests.games.bankrupt.actors import Actor, host, seat, stranger
from tests.games.bankrupt.stacked import DRAW, UPTURNED
from tests.games.bankrupt.table import a_table, an_open_table, four_players
from tests.games.moments import moments_of

EVERYBODY = (0, 1, 2, 3, 4)
HANDS = ("As Qd", "8h 2c", "9h 3c", "Th 4c")
HIDDEN = ("??", "??")


def test_all_see_the_upturned_card_from_the_ritual_until_the_next_deal() -> None:  # Rule 7; B7.4
    table = four_players().the_ritual_turns_up("Qh")
    assert {table.seen_by(viewer).upturned for viewer in EVERYBODY} == {"Qh"}
    table.given(seat(4).deals())
    assert {table.seen_by(viewer).upturned for viewer in EVERYBODY} == {"??"}


def test_the_upturned_card_is_seen_until_the_first_card_of_the_deal_leaves_the_deck() -> None:  # Rule 7; B7.4
    table = four_players().the_ritual_turns_up("Qh")
    deal, antes, cards = BANKRUPT.decide(table.state, seat(4).deals(), table.decks).events
    assert (type(deal), type(antes), type(cards)) == (HandDealt, AntesPlaced, CardsDealt)
    assert table.happened(deal, antes).seen_by(0).upturned == "Qh"
    assert table.happened(cards).seen_by(0).upturned == "??"


def test_a_resignation_before_the_deal_does_not_hide_the_upturned_card() -> None:  # Rules 7, 19; B7.4
    assert four_players().the_ritual_turns_up("Qh").given(seat(1).resigns()).seen_by(0).upturned == "Qh"


def test_nobody_may_look_at_the_upturned_card_again_before_its_exposure() -> None:  # Rule 7; B7.4
    table = four_players().the_ritual_turns_up("Qh").dealt(*HANDS)
    for later in (table.all_hold, table.all_pass, lambda: table.given(seat(1).deals()), table.all_hold):
        later()
        assert {table.seen_by(viewer).upturned for viewer in EVERYBODY} == {"??"}
        assert not any(UPTURNED in BANKRUPT.visible(table.state, viewer, True) for viewer in EVERYBODY)


def test_no_view_of_the_past_shows_the_upturned_card() -> None:  # Rule 7; B7.4
    table = four_players().the_ritual_turns_up("Qh")
    assert {table.seen_by(viewer, is_present=False).upturned for viewer in EVERYBODY} == {"??"}


def test_no_event_shows_the_upturned_face_before_it_is_exposed() -> None:  # Rule 7; B7.4
    table = an_open_table(players=2).the_ritual_turns_up("Qh").the_deck_begins(DRAW, "7s 8c").when(host.starts())
    assert "Qh" not in repr(table.emitted)
    table.when(seat(2).deals())
    assert "Qh" not in repr(table.emitted)


def test_an_exposed_card_is_also_visible_in_past_views() -> None:  # Rule 7; B7.3, B7.4
    table = a_table(*(50,) * 17).the_ritual_turns_up("Qh").given(seat(17).deals())
    table.given(*(seat(number).exchanges(1) for number in range(1, 6)))
    for viewer in range(18):
        for is_present in (True, False):
            view = table.seen_by(viewer, is_present=is_present)
            assert (view.upturned, view.exposed) == ("Qh", True)


def test_players_see_their_own_cards_and_nobody_elses() -> None:  # Rules 8, 11; B11.5
    table = four_players().dealt(*HANDS)
    for viewer in EVERYBODY:
        assert table.seen_by(viewer).cards == {
            number: tuple(faces.split()) if number == viewer else HIDDEN for number, faces in enumerate(HANDS, start=1)
        }


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_a_discarded_card_is_seen_by_its_player_alone(viewer: int) -> None:  # Rule 11; B11.5
    table = four_players().dealt(*HANDS).given(seat(1).exchanges(2)).all_hold()
    assert table.seen_by(viewer).discards == {1: "Qd" if viewer == 1 else "??"}
    table.all_pass()
    assert table.seen_by(viewer).discards == {1: "Qd" if viewer == 1 else "??"}


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_cards_thrown_in_are_seen_by_their_player_alone(viewer: int) -> None:  # Rule 11; B11.5
    table = four_players().dealt(*HANDS).given(seat(1).throws_in()).all_hold().all_pass()
    view = table.seen_by(viewer)
    assert view.cards[1] == (("As", "Qd") if viewer == 1 else HIDDEN)
    assert view.cards[2] == ("8h", "2c")


def test_the_kind_of_a_decision_is_public_at_once() -> None:  # Rule 11; B11.5
    table = four_players().dealt(*HANDS).given(seat(1).exchanges(2), seat(2).throws_in())
    for viewer in EVERYBODY:
        view = table.seen_by(viewer)
        assert (tuple(view.discards), view.thrown_in, view.order) == ((1,), (2,), (1, 3, 4))


def test_between_a_discard_and_its_replacement_no_card_is_visible() -> None:  # Rule 11; B11.6
    table = four_players().dealt(*HANDS).happened(CardExchanged(seat=1, card=2))
    assert table.seen_by(1).cards[1] == ("As", "??")
    assert all(0 <= position < 52 for viewer in EVERYBODY for position in BANKRUPT.visible(table.state, viewer, True))


def test_when_the_next_round_is_dealt_the_cards_of_the_last_round_are_hidden() -> None:  # Rule 7
    table = four_players().dealt(*HANDS).given(seat(1).exchanges(2)).all_hold().all_pass()
    table.dealt("Ks Kd", "5h 5c", "6h 6c", "7h 7c")
    view = table.seen_by(1)
    assert (view.cards[1], view.cards[2], view.discards) == (("Ks", "Kd"), HIDDEN, {})


def test_cards_drawn_for_the_first_dealer_are_gone_with_their_deck() -> None:  # B5.1, G.6
    table = an_open_table(players=2).given(host.starts())
    assert BANKRUPT.visible(table.state, 0, True) == {UPTURNED}


def test_without_a_deck_in_play_nothing_is_visible() -> None:  # G.6
    table = an_open_table(players=2)
    for event in BANKRUPT.decide(table.state, host.starts(), table.decks).events:
        table.happened(event)
        if not table.state.epoch:
            assert [BANKRUPT.visible(table.state, viewer, True) for viewer in EVERYBODY] == [frozenset()] * 5
    table = a_table(50, 50).given(seat(1).resigns())
    assert [BANKRUPT.visible(table.state, viewer, True) for viewer in EVERYBODY] == [frozenset()] * 5
    assert (table.seen_by(0).upturned, table.seen_by(0).deck_left) == ("", 0)


def test_the_view_shows_the_present_table() -> None:
    table = four_players().dealt(*HANDS).given(seat(1).holds(), seat(2).throws_in()).all_hold()
    view = table.given(seat(1).offers(4), seat(3).accepts()).seen_by(0)
    assert (view.phase, view.dealer, view.order, view.multiplier) == ("upping", 4, (1, 3, 4), 1)
    assert view.offer == OfferView(seat=1, chips=4, answered=(3,), accepted=(3,))
    assert (view.involved, view.offer_cap, view.deck_left, view.exposed) == ((1, 3), 0, 44, False)
    assert view.heaps == {1: (9,), 2: (8,), 3: (9,), 4: (9,)}


def test_the_cap_is_shown_only_while_an_offer_can_be_made() -> None:  # Rule 12; B12.5
    table = four_players()
    assert table.seen_by(0).offer_cap == 0
    assert table.dealt(*HANDS).seen_by(0).offer_cap == 0
    assert table.all_hold().seen_by(0).offer_cap == 6
    assert table.given(seat(1).offers(1)).seen_by(0).offer_cap == 0


def test_between_rounds_the_view_shows_the_next_round() -> None:
    table = a_table(50, 5, 50, 50).dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d").given(seat(1).holds(), seat(2).throws_in())
    view = table.when_played_out().seen_by(0)
    assert (view.phase, view.dealer, view.order) == ("between_rounds", 1, (2, 3, 4, 1))
    assert (view.last_legs, view.thrown_in, view.involved, view.heaps) == ((), (), (), {})
    view = a_table(50, 50, 50).given(seat(2).resigns()).seen_by(0)
    assert (view.out, view.order) == ((2,), (1, 3))


def test_between_rounds_nobody_is_involved_any_more() -> None:  # B12.7
    table = four_players().dealt(*HANDS).all_hold().given(seat(1).offers(4), seat(2).accepts())
    assert table.seen_by(0).involved == (1, 2)
    assert table.all_pass().seen_by(0).involved == ()


def test_in_a_dead_streak_the_view_shows_heaps_and_multiplier() -> None:  # Rule 17; B17.1
    view = a_table(15, 50, 50).dead_round().given(seat(1).deals()).seen_by(0)
    assert (view.multiplier, view.last_legs) == (2, (1,))
    assert view.heaps == {1: (9, 6), 2: (9, 9), 3: (9, 9)}


def test_after_a_dead_round_the_view_shows_the_multiplier_of_the_next() -> None:  # Rule 17; B17.1
    view = four_players().dead_round().seen_by(0)
    assert (view.phase, view.multiplier) == ("between_rounds", 2)


def test_once_the_game_is_over_no_heap_is_left() -> None:  # Rules 17, 20; B20.2
    view = a_table(50, 50).dead_round().given(seat(2).resigns()).seen_by(0)
    assert (view.phase, view.heaps, view.cards) == ("over", {}, {})


def test_in_a_dead_streak_a_player_who_is_out_has_no_heap() -> None:  # Rules 17, 19, 20; B19.1, B20.1
    table = a_table(50, 50, 50).dead_round().given(seat(3).resigns())
    assert table.seen_by(0).heaps == {1: (9,), 2: (9,)}
    table = a_table(50, 50, 1).dealt("As Qd", "Ah Qc", "8c 2d").held_up_to(3).given(seat(3).throws_in()).all_pass()
    assert table.seen_by(0).heaps == {1: (9,), 2: (9,)}


@pytest.mark.parametrize("viewer", [stranger, host], ids=["a spectator", "the host"])
def test_a_spectator_and_the_host_see_no_hidden_card(viewer: Actor) -> None:  # B11.5
    table = four_players().dealt(*HANDS).given(seat(1).exchanges(2), seat(2).throws_in())
    assert BANKRUPT.visible(table.state, viewer.number, True) == frozenset()
    view = table.seen_by(viewer.number)
    assert (view.cards, view.discards) == (dict.fromkeys((1, 2, 3, 4), HIDDEN), {1: "??"})


def test_a_view_right_after_the_bankruptcy_of_the_next_to_offer_has_no_offer_cap() -> None:  # B12.1
    (table,) = [
        moment.after
        for moment in moments_of(BANKRUPT, State, 191)
        if isinstance(moment.event, PlayerBankrupt) and moment.event.seat == moment.after.had_the_right
    ]
    assert table.phase is Phase.UPPING
    assert view(table, EmptyViewpoint()).offer_cap == 0
