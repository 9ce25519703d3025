"""A player that is a program: it waits until its decision is due, chooses, and says so, until the table is over."""

from threading import Event
from typing import Final

from service.bots.api import Api
from service.bots.choosing import Bot
from service.bots.client import Problem
from service.games.game import seat_actor

_WAIT_SECONDS: Final = 5
_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
_MOST_REFUSALS: Final = 20
_CONFLICT: Final = 409


class MustBeLegal(Exception):
    """What the table offered was refused again and again: the bot, or the service, is wrong."""


def play(api: Api, table: str, bot: Bot, stop: Event) -> None:
    """Play at *table* until it is over, or *stop* is set.

    Each decision is made under the position at which it was due, so that it counts once whatever happens.

    Raises:
        ServerGone: the server gives no answer any more.
        MustBeLegal: the server refuses what it offers.
    """
    seat = seat_actor(api.table(table).you)
    refused, pause_seconds = 0, _FIRST_PAUSE_SECONDS
    while not stop.is_set() and not (found := api.actions(table, wait_seconds=_WAIT_SECONDS)).is_over:
        if seat not in found.due:  # the wait is over, or the server had no place to wait in
            stop.wait(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)
            continue
        pause_seconds = _FIRST_PAUSE_SECONDS
        try:
            api.act(table, bot.choose(found.items, api.table(table)), idempotency_key=f"at {found.position}")
            refused = 0
        except Problem as problem:
            if problem.status != _CONFLICT:
                raise
            refused += 1  # somebody was first, as when the host called time: look again
            if refused > _MOST_REFUSALS:
                raise MustBeLegal(str(problem)) from problem
