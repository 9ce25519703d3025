"""A player: whenever the player's decision is due, a bot chooses an action, and the player sends the action."""

from threading import Event
from typing import Final

from service.client.bot import Bot
from service.client.client_errors import Problem
from service.client.endpoints import Api
from service.client.players_seeds import PlayersSeeds
from service.client.table_answers import Actions

_WAIT_SECONDS: Final = 1
"""The default of *wait_seconds*: short, because the player may want to leave while no decision is due."""
_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
_MOST_REFUSALS: Final = 20
_CONFLICT: Final = 409


class RepeatedlyRefused(Exception):
    """The server refused many actions in a row that it had listed as legal: the bot or the service has a defect."""


def play(  # noqa: PLR0913 -- the parameters say who plays, where, until when, and how
    api: Api,
    table: str,
    bot: Bot,
    stop: Event,
    most_hands: int = 0,
    *,
    wait_seconds: int = _WAIT_SECONDS,
    seeds_secret: bytes = b"",
) -> None:
    """Play at *table* until play has ended, the player has left, or *stop* is set.

    If players may leave during a game, the player leaves when the table has had *most_hands* hands (0: no such limit),
    or as soon as no decision is due. A request for the actions waits for *wait_seconds* at most. The Idempotency-Key of
    an action names the position at which the action was due, so a repeated action is recorded only once. The seeds
    follow from *seeds_secret* (empty: a new secret); a player who was stopped needs the same secret to go on.

    Raises:
        ServerGone, Problem, LogContradiction, KeptFileError, SealsOther: as for `Client.post` and `SigningApi.act`. But
            if an action is refused with the status 409, the player lists the actions again.
        RepeatedlyRefused: the server refused more than 20 actions in a row that it had listed as legal.
    """
    you = api.table(table).you
    seat, seeds = f"seat:{you}", PlayersSeeds(you, seeds_secret)
    refused, pause_seconds = 0, _FIRST_PAUSE_SECONDS
    while not stop.is_set() and not (listed := api.actions(table, wait_seconds=wait_seconds)).is_over:
        if seeds.give(api, table, listed.items):
            continue
        if _would_leave(api, table, listed, most_hands):
            if _leaves(api, table):
                return
            continue
        shown = api.table(table) if seat in listed.due else None
        if shown is None or not (moves := seeds.others(listed.items, shown)):
            stop.wait(pause_seconds)  # The wait is over, the server had no free waiting slot, or only a seed is due.
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)
            continue
        pause_seconds = _FIRST_PAUSE_SECONDS
        try:
            action = bot.choose(moves, shown)
            api.act(table, action, idempotency_key=f"at {listed.position}")  # no If-Match: others may act meanwhile
            if action["type"] == "leave_seat":
                return
            refused = 0
        except Problem as problem:
            if problem.status != _CONFLICT:
                raise
            refused += 1  # another decision came first, such as a call of time: list the actions again
            if refused > _MOST_REFUSALS:
                raise RepeatedlyRefused(str(problem)) from problem


def _would_leave(api: Api, table: str, listed: Actions, most_hands: int) -> bool:
    """Return whether to leave: the seat may leave, and either the table had enough hands or no decision is due."""
    if listed.status != "playing" or not any(move.kind == "leave_seat" for move in listed.items):
        return False
    return not listed.due or 0 < most_hands <= api.table(table).hand


def _leaves(api: Api, table: str) -> bool:
    """Leave the table and return True; return False after a conflict, for example if another player bet first."""
    try:
        api.act(table, {"type": "leave_seat"})
    except Problem as problem:
        if problem.status != _CONFLICT:
            raise
        return False
    return True
