"""Invitations, seats at a private table, and how often a player may take a seat: G.10, G.11."""

import pytest

from service.games.common_events import InvitationDeclined, InvitationWithdrawn, PlayerInvited, SeatLeft, SeatTaken
from service.games.game import Command
from service.games.invitations import MOST_EVER, MOST_OPEN
from service.games.seating import MOST_SEATINGS
from tests.games.actors import OWNER_OF_THE_TABLE, example_player, owner
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.table import Table, an_open_table
from tests.games.expected import some

GUEST, OTHER = owner(7), owner(8)
UNINVITED = {"ruling": "G.10"}


def a_private_table(*commands: Command) -> Table:
    """Set up a private table whose game has not started, and carry out *commands*."""
    return Table().given(host.opens_in_private(), *commands)


def invited(table: Table) -> list[str]:
    return list(table.state.invited.values())


def test_the_host_invites_an_owner_who_then_takes_a_seat() -> None:  # G.10
    table = a_private_table().when(host.invites(GUEST)).then(PlayerInvited(player=GUEST, number=1))
    table.when(stranger.sits_down(player=GUEST)).then(some(SeatTaken, seat=1, player=GUEST))
    assert invited(table) == []


def test_the_invited_owner_may_decline_and_the_host_may_withdraw_the_invitation() -> None:  # G.10
    table = a_private_table(host.invites(GUEST), host.invites(OTHER))
    table.when(stranger.turns_down(GUEST)).then(InvitationDeclined(player=GUEST))
    table.when(host.withdraws(OTHER)).then(InvitationWithdrawn(player=OTHER))
    assert invited(table) == []


def test_nobody_sits_down_uninvited_at_a_private_table_but_the_host() -> None:  # G.10
    table = a_private_table(host.invites(OTHER))
    table.refuses(stranger.sits_down(player=GUEST), "player_must_be_invited", **UNINVITED)
    table.when(stranger.sits_down(player=OWNER_OF_THE_TABLE)).then(some(SeatTaken, player=OWNER_OF_THE_TABLE))
    table.when(host.sits_down(player=GUEST)).then(some(SeatTaken, player=GUEST))


def test_at_a_public_table_anybody_sits_down() -> None:  # G.10
    an_open_table().when(stranger.sits_down(player=GUEST)).then(some(SeatTaken, player=GUEST))


@pytest.mark.parametrize("ending", [stranger.turns_down(GUEST), host.withdraws(GUEST)], ids=["declined", "taken back"])
def test_an_invitation_that_has_ended_seats_nobody(ending: Command) -> None:  # G.10
    table = a_private_table(host.invites(GUEST), ending)
    for command in (stranger.sits_down(player=GUEST), stranger.turns_down(GUEST), host.withdraws(GUEST)):
        table.refuses(command, "player_must_be_invited", **UNINVITED)
    table.when(host.invites(GUEST)).then(PlayerInvited(player=GUEST, number=2))


def test_a_player_who_leaves_a_private_table_needs_a_new_invitation() -> None:  # G.10
    table = a_private_table(host.invites(GUEST), stranger.sits_down(player=GUEST)).given(seat(1).leaves())
    table.refuses(stranger.sits_down(player=GUEST), "player_must_be_invited", **UNINVITED)


def test_only_the_host_invites_and_withdraws_and_only_the_invited_owner_declines() -> None:  # G.10
    table = a_private_table(host.invites(GUEST), host.sits_down(1))
    for other in (seat(1), stranger, service):
        table.refuses(other.invites(OTHER), "host_must_ask", ruling="G.10")
        table.refuses(other.withdraws(GUEST), "host_must_ask", ruling="G.10")
    for other in (seat(1), host, service):
        table.refuses(other.turns_down(GUEST), "player_must_be_invited", **UNINVITED)
    table.refuses(stranger.turns_down(OTHER), "player_must_be_invited", **UNINVITED)


def test_nobody_is_invited_twice_or_to_a_table_at_which_they_sit() -> None:  # G.10
    table = a_private_table(host.invites(GUEST), host.sits_down(1))
    table.refuses(host.invites(GUEST), "player_must_not_be_invited_twice", ruling="G.10")
    table.refuses(host.invites(owner(1)), "invited_must_not_sit_here", ruling="G.10")


def test_the_start_ends_every_invitation_since_nobody_sits_down_any_more() -> None:  # G.10, G.4
    table = a_private_table(host.sits_down(1), host.sits_down(2), host.invites(GUEST)).given(host.starts())
    assert invited(table) == []
    for command in (host.invites(OTHER), host.withdraws(GUEST), stranger.turns_down(GUEST)):
        table.refuses(command, "game_must_not_have_started", ruling="G.4")


def test_closing_the_table_ends_every_invitation() -> None:  # G.10
    assert invited(a_private_table(host.invites(GUEST)).given(host.closes())) == []


def test_a_limited_number_of_invitations_is_open_and_withdrawing_one_makes_room() -> None:  # G.10
    table = a_private_table(*(host.invites(example_player(number)) for number in range(MOST_OPEN)))
    table.refuses(host.invites(GUEST), "open_invitations_must_be_fewer", ruling="G.10")
    table.may(host, host.closes(), *(host.withdraws(example_player(number)) for number in range(MOST_OPEN)))
    table.given(host.withdraws(example_player(0))).when(host.invites(GUEST)).then(PlayerInvited)


def test_a_table_makes_a_limited_number_of_invitations() -> None:  # G.10
    table = a_private_table()
    for _ in range(MOST_EVER):
        table.given(host.invites(GUEST), host.withdraws(GUEST))
    table.refuses(host.invites(GUEST), "invitations_must_be_fewer", ruling="G.10").may(host, host.closes())


def test_the_host_and_invited_owners_get_their_actions_on_invitations() -> None:  # G.10
    table = a_private_table(host.invites(GUEST), host.invites(OTHER))
    table.may(host, host.closes(), host.invites(example_player(2)), host.withdraws(GUEST), host.withdraws(OTHER))
    table.may(stranger, stranger.turns_down(GUEST), stranger.turns_down(OTHER)).may(seat(1))


@pytest.mark.parametrize(
    ("command", "author"),
    [
        pytest.param(host.invites(OTHER), host.by, id="invite"),
        pytest.param(host.withdraws(GUEST), host.by, id="take back"),
        pytest.param(stranger.turns_down(GUEST), stranger.by, id="decline"),
        pytest.param(stranger.sits_down(player=GUEST), seat(1).by, id="sit down invited"),
    ],
)
def test_decisions_about_invitations_have_an_author_and_can_be_decided_again(
    command: Command, author: str
) -> None:  # G.2, G.10
    a_private_table(host.invites(GUEST)).when_decided_again(command, author)


def test_a_player_takes_a_seat_a_limited_number_of_times_before_the_start() -> None:  # G.11
    table = an_open_table()
    for _ in range(MOST_SEATINGS):
        table.given(stranger.sits_down(3)).when(seat(3).leaves()).then(SeatLeft)
    table.refuses(stranger.sits_down(3), "seat_must_be_taken_less_often", ruling="G.11")
    table.refuses(host.sits_down(3), "seat_must_be_taken_less_often", ruling="G.11")
    table.when(stranger.sits_down(4)).then(SeatTaken)
