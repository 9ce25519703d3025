"""Puts the decisions of a hand of any game into words: consecutive decisions of one type make one entry."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final

from msgspec import Struct

from service.bots.endpoints import Decision, GameInfo, HandHistory
from service.cards import PACK, UNKNOWN

NO_BREAK: Final = "\N{NO-BREAK SPACE}"
"""A line is not wrapped at this space."""
_CARDS: Final = frozenset((*PACK, UNKNOWN))
_MOST_UNBROKEN: Final = 48  # characters; a longer text may be wrapped


class _DecisionText(Struct, frozen=True):
    """A decision in words: the *seat* (0: none), the *actor*, and the *details* of the decision.

    If *is_plain*, the details are cards alone.
    """

    seat: int
    actor: str
    details: str
    is_plain: bool

    @property
    def words(self) -> str:
        """The actor and the details; details with names are in parentheses."""
        details = self.details if self.is_plain or not self.details else f"({self.details})"
        return f"{self.actor} {details}".rstrip()


def entries(hand: HandHistory, game: GameInfo) -> Iterator[str]:
    """Yield an entry for each run of decisions of one type, in order.

    An entry shows the members that the game's actions have, and the sealed values that the caller may read. If the
    seats decide in several rounds, clockwise and only by cards, the entry shows the first seat and the cards of each
    round.
    """
    chosen = {member.name for action in game.actions for member in action.members}
    opened: dict[int, dict[str, Any]] = {}
    for one in hand.fields:
        opened.setdefault(one.position, {})[one.field] = one.value
    for kind, run in groupby(hand.decisions, key=lambda decision: decision.type):
        texts = [_text(decision, opened.get(decision.position, {}), chosen) for decision in run]
        rounds = _rounds(texts)
        if len(rounds) > 1 and all(one.is_plain for one in texts) and _are_clockwise(rounds):
            how = ", clockwise from each seat named"
            parts = [f"{each[0].actor} {' '.join(one.details for one in each)}" for each in rounds]
        else:
            how, parts = "", [one.words for one in texts]
        yield f"{kind.replace('_', ' ')}{how}: {'; '.join(map(_unbroken, parts))}"


def _text(decision: Decision, opened: Mapping[str, Any], chosen: Collection[str]) -> _DecisionText:
    """Return *decision* in words, with its members that are *chosen* and its *opened* sealed fields."""
    actor, _, number = decision.by.partition(":")
    seat = int(number or 0)
    made = {name: value for name, value in decision.made.items() if name in chosen or (name == "seat" and not seat)}
    if seat and made.get("seat") == seat:
        del made["seat"]
    details = list(_details({**made, **opened}))
    is_plain = len(details) == 1 and _is_of_cards(details[0][1])
    words = _value_text(details[0][1]) if is_plain else ", ".join(_named(name, value) for name, value in details)
    return _DecisionText(seat, f"{actor} {number}".rstrip(), words, is_plain)


def _details(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each member, and of each member of an object; leave out empty and false values."""
    for name, value in members.items():
        if isinstance(value, dict):
            yield from _details(value)
        elif value is not False and (value or value == 0):
            yield name, value


def _named(name: str, value: Any) -> str:  # noqa: ANN401 -- the value is any JSON
    words = name.replace("_", " ")
    return words if value is True else f"{words} {_value_text(value)}"


def _value_text(value: Any) -> str:  # noqa: ANN401 -- the value is any JSON
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_of_cards(value: Any) -> bool:  # noqa: ANN401 -- the value is any JSON
    cards = value if isinstance(value, list) else [value]
    return all(isinstance(card, str) and card in _CARDS for card in cards)


def _rounds(texts: Sequence[_DecisionText]) -> list[list[_DecisionText]]:
    """Split *texts* into rounds: a new round begins when a seat decides that has already decided in the round."""
    rounds: list[list[_DecisionText]] = []
    for one in texts:
        if not rounds or one.seat in {other.seat for other in rounds[-1]}:
            rounds.append([])
        rounds[-1].append(one)
    return rounds


def _are_clockwise(rounds: Sequence[Sequence[_DecisionText]]) -> bool:
    """Return whether in each round the seats decide clockwise, and none of them is left out."""
    seats = sorted({one.seat for each in rounds for one in each})
    after = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
    return all(after[one.seat] == other.seat for each in rounds for one, other in pairwise(each))


def _unbroken(words: str) -> str:
    return words.replace(" ", NO_BREAK) if len(words) <= _MOST_UNBROKEN else words
