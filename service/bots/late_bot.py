"""A bot with a failing connection: in each hand the host calls time once, until the bot has lost chips."""

from collections.abc import Callable, Sequence

from service.client.bot import Bot
from service.client.table_answers import Action, Move, Table
from service.ledger import account_seat


class LateBot:
    """Lets *bot* choose. Until the seat has lost chips in a hand, the host calls time once in each hand (*call_time*).

    The server then refuses the bot's action, because the service has already decided for the seat; the bot plays on.
    """

    def __init__(self, bot: Bot, call_time: Callable[[], object]) -> None:
        self._bot = bot
        self._call_time = call_time
        self._hand = 0
        self._chips = 0
        self._is_over = False

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action that the bot chooses; if the connection fails now, first let the host call time."""
        action = self._bot.choose(moves, table)
        if table.hand != self._hand:
            own = sum(chips for account, chips in table.balances.items() if account_seat(account) == table.you)
            self._is_over = self._is_over or (self._hand > 0 and own < self._chips)
            self._hand, self._chips = table.hand, own
            if not self._is_over:
                self._call_time()
        return action
