"""The words of a game that a newcomer may not know, and that the page of a hand uses."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from service.web.drawing import rule_links
from service.wording.games import NOTES
from service.wording.hand_notes import Notes


class Term(Struct, frozen=True):
    """A *word* of a game, and the link to the rule that explains it."""

    word: str
    link: str


def terms(game: str, said: Iterable[str]) -> Iterator[Term]:
    """Yield the terms of *game* whose words occur in one of the sentences in *said*."""
    text = " ".join(said)
    for word, rule in NOTES.get(game, Notes()).terms.items():
        if word in text:
            yield Term(word, rule_links.link(game, rule))
