"""Passing three cards: H-PASS.1."""

import pytest

from service.cards import PACK
from service.games.common_events import DeckRevealed
from service.games.insurance_hearts.events import CardPlayed, CardsPassed, PassAwaited, PassChosen, PlayBegun
from tests.games.insurance_hearts.actors import EVERYBODY, seat, stranger
from tests.games.insurance_hearts.table import SEATS, Table, a_table, at_auction, at_slips, hearts

WHY = {"rule": "standard rules", "ruling": "H-PASS.1"}
LOWEST = ("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "2s 3s 4s")
GETS = {"left": (4, 1, 2, 3), "right": (2, 3, 4, 1), "across": (3, 4, 1, 2)}
"""By direction: the giver for each receiver, in the order of the receivers' seats."""


def at_pass(*hands: str, hand: int = 0) -> Table:
    """Deal with the three rules off; by default each seat gets one suit."""
    return hearts(hand=hand).dealt(*hands)


@pytest.mark.parametrize(
    ("played", "direction"), [(0, "left"), (1, "right"), (2, "across"), (4, "left"), (6, "across")]
)
def test_the_directions_are_left_and_right_and_across_and_none_and_then_these_again(
    played: int, direction: str
) -> None:  # standard rules; H-PASS.1
    table = hearts(hand=played).when_dealt().then(..., PassAwaited(direction=direction)).awaits(*EVERYBODY)  # type: ignore[arg-type]
    table.when_passed(*LOWEST).then_of((PassAwaited, CardsPassed), CardsPassed(direction=direction))  # type: ignore[arg-type]
    for number, giver in zip(SEATS, GETS[direction], strict=True):
        assert set(LOWEST[giver - 1].split()) <= set(table.hand_of(number))
        assert len(table.hand_of(number)) == 13


@pytest.mark.parametrize("played", [3, 7])
def test_in_every_fourth_hand_nothing_is_passed(played: int) -> None:  # standard rules; H-PASS.1
    table = (
        hearts(hand=played)
        .when_dealt()
        .then(..., PlayBegun(leader=1, to_play=(1, 2, 3, 4)))
        .never(PassAwaited, CardsPassed)
    )
    assert table.seen_by(0).direction == "none"


def test_a_cancelled_hand_also_moves_the_passing_direction_on() -> None:  # Foot Rule; H-PASS.1, IH.3
    table = at_slips().slips_lie(feet=(2,)).dealt()
    table.when_slips_lie().then(..., PassAwaited(direction="right"))
    again = a_table(hand=2).dealt().slips_lie(feet=(1,)).dealt()
    again.when_slips_lie().never(PassAwaited)


def test_the_pass_to_the_left_goes_to_the_next_seat_clockwise() -> None:  # standard rules; H-PASS.1, G.5
    table = at_pass().passed(*LOWEST)
    assert table.hand_of(2)[:3] == ("2c", "3c", "4c")
    assert not {"2c", "3c", "4c"} & set(table.hand_of(1))


def test_all_pass_at_the_same_time_in_any_order() -> None:  # standard rules; H-PASS.1, G.1
    table = at_pass().awaits(*EVERYBODY).when(seat(3).passes(LOWEST[2])).then(PassChosen(seat=3))
    table.awaits(seat(1), seat(2), seat(4)).when(seat(1).passes(LOWEST[0])).then(PassChosen(seat=1))
    table.awaits(seat(2), seat(4)).when(seat(4).passes(LOWEST[3])).then(PassChosen(seat=4)).awaits(seat(2))
    table.when(seat(2).passes(LOWEST[1])).then(
        PassChosen(seat=2), CardsPassed(direction="left"), PlayBegun(leader=2, to_play=(2, 3, 4, 1))
    )


def test_until_the_last_player_has_chosen_all_players_still_hold_all_their_cards() -> (
    None
):  # standard rules; H-PASS.1, G.1
    table = at_pass().given(*(seat(number).passes(LOWEST[number - 1]) for number in (1, 2, 3)))
    assert set(LOWEST[0].split()) <= set(table.hand_of(1))
    assert all(face[1] == "d" for face in table.hand_of(2))
    assert all(len(hand) == 13 for hand in table.seen_by(0).hands.values())


def test_a_player_who_has_chosen_cannot_choose_again() -> None:  # standard rules; H-PASS.1
    table = at_pass().given(seat(1).passes(LOWEST[0])).may(seat(1))
    table.refuses(seat(1).passes("5c 6c 7c"), "choice_must_stand", **WHY)
    table.refuses(seat(1).passes(LOWEST[0]), "choice_must_stand", **WHY)


@pytest.mark.parametrize("faces", ["2c 3c 2d", "Qs Ks As", "2c 3c ??"])
def test_players_pass_only_their_own_cards(faces: str) -> None:  # standard rules; H-PASS.1
    at_pass().refuses(seat(1).passes(faces), "card_must_be_held", **WHY)


@pytest.mark.parametrize("faces", ["", "2c 3c", "2c 3c 4c 5c", "2c 2c 3c", "2c 2c 2c", "2c 3c 4c 4c"])
def test_three_different_cards_are_passed(faces: str) -> None:  # standard rules; H-PASS.1
    at_pass().refuses(seat(1).passes(faces), "passed_cards_must_be_three", **WHY)


def test_any_three_cards_may_be_passed() -> None:  # standard rules; H-PASS.1
    table = at_pass("2c Qs Ah").when(seat(1).passes("Qs 2c Ah")).then(PassChosen(seat=1))
    assert table.decks.sealed(1, "cards") == ["Qs", "2c", "Ah"]


def test_received_cards_may_not_be_passed_and_passed_cards_may_not_be_played() -> None:  # standard rules; H-PASS.1
    table = at_pass().passed("2c 3c Ac", *LOWEST[1:])
    table.refuses(seat(2).passes("2c 3c Ac"), "passes_must_be_awaited", rule="standard rules", ruling="G.4")
    table.played("2c 2d").refuses(seat(4).plays("2s"), "card_must_be_held", rule="standard rules", ruling="H-FOLLOW.1")


def test_a_received_card_may_be_played() -> None:  # standard rules; H-PASS.1
    table = at_pass().passed(*LOWEST)
    table.when_played("2c").then(CardPlayed(seat=2, card="2c"))
    table.awaits(seat(3)).may_play("2d 3d 4d")


def test_with_bidding_three_of_twelve_are_passed() -> None:  # Bidding; H-PASS.1, IH.1
    table = at_slips().slips_lie().when_passed()
    assert {len(hand) for hand in table.seen_by(0).hands.values()} == {12}
    assert {"2c", "3c", "4c"} <= set(table.hand_of(2))


def test_only_a_seated_player_passes_and_only_in_the_passing() -> None:  # standard rules; H-PASS.1, G.4
    table = at_pass()
    for other in (seat(5), stranger):
        table.refuses(other.passes("2c 3c 4c"), "player_must_have_a_seat", ruling="G.4")
    for before in (at_slips(), at_auction(), hearts().dealt()):
        before.refuses(seat(1).passes("2c 3c 4c"), "passes_must_be_awaited", rule="standard rules", ruling="G.4")


def test_a_pass_is_sealed_until_all_have_chosen_and_then_open_to_giver_and_receiver() -> None:  # H-PASS.1, G.1
    table = at_pass().given(*(seat(number).passes(LOWEST[number - 1]) for number in (1, 2, 3)))
    envelope = table.decks.last(1, "cards")
    assert envelope.readers == [1]
    table.given(seat(4).passes(LOWEST[3]))
    assert envelope.readers == [1, 2]
    assert table.decks.last(4, "cards").readers == [1, 4]
    table.played_out()
    assert envelope.readers == [0, 1, 2, 3, 4]


def test_a_pass_is_opened_to_all_when_the_deck_is_retired_and_no_sooner() -> None:  # H-PASS.1, G.6
    table = at_pass().passed(*LOWEST)
    assert table.decks.last(1, "cards").secret.open == (DeckRevealed,)
    while table.state.hand_is_running:
        assert 0 not in table.decks.last(2, "cards").readers
        table.given(*[action.command for action in table.listed(table.next_one)[:1]])
    assert 0 in table.decks.last(2, "cards").readers


def test_no_event_shows_which_cards_were_passed() -> None:  # H-PASS.1, G.1
    table = at_pass().when_passed(*LOWEST)
    assert not [event for event in table.emitted if any(face in repr(event) for face in PACK)]


def test_a_pass_can_be_decided_again() -> None:  # standard rules; H-PASS.1
    table = at_pass().when_decided_again(seat(1).passes("4c Ac 2c"), seat(1).by)
    for number in SEATS[1:]:
        table.when_decided_again(seat(number).passes(LOWEST[number - 1]), seat(number).by)
