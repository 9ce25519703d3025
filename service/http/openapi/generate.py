"""Writes the generated documents in `api_spec/`: run this module to update these documents."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.games import CURRENT
from service.http import api
from service.http.openapi import refusal_catalogue, typescript_types
from service.http.problems.catalogue import CATALOGUE
from service.http.request.fields import FIELD_ERRORS

_REPOSITORY: Final = Path(__file__).parents[3]


def documents() -> dict[str, str]:
    """Return the text of each document, by its path in `api_spec/`."""
    document = api.document()
    return {
        "openapi.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
        "problems.md": "\n".join(_problems()) + "\n",
        "typescript/chiptrail.d.ts": typescript_types.types_of(document),
    }


def write(folder: Path) -> None:
    """Write the documents into *folder*, which has the folders of `api_spec/`."""
    for name, text in documents().items():
        (folder / name).write_text(text, encoding="utf-8")


_HEAD: Final = """\
# Problems

The service answers every error with problem details (RFC 9457, `application/problem+json`). Every problem has the
members `type` (the path of the problem's page, `/problems/<code>`), `title`, `status`, `code`, `detail` and
`request_id`. Some problems have further members; the text of each such problem names them. `code` says what must hold,
and is never renamed.
`python -m service.http.openapi.generate` generates this page from the service's code."""
_ERRORS: Final = """\

## The codes in `errors`

Each error in `errors` has one of these codes, a `message`, and its place: `pointer` (a JSON Pointer into the body,
RFC 6901) or `parameter` (the name of a query parameter). The list has the default message of each code.
"""
_RULES: Final = """\

## Refusals

If the rules refuse a command, the problem has the type `/problems/refused_by_the_rules`, and `code` is one of these
codes. Each code has a sentence that says what must hold, and the rules and rulings that the refusal can cite. A problem
cites, in `rule` and `ruling`, only what applies to its case."""
_PRECEDENCE: Final = """\

## The precedence of refusals

If a command fails several conditions, the refusal names the first of these conditions. An action of another game is
refused with `action_must_belong_to_the_game`. For every other command, this list has the codes in the order of the
checks. The signature of a command is checked last, in the order `move_must_be_signed`, `move_must_not_be_signed`,
`blinds_must_be_of_the_sealed_fields`, `head_must_be_of_the_turn`, `signature_must_be_valid`."""


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
        yield from (f"- `{refusal.code}`: {refusal.text}" for refusal in refused)
    yield _PRECEDENCE
    for game in CURRENT.values():
        yield f"\n### {game.sheet.title}\n"
        for command, codes in refusal_catalogue.precedence(game):
            yield _row(command, codes)
    yield f"\n### {refusal_catalogue.DISPUTES}\n"
    yield from (_row(step, codes) for step, codes in refusal_catalogue.precedence_of_steps())


def _row(command: str, codes: tuple[str, ...]) -> str:
    return f"- `{command}`: {', '.join(f'`{code}`' for code in codes)}"


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else _REPOSITORY / "api_spec")
