"""A player that is a program: it waits until its decision is due, chooses, and says so, until the table is over."""

from threading import Event
from typing import Final

from service.bots.bot import Bot
from service.bots.client import Problem
from service.bots.endpoints import Actions, Api
from service.games.game import seat_actor

_WAIT_SECONDS: Final = 5
_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
_MOST_REFUSALS: Final = 20
_CONFLICT: Final = 409


class RepeatedlyRefused(Exception):
    """What the table offered was refused again and again: the bot, or the service, is wrong."""


def play(api: Api, table: str, bot: Bot, stop: Event, most_hands: int = 0) -> None:
    """Play at *table* until it is over, or *stop* is set.

    Where players may come and go, it leaves after *most_hands* (0: never), and when nobody can go on.

    Each decision is made under the position at which it was due, so that it counts once whatever happens. Where others
    decide at the same time, theirs may come before it and it still counts: it needs the table to stand nowhere.

    Raises:
        ServerGone: the server gives no answer any more.
        MustBeLegal: the server refuses what it offers.
    """
    seat = seat_actor(api.table(table).you)
    refused, pause_seconds = 0, _FIRST_PAUSE_SECONDS
    while not stop.is_set() and not (found := api.actions(table, wait_seconds=_WAIT_SECONDS)).is_over:
        if _would_leave(api, table, found, most_hands):
            if _leaves(api, table):
                return
            continue
        if seat not in found.due:  # the wait is over, or the server had no place to wait in
            stop.wait(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)
            continue
        pause_seconds = _FIRST_PAUSE_SECONDS
        try:
            action = bot.choose(found.items, api.table(table))
            api.act(table, action, idempotency_key=f"at {found.position}")
            if action["type"] == "leave_seat":
                return
            refused = 0
        except Problem as problem:
            if problem.status != _CONFLICT:
                raise
            refused += 1  # somebody was first, as when the host called time: look again
            if refused > _MOST_REFUSALS:
                raise RepeatedlyRefused(str(problem)) from problem


def _would_leave(api: Api, table: str, found: Actions, most_hands: int) -> bool:
    """Tell whether it is time to leave: one may, and enough hands were played, or no decision is awaited of anybody."""
    if found.status != "playing" or not any(move.kind == "leave_seat" for move in found.items):
        return False
    return not found.due or 0 < most_hands <= api.table(table).hand


def _leaves(api: Api, table: str) -> bool:
    """Leave the table; False: somebody's bet was first, so that one more hand must be waited for."""
    try:
        api.act(table, {"type": "leave_seat"})
    except Problem as problem:
        if problem.status != _CONFLICT:
            raise
        return False
    return True
