"""A bot in thirty lines: takes a seat at a table of any game, and plays until the game is over."""

import random
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

from service.client import Action, Api, Client, KeptLog, Move, Table, play


class Stubborn:
    """Takes a random legal action with the smallest numbers, and never resigns."""

    def __init__(self, seed: str) -> None:
        self._dice = random.Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action to take; *table* has what this seat may see."""
        del table
        return self._dice.choice([move for move in moves if move.kind != "resign"]).lowest


def main(url: str, key_file: str, table: str, kept_file: str) -> None:
    """Play at *table* with the key in *key_file*, and keep the receipts in *kept_file*."""
    key = Path(key_file).read_text().strip()
    with closing(KeptLog(Path(kept_file))) as kept, closing(Client(url, key, kept=kept)) as client:
        api = Api(client)
        if not api.table(table).you:
            api.take_seat(table, api.table(table).options.get("buy_in", 0))
        play(api, table, Stubborn(key), Event(), seeds_secret=kept.seeds_secret)
        print(f"seats {api.table(table).winners} won; {kept.check(client, wait_seconds=10)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
