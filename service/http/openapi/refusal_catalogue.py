"""Collects the refusals from the source of the games: each code, with rules and rulings that the refusals cite."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

_GAMES: Final = Path(__file__).parents[2] / "games"
_REFUSAL: Final = re.compile('"([a-z]+(?:_[a-z]+)*_must(?:_[a-z]+)+)"')


class Refused(Struct, frozen=True):
    """The *code* of a refusal, and the rules and rulings that the refusal *cites*.

    *cites* has only the citations that the source has as string literals. Other citations depend on the case, for
    example.
    """

    code: str
    cites: tuple[str, ...]

    @property
    def cited(self) -> str:
        """The rules and rulings as a sentence; "": the source has none as a string literal."""
        return f"Cites {'; '.join(self.cites)}." if self.cites else ""


@cache
def by_game() -> dict[str, tuple[Refused, ...]]:
    """Return all refusals by the title of their game; "Every game" has the refusals that the games share."""
    by_place: dict[str, dict[str, set[str]]] = {}
    for path in sorted(_GAMES.rglob("*.py")):
        where = "Every game" if path.parent == _GAMES else path.parent.name.replace("_", " ").title()
        text = path.read_text(encoding="utf-8")
        codes = by_place.setdefault(where, {})
        for code in _REFUSAL.findall(text):
            codes.setdefault(code, set())
        for node in ast.walk(ast.parse(text)):
            code, cited = _citation(node)
            if code in codes and cited:
                codes[code].add(cited)
    return {
        where: tuple(Refused(code, tuple(sorted(cites))) for code, cites in sorted(codes.items()))
        for where, codes in by_place.items()
        if codes
    }


@cache
def by_code() -> dict[str, tuple[str, ...]]:
    """Return, for each code, the games whose rules can refuse with this code, each with the refusal's citations."""
    lines: dict[str, list[str]] = {}
    for where, refused in by_game().items():
        for refusal in refused:
            lines.setdefault(refusal.code, []).append(f"{where}. {refusal.cited}".strip())
    return {code: tuple(places) for code, places in lines.items()}


def _citation(node: ast.AST) -> tuple[str, str]:
    """Return the code of the refusal that *node* makes, and the rule and ruling that the refusal cites.

    Each text is "" if *node* makes no refusal. The code is "", and a citation is left out, if it is no string literal.
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal" and node.args):
        return "", ""
    code = node.args[0]
    cited = {
        str(word.arg): str(word.value.value)
        for word in node.keywords
        if word.arg in {"rule", "ruling"} and isinstance(word.value, ast.Constant) and word.value.value
    }
    name = code.value if isinstance(code, ast.Constant) and isinstance(code.value, str) else ""
    return name, ", ".join(f"{word} {cited[word]}" for word in ("rule", "ruling") if word in cited)
