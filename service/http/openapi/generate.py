"""The documents under `api_spec/` that follow from the code: run this module to write them anew."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.http import api
from service.http.openapi import refusal_catalogue
from service.http.problems.catalogue import CATALOGUE
from service.http.request.fields import FIELD_ERRORS

_REPOSITORY: Final = Path(__file__).parents[3]


def documents() -> dict[str, str]:
    """Return the documents by the names of their files."""
    return {
        "openapi.json": json.dumps(api.document(), indent=1, ensure_ascii=False) + "\n",
        "problems.md": "\n".join(_problems()) + "\n",
    }


def write(folder: Path) -> None:
    """Write the documents into *folder*."""
    for name, text in documents().items():
        (folder / name).write_text(text, encoding="utf-8")


_HEAD: Final = """\
# Problems

Whatever goes wrong is answered as problem details (RFC 9457, `application/problem+json`): `type` (the problem's page,
`/problems/<code>`), `title`, `status`, `code`, `detail`, `request_id`, and what else a problem below names. `code` says
what must hold, and is never renamed. This page follows from the code;
`python -m service.http.openapi.generate` writes it."""
_ERRORS: Final = """\

## What `errors` say

Each of `errors` has one of these codes, a `message`, and its place: `pointer` (a JSON Pointer into the body, RFC 6901)
or `parameter` (of the query).
"""
_RULES: Final = """\

## Refusals

What the rules may refuse: the `code` of a problem of the type `refused_by_the_rules`, with the rule of the sheet
and the ruling of ours that it cites; where none stands here, they depend on the case."""


def _problems() -> Iterator[str]:
    yield _HEAD
    for status in sorted({kind.status for kind in CATALOGUE.values()}):
        yield f"\n## {status}"
        for code, kind in CATALOGUE.items():
            if kind.status == status:
                yield f"\n### `{code}`\n\n{kind.title} {kind.advice}"
    yield _ERRORS
    yield from (f"- `{code}`: {message}" for code, message in FIELD_ERRORS.items())
    yield _RULES
    for where, refused in refusal_catalogue.by_game().items():
        yield f"\n### {where}\n"
        yield from (f"- `{one.code}`{': ' * bool(one.cited)}{one.cited}" for one in refused)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else _REPOSITORY / "api_spec")
