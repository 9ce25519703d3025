"""The byline of a game: its title and author, for every output that shows a game (G.8)."""

from collections.abc import Mapping
from typing import Final

from service.bots.endpoints import Credit

_WORDS: Final[Mapping[str, str]] = {"Insurance Hearts": "a variation of Hearts contributed by"}
"""The words of a rule sheet that differ from "a card game by", by the game's title."""


def byline(credit: Credit) -> str:
    """Return title, author and, if the sheet has it, year: "Bankrupt, a card game by Aidan-B. Howard (2011)"."""
    year = f" ({credit.year})" if credit.year else ""
    return f"{credit.title}, {_WORDS.get(credit.title, 'a card game by')} {credit.author}{year}"
