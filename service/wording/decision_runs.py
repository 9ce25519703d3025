"""Puts the decisions of a hand into words for a terminal: one entry for each run of decisions of the same type."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Protocol

from msgspec import Struct

from service.cards import PACK, UNKNOWN

NO_BREAK: Final = "\N{NO-BREAK SPACE}"
"""A space at which a line is not wrapped."""
_CARDS: Final = frozenset((*PACK, UNKNOWN))
_MOST_UNBROKEN: Final = 48  # characters; a longer text may be wrapped


class Decided(Protocol):
    """A decision, as the API returns it."""

    @property
    def position(self) -> int:
        """Its position."""
        ...

    @property
    def by(self) -> str:
        """Who decided."""
        ...

    @property
    def type(self) -> str:
        """The type of the event."""
        ...

    @property
    def made(self) -> Mapping[str, Any]:
        """The event's own members."""
        ...


class Opened(Protocol):
    """The value of a sealed field that the reader may read."""

    @property
    def position(self) -> int:
        """The position of the decision that sealed the value."""
        ...

    @property
    def field(self) -> str:
        """The name of the field."""
        ...

    @property
    def value(self) -> Any:  # noqa: ANN401 -- the value is any JSON
        """The value."""
        ...


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


def entries(decisions: Iterable[Decided], fields: Iterable[Opened], chosen: Collection[str]) -> Iterator[str]:
    """Yield an entry for each run of *decisions* of one type, in order.

    *chosen* has the names of the members of the game's actions. An entry shows these members and the sealed values in
    *fields*. If the seats decide clockwise in several rounds, and all decisions are cards alone, the entry has for each
    round the first seat and the cards.
    """
    opened: dict[int, dict[str, Any]] = {}
    for one in fields:
        opened.setdefault(one.position, {})[one.field] = one.value
    for kind, run in groupby(decisions, key=lambda decision: decision.type):
        texts = [_text(decision, opened.get(decision.position, {}), chosen) for decision in run]
        rounds = _rounds(texts)
        if len(rounds) > 1 and all(one.is_plain for one in texts) and _are_clockwise(rounds):
            how = ", clockwise from each seat named"
            parts = [f"{each[0].actor} {' '.join(one.details for one in each)}" for each in rounds]
        else:
            how, parts = "", [one.words for one in texts]
        yield f"{kind.replace('_', ' ')}{how}: {'; '.join(map(_unbroken, parts))}"


def _text(decision: Decided, opened: Mapping[str, Any], chosen: Collection[str]) -> _DecisionText:
    """Return *decision* in words, with the members that *chosen* names and the *opened* sealed fields."""
    actor, _, number = decision.by.partition(":")
    seat = int(number or 0)
    made = {name: value for name, value in decision.made.items() if name in chosen or (name == "seat" and not seat)}
    if seat and made.get("seat") == seat:
        del made["seat"]
    members = {**made, **opened}
    is_plain = len(_cards_alone(members)) > 0
    return _DecisionText(seat, f"{actor} {number}".rstrip(), details_in_words(members), is_plain)


def details_in_words(members: Mapping[str, Any]) -> str:
    """Return *members* with their names; if the only member has only cards, return the cards alone."""
    return _cards_alone(members) or ", ".join(_named(name, value) for name, value in _details(members))


def _cards_alone(members: Mapping[str, Any]) -> str:
    """Return the cards if *members* has one member, whose value is only cards; otherwise return ""."""
    details = list(_details(members))
    return _value_text(details[0][1]) if len(details) == 1 and _is_of_cards(details[0][1]) else ""


def _details(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each member's name and value; instead of an object, yield its members. Leave out empty and false values."""
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
    """Split *texts* into rounds: a new round begins when a seat decides for the second time."""
    rounds: list[list[_DecisionText]] = []
    for one in texts:
        if not rounds or one.seat in {other.seat for other in rounds[-1]}:
            rounds.append([])
        rounds[-1].append(one)
    return rounds


def _are_clockwise(rounds: Sequence[Sequence[_DecisionText]]) -> bool:
    """Return whether in each round the seats decide clockwise, and no seat in between is left out."""
    seats = sorted({one.seat for each in rounds for one in each})
    after = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
    return all(after[one.seat] == other.seat for each in rounds for one, other in pairwise(each))


def _unbroken(words: str) -> str:
    return words.replace(" ", NO_BREAK) if len(words) <= _MOST_UNBROKEN else words
