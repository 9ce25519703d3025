"""Reads the HTML of pages: their drawings, the rows of their tables, and their main part."""

import re
from typing import Final
from xml.etree import ElementTree as ET

_SVG: Final = re.compile("<svg.*?</svg>", re.DOTALL)
_TAGS: Final = re.compile("<[^>]*>")


def drawings(page: str) -> list[ET.Element]:
    """Return the drawings of *page*, each parsed as XML; a drawing has a title and a description in words."""
    found = [ET.fromstring(svg) for svg in _SVG.findall(page)]  # noqa: S314 -- the text is that of our own page
    for drawing in found:
        title, words = drawing.find("title"), drawing.find("desc")
        assert title is not None
        assert words is not None
        assert title.text
        assert words.text
        assert drawing.attrib["aria-labelledby"] == f"{title.attrib['id']} {words.attrib['id']}"
    return found


def rows(page: str) -> list[list[str]]:
    """Return the rows of all tables of *page*, as the text of their cells."""
    return [
        [" ".join(_TAGS.sub(" ", cell).split()) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)
    ]


def number(text: str) -> int:
    """Return the whole number in *text*, as pages write it."""
    return int(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def main_of(page: str) -> str:
    """Return the part of *page* below the navigation."""
    return page.partition("<main")[2]
