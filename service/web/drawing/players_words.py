"""The HTML of texts that people wrote, such as labels and statements."""

from collections.abc import Iterator
from typing import Final
from unicodedata import category

from markupsafe import Markup, escape

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\n\t\u200c\u200d"
"""Characters of the categories in `_UNSEEN` that are not replaced: texts need these characters."""


def words(text: str) -> Markup:
    """Return the HTML of *text*.

    The text is isolated, so that its direction changes nothing around it. Control characters and invisible characters
    are shown by their numbers, such as U+202E, unless they are in `_JOINERS`.
    """
    return Markup('<bdi class="words">{}</bdi>').format(Markup().join(_parts(text)))


def _parts(text: str) -> Iterator[Markup]:
    for one in text:
        if category(one) in _UNSEEN and one not in _JOINERS:
            yield Markup('<span class="sign">U+{:04X}</span>').format(ord(one))
        else:
            yield escape(one)
