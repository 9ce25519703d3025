"""Invitations and seats in a game that nobody may join after the start: G.10, G.11."""

from service.games.common_events import PlayerInvited, SeatTaken
from service.games.seating import MOST_SEATINGS
from tests.games.actors import owner
from tests.games.expected import some
from tests.games.insurance_hearts.actors import host, seat, stranger
from tests.games.insurance_hearts.table import Table, an_open_table

GUEST = owner(7)


def test_three_and_an_invited_guest_play_in_private() -> None:  # G.10, G.4
    table = Table().given(host.opens_in_private(), *(host.sits_down(one, pieces=0) for one in (1, 2, 3)))
    table.refuses(stranger.sits_down(player=GUEST, pieces=0), "player_must_be_invited", ruling="G.10")
    table.when(host.invites(GUEST)).then(PlayerInvited(player=GUEST, number=1))
    table.when(stranger.sits_down(player=GUEST, pieces=0)).then(some(SeatTaken, seat=4, player=GUEST))
    table.given(host.starts()).refuses(host.invites(owner(8)), "game_must_not_have_started", ruling="G.4")


def test_a_player_takes_a_seat_a_limited_number_of_times_before_the_start() -> None:  # G.11
    table = an_open_table()
    for _ in range(MOST_SEATINGS):
        table.given(stranger.sits_down(2, pieces=0), seat(2).leaves())
    table.refuses(stranger.sits_down(2, pieces=0), "seat_must_be_taken_less_often", ruling="G.11")
