"""Invitations and seats in a game whose players may sit down and leave between hands: G.10, G.11."""

from service.games.common_events import InvitationDeclined, PlayerInvited, SeatTaken
from service.games.game import Command
from service.games.seating import MOST_SEATINGS
from tests.games.actors import example_player, owner
from tests.games.expected import some
from tests.games.insurance.actors import host, seat, stranger
from tests.games.insurance.table import NON_GAMBLING, Table, a_table

GUEST = owner(7)


def a_private_game(*commands: Command, form: str = "gambling") -> Table:
    """Set up a private table of two players, carry out *commands*, and start the game."""
    sitting = (host.sits_down(number, pieces=100) for number in (1, 2))
    return Table().given(host.opens_in_private(form=form), *sitting, *commands, host.starts())


def test_between_hands_of_the_gambling_game_the_host_invites_and_the_guest_sits_down() -> None:  # G.10, G.4
    table = a_private_game().when(host.invites(GUEST)).then(PlayerInvited(player=GUEST, number=1))
    table.may(stranger, stranger.turns_down(GUEST))
    table.may(host, host.closes(), host.invites(example_player(1)), host.withdraws(GUEST))
    table.when(stranger.sits_down(player=GUEST)).then(some(SeatTaken, seat=3, player=GUEST))


def test_an_invitation_to_the_gambling_game_outlasts_the_start_and_its_hands() -> None:  # G.10
    table = a_private_game(host.invites(GUEST)).bets_lie(10).dealt("As")
    table.when(stranger.turns_down(GUEST)).then(InvitationDeclined(player=GUEST))


def test_in_the_non_gambling_variation_the_start_ends_invitations() -> None:  # G.10
    assert a_private_game(host.invites(GUEST), form=NON_GAMBLING).state.invited == {}


def test_while_a_bet_is_placed_no_invitation_is_made_declined_or_withdrawn() -> None:  # BET; I-BET.2, G.10
    table = a_private_game(host.invites(GUEST)).given(seat(2).bets(10)).may(stranger)
    for command in (host.invites(owner(8)), host.withdraws(GUEST), stranger.turns_down(GUEST)):
        table.refuses(command, "hand_must_be_over", rule="BET", ruling="I-BET.2")


def test_nobody_comes_uninvited_to_a_private_game_between_its_hands() -> None:  # G.10
    table = a_private_game()
    table.refuses(stranger.sits_down(player=GUEST, pieces=10), "player_must_be_invited", ruling="G.10")


def test_a_player_takes_a_seat_a_limited_number_of_times_between_two_hands() -> None:  # G.11
    table = a_table(100, 100, 0)
    for _ in range(MOST_SEATINGS):
        table.given(stranger.sits_down(3, pieces=10), seat(3).leaves())
    table.refuses(stranger.sits_down(3, pieces=10), "seat_must_be_taken_less_often", ruling="G.11")
    table.bets_lie(10).dealt("As").when(stranger.sits_down(3, pieces=10)).then(SeatTaken)
