"""Invitations: a host invites an owner, who may then take a seat or decline (G.10) (DECISIONS 59)."""

from typing import Final

from service.games import common_refusals
from service.games.common_commands import (
    DeclineInvitation,
    InvitationCommand,
    InvitePlayer,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.common_events import InvitationDeclined, InvitationWithdrawn, PlayerInvited
from service.games.game import HOST, MOST_SEATS, PLAYER, Action, Refusal
from service.games.table_state import TableState, is_invited, seat_of

MOST_OPEN: Final = MOST_SEATS
"""The maximum number of open invitations at a table: the number of seats of the largest table."""
MOST_EVER: Final = 1_000
"""The maximum total of invitations at a table, open or ended."""


def invite(state: TableState, command: InvitePlayer) -> PlayerInvited:
    """Invite an owner; the game has already checked that players may take seats now."""
    _must_be(HOST, command)
    _must_be_wanted(state, command.player)
    return PlayerInvited(player=command.player, number=state.invitations + 1)


def withdraw(state: TableState, command: WithdrawInvitation) -> InvitationWithdrawn:
    """Withdraw an invitation, on the host's command."""
    _must_be(HOST, command)
    _must_be_invited(state, command.player)
    return InvitationWithdrawn(player=command.player)


def decline(state: TableState, command: DeclineInvitation) -> InvitationDeclined:
    """Decline an invitation, on the invited player's command."""
    _must_be(PLAYER, command)
    _must_be_invited(state, command.player)
    return InvitationDeclined(player=command.player)


def must_be_welcome(state: TableState, command: TakeSeat) -> None:
    """Check that a player who asks for a seat at a private table has an invitation.

    The host, and a player whom the host seats, need no invitation.

    Raises:
        Refusal: the player asks for a seat at a private table without an invitation.
    """
    is_guest = command.by == PLAYER and command.player != state.host
    if state.visibility == "private" and is_guest:
        _must_be_invited(state, command.player)


def actions(state: TableState, by: str) -> tuple[Action, ...]:
    """List the actions of the actor *by* on invitations, at a table where players may take seats now.

    If *by* is "player", list the actions of all invited players.
    """
    if by == PLAYER:
        return tuple(_action(DeclineInvitation(by=by, player=player)) for player in state.invited.values())
    if by != HOST:
        return ()
    withdrawals = tuple(_action(WithdrawInvitation(by=by, player=player)) for player in state.invited.values())
    if len(state.invited) >= MOST_OPEN or state.invitations >= MOST_EVER:
        return withdrawals
    # The example is an id that no owner has. Each invitation changes the example, so no invitation is for this id yet.
    example = f"own_{'f' * 28}{state.invitations:04x}"
    return (_action(InvitePlayer(by=by, player=example), "player"), *withdrawals)


def _action(command: InvitationCommand, *to_fill: str) -> Action:
    return Action(command, rule="", ruling="G.10", to_fill=to_fill)


def _must_be(actor: str, command: InvitationCommand) -> None:
    if command.by == actor:
        return
    if actor == HOST:
        detail = "Only the table's host may make or withdraw invitations."
        raise Refusal(common_refusals.HOST_MUST_ASK, detail, ruling="G.10")
    detail = "Only an invited player without a seat may decline an invitation."
    raise Refusal(common_refusals.PLAYER_MUST_BE_INVITED, detail)


def _must_be_wanted(state: TableState, player: str) -> None:
    if seat := seat_of(state, player):
        raise Refusal(common_refusals.INVITED_MUST_NOT_SIT_HERE, f"This player already has seat {seat}.")
    if is_invited(state, player):
        detail = "This player already has an open invitation to this table."
        raise Refusal(common_refusals.PLAYER_MUST_NOT_BE_INVITED_TWICE, detail)
    if len(state.invited) >= MOST_OPEN:
        detail = f"A table may have at most {MOST_OPEN} open invitations; withdraw an invitation first."
        raise Refusal(common_refusals.OPEN_INVITATIONS_MUST_BE_FEWER, detail)
    if state.invitations >= MOST_EVER:
        detail = f"A table may have at most {MOST_EVER} invitations in all."
        raise Refusal(common_refusals.INVITATIONS_MUST_BE_FEWER, detail)


def _must_be_invited(state: TableState, player: str) -> None:
    if not is_invited(state, player):
        detail = "This player has no open invitation to this table."
        raise Refusal(common_refusals.PLAYER_MUST_BE_INVITED, detail)
