"""The byline of a game: its title and author, for every output that shows a game (G.8)."""

from collections.abc import Mapping
from typing import Final

from service.client.table_answers import Credit
from service.games import GAMES

_WORDS: Final[Mapping[str, str]] = {game.sheet.title: game.sheet.credited for game in GAMES.values()}
"""The words before the author's name, by the game's title. A game of a server of another release may be missing."""


def byline(credit: Credit) -> str:
    """Return the title, the author and, if known, the year: "Bankrupt, a card game by Aidan-B. Howard (2011)"."""
    year = f" ({credit.year})" if credit.year else ""
    return f"{credit.title}, {_WORDS.get(credit.title, 'a card game by')} {credit.author}{year}"
