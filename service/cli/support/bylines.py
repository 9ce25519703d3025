"""How a game and its author are named wherever a game is shown (G.8)."""

from collections.abc import Mapping
from typing import Final

from service.bots.endpoints import Credit

_HOW: Final[Mapping[str, str]] = {"Insurance Hearts": "a variation of Hearts contributed by"}
"""How the sheet says that the game is its author's, by its title, where it says so otherwise."""


def byline(credit: Credit) -> str:
    """Return title, author and, if the sheet tells one, year: "Bankrupt, a card game by Aidan-B. Howard (2011)"."""
    year = f" ({credit.year})" if credit.year else ""
    return f"{credit.title}, {_HOW.get(credit.title, 'a card game by')} {credit.author}{year}"
