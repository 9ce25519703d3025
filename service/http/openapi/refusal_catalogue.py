"""The refusals, for clients: each code with its sentence and citations, and the precedence of codes (DECISIONS 94)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from msgspec import Struct

from service.disputes.dispute_commands import EraseDisputeValue
from service.disputes.dispute_conditions import DISPUTE_CONDITIONS, PRECEDENCE
from service.games import GAMES
from service.games.common_commands import ACTIONS, COMMON_REFUSALS, OpenTable, TakeSeat
from service.games.common_refusals import ACTION_MUST_BELONG_TO_THE_GAME, Condition, conditions
from service.games.definition import Game
from service.games.game import Command, type_name
from service.http.problems.catalogue import CATALOGUE
from service.tables import signed_moves

_EVERY_GAME: Final = "Every game"
DISPUTES: Final = "Disputes"
_OF_CLIENTS: Final[tuple[type[Command], ...]] = (OpenTable, TakeSeat, *ACTIONS)


class Refused(Struct, frozen=True):
    """The *code* of a refusal, the *sentence* that says what must hold, and the citations that the refusal may have."""

    code: str
    sentence: str
    cites: tuple[str, ...]

    @property
    def text(self) -> str:
        """The refusal's sentence, and a sentence with its citations."""
        return f"{self.sentence} Cites {'; '.join(self.cites)}."


@cache
def by_game() -> dict[str, tuple[Refused, ...]]:
    """Return all refusals by the title of their game.

    "Every game" has the refusals that the games share. "Disputes" has the refusals of steps of a dispute, except those
    whose code is a problem of its own in `CATALOGUE`.
    """
    shared = {
        ACTION_MUST_BELONG_TO_THE_GAME,
        *signed_moves.REFUSALS,
        *conditions(COMMON_REFUSALS.values()).values(),
    }
    found = {_EVERY_GAME: shared}
    for game in GAMES.values():
        found.setdefault(game.sheet.title, set()).update(conditions(game.refusals.values()).values())
    found[DISPUTES] = {one for code, one in DISPUTE_CONDITIONS.items() if code not in CATALOGUE}
    return {
        title: tuple(sorted(map(_refused, those if those is shared else those - shared), key=_in_order))
        for title, those in found.items()
    }


@cache
def by_code() -> dict[str, tuple[str, ...]]:
    """Return the texts of all refusals by code. Each text begins with the title under which `by_game` has it."""
    lines: dict[str, list[str]] = {}
    for title, refused in by_game().items():
        for refusal in refused:
            lines.setdefault(refusal.code, []).append(f"{title}. {refusal.text}")
    return {code: tuple(places) for code, places in lines.items()}


def precedence(game: Game) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each command that clients can give, by its name, with the codes of its refusals in order of precedence."""
    for command in (*_OF_CLIENTS, *game.commands):
        yield type_name(command), tuple(condition.code for condition in game.refusals[command])


def precedence_of_steps() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each step of a dispute that clients can take, by the name of its command, with the codes of its refusals.

    The codes are in order of precedence.
    """
    for command, checked in PRECEDENCE.items():
        if command is not EraseDisputeValue:  # Only the service gives this command.
            yield type_name(command), tuple(condition.code for condition in checked)


def _refused(condition: Condition) -> Refused:
    cites = (
        ", ".join(f"{word} {_quoted(cited)}" for word, cited in (("rule", rule), ("ruling", ruling)) if cited)
        for rule, ruling in condition.cites
    )
    return Refused(condition.code, condition.sentence, tuple(sorted(cites)))


def _quoted(name: str) -> str:
    """Return *name* in quotation marks if it has several words."""
    return f'"{name}"' if " " in name else name


def _in_order(refused: Refused) -> tuple[str, str]:
    return refused.code, refused.text
