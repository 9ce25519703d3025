"""Invitations: how a host asks somebody to a table whose keys it has not made (G.10)."""

from typing import Final, TypeAlias

from service.games.common_commands import (
    DeclineInvitation,
    InvitationCommand,
    InvitePlayer,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.common_events import InvitationDeclined, InvitationWithdrawn, PlayerInvited
from service.games.game import HOST, PLAYER, Action, Refusal
from service.games.table_state import TableState, is_invited, seat_of

InvitationDecision: TypeAlias = PlayerInvited | InvitationDeclined | InvitationWithdrawn

MOST_OPEN: Final = 52
"""How many invitations are open at a table at most: as many as the largest table has seats."""
MOST_EVER: Final = 1_000
"""How many invitations are made at a table in all."""


def decide(state: TableState, command: InvitationCommand) -> InvitationDecision:
    """Make, decline or take back an invitation; that one may sit down now, the game has checked.

    Raises:
        Refusal: it is not for this actor to do, or there is no such invitation, or there are too many.
    """
    match command:
        case InvitePlayer():
            _must_be(HOST, command)
            _must_be_wanted(state, command.player)
            return PlayerInvited(player=command.player)
        case WithdrawInvitation():
            _must_be(HOST, command)
            _must_be_invited(state, command.player)
            return InvitationWithdrawn(player=command.player)
        case DeclineInvitation():
            _must_be(PLAYER, command)
            _must_be_invited(state, command.player)
            return InvitationDeclined(player=command.player)


def must_be_welcome(state: TableState, command: TakeSeat) -> None:
    """Refuse a seat at a private table to whoever comes by themselves and is not invited.

    Raises:
        Refusal: neither the host seats them, nor are they the host, nor invited.
    """
    is_guest = command.by == PLAYER and command.player != state.host
    if state.visibility == "private" and is_guest:
        _must_be_invited(state, command.player)


def actions(state: TableState, by: str) -> tuple[Action, ...]:
    """List what *by* may do about invitations while one may sit down; "player": whoever holds one."""
    if by == PLAYER:
        return tuple(_action(DeclineInvitation(by=by, player=player)) for player in state.invited.values())
    if by != HOST:
        return ()
    withdrawals = tuple(_action(WithdrawInvitation(by=by, player=player)) for player in state.invited.values())
    if len(state.invited) >= MOST_OPEN or state.invitations >= MOST_EVER:
        return withdrawals
    example = f"own_{'f' * 28}{state.invitations:04x}"  # Nobody's, and none that was there before.
    return (_action(InvitePlayer(by=by, player=example), "player"), *withdrawals)


def command_of(decision: InvitationDecision, by: str) -> InvitationCommand:
    """Return the command that *decision* of *by* came from."""
    match decision:
        case PlayerInvited():
            return InvitePlayer(by=by, player=decision.player)
        case InvitationWithdrawn():
            return WithdrawInvitation(by=by, player=decision.player)
        case InvitationDeclined():
            return DeclineInvitation(by=by, player=decision.player)


def _action(command: InvitationCommand, *to_fill: str) -> Action:
    return Action(command, rule="", ruling="G.10", to_fill=to_fill)


def _must_be(wanted: str, command: InvitationCommand) -> None:
    if command.by == wanted:
        return
    if wanted == HOST:
        raise Refusal("host_must_ask", ruling="G.10", detail="Only the table's host invites, or takes it back.")
    raise Refusal("player_must_be_invited", ruling="G.10", detail="Only who is invited, and has no seat, declines.")


def _must_be_wanted(state: TableState, player: str) -> None:
    if seat := seat_of(state, player):
        raise Refusal("invited_must_not_sit_here", ruling="G.10", detail=f"This player has seat {seat} already.")
    if is_invited(state, player):
        raise Refusal("player_must_not_be_invited_twice", ruling="G.10", detail="This invitation is still open.")
    if len(state.invited) >= MOST_OPEN:
        detail = f"At most {MOST_OPEN} invitations are open at a table; take one back first."
        raise Refusal("open_invitations_must_be_fewer", ruling="G.10", detail=detail)
    if state.invitations >= MOST_EVER:
        detail = f"At most {MOST_EVER} invitations are made at a table in all."
        raise Refusal("invitations_must_be_fewer", ruling="G.10", detail=detail)


def _must_be_invited(state: TableState, player: str) -> None:
    if not is_invited(state, player):
        detail = "This player holds no open invitation to this table."
        raise Refusal("player_must_be_invited", ruling="G.10", detail=detail)
