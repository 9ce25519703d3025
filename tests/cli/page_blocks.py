"""The shell commands of pages in Markdown, block by block."""

import re


def blocks(page: str) -> list[str]:
    """Return the shell commands of *page*, block by block."""
    return re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def section(page: str, heading: str) -> str:
    """Return the part of *page* under *heading*, up to the next heading of the same level."""
    _, _, after = page.partition(f"\n## {heading}\n")
    return after.partition("\n## ")[0]
