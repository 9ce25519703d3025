"""Names of rules and rulings, and the links to their texts on the page of the game."""

import re
from typing import Final

from msgspec import Struct

_RULING: Final = re.compile(r"[A-Z][A-Z0-9-]*\.\d+")


class Citation(Struct, frozen=True):
    """A rule or ruling: its *name* in a sentence, its *text* in our words, and the *link* to it."""

    name: str
    text: str
    link: str


def anchor(name: str) -> str:
    """Return the id of a rule or ruling on the page of its game, such as `rule-15` or `ruling-G.3`."""
    if _RULING.fullmatch(name):
        return f"ruling-{name}"
    return f"rule-{re.sub(r'[^a-z0-9]+', '-', name.lower())}"


def in_words(name: str) -> str:
    """Return the name of a rule or ruling in a sentence.

    Names in a sentence are "rule 15", "ruling G.3", "option 2" or, for a section, "the section" and the heading.
    """
    if _RULING.fullmatch(name):
        return f"ruling {name}"
    return f"rule {name}" if name.isdigit() else name if name.startswith("option ") else f"the section “{name}”"


def link(game: str, name: str) -> str:
    """Return the path of the text of a rule or ruling."""
    return f"/rules/{game}#{anchor(name)}"
