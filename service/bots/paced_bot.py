"""A bot that takes its time, so that a person can follow the game."""

from collections.abc import Sequence
from threading import Event

from service.client.bot import Bot
from service.client.table_answers import Action, Move, Table


class PacedBot:
    """Waits for *seconds*, or until *stop* is set, and then lets *bot* choose."""

    def __init__(self, bot: Bot, seconds: float, stop: Event) -> None:
        self._bot = bot
        self._seconds = seconds
        self._stop = stop

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action that the bot chooses."""
        self._stop.wait(self._seconds)
        return self._bot.choose(moves, table)
