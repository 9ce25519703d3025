"""The credit of a game: its author, and the rule sheet that the service follows."""

from msgspec import Struct

from service.games.game import Game


class Credit(Struct, frozen=True, kw_only=True):
    """The title, author and year of a game, and the SHA-256 of the rule sheet that this service follows."""

    title: str
    author: str
    year: int
    sheet_sha256: str


def credit(game: Game) -> Credit:
    """Return the credit of *game* (G.8)."""
    sheet = game.sheet
    return Credit(title=sheet.title, author=sheet.author, year=sheet.year, sheet_sha256=sheet.sha256)
