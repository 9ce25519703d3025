"""The story of a hand: each event as a sentence, and the plays of a game with tricks as rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from service.client.hand_answers import DealtCard, Judged
from service.web.case.case_facts import Answers
from service.wording import sentences
from service.wording.games import ROWS
from service.wording.hand_events import HandEvent, Rows

_QUIET: Final = frozenset({"cards_bottomed", "deck_opened", "deck_fixed", "deck_revealed", "deck_unused"})


_SHOWN: Final = "cards_shown"


class Step(Struct, frozen=True):
    """An event as a *sentence*.

    *seat* is the seat that decided, or for which the service decided because time was called; 0: there is none.
    *is_signed* says whether the seat signed the decision; None: no seat decided, or the API did not say. *is_timed*:
    time had been called. *is_quiet*: the event is about the deck alone.
    """

    position: int
    at: str
    sentence: str
    seat: int
    is_decision: bool
    is_signed: bool | None
    is_timed: bool
    is_quiet: bool
    more: int = 0
    """The number of the following events that are not shown: they have the same type, and are about the deck alone."""


class Play(Struct, frozen=True):
    """A card that a seat played; *wins* says whether the card's seat took the row."""

    position: int
    seat: int
    card: str
    wins: bool
    is_timed: bool


class Row(Struct, frozen=True):
    """A row, such as a trick: its plays in order, and the seat that took it (0: the row is incomplete).

    *position* is the position of the event that ended the row, or else of the row's last play.
    """

    number: int
    plays: tuple[Play, ...]
    taken_by: int
    position: int


class Part(Struct, frozen=True):
    """A part of the story: either *steps* or *rows*; *name* is what a row is called, such as "trick"."""

    steps: tuple[Step, ...] = ()
    rows: tuple[Row, ...] = ()
    name: str = ""


class Story(Struct, frozen=True):
    """The *parts* of a story. *marks_signatures*: some decisions of seats are signed and others are not."""

    parts: tuple[Part, ...]
    marks_signatures: bool
    said: Mapping[int, str]
    """The sentence of each event, by position."""


def story(answers: Answers) -> Story:
    """Return the story of a hand."""
    judged = (
        {} if isinstance(answers.adjudication, str) else {one.position: one for one in answers.adjudication.decisions}
    )
    of_seats = [one.is_signed for one in judged.values() if one.by.startswith("seat:")]
    game = answers.hand.game
    events = tuple(hand_events(answers))
    said = {event.position: sentences.sentence(game, event) for event in events}
    return Story(tuple(_parts(events, ROWS.get(game), judged, said)), len(set(of_seats)) > 1, said)


def hand_events(answers: Answers) -> Iterator[HandEvent]:
    """Yield the events of a hand with the faces and the sealed values that the viewer may see."""
    opened: dict[int, dict[str, Any]] = {}
    for one in answers.hand.fields:
        opened.setdefault(one.position, {})[one.field] = one.value
    dealt: dict[int, list[DealtCard]] = {}
    for card in answers.hand.cards:
        dealt.setdefault(card.position, []).append(card)
    held: dict[int, tuple[str, ...]] = {}
    shown: dict[int, tuple[str, ...]] = {}
    for event in answers.events:
        leaf = event.leaf
        cards = dealt.get(leaf.position, [])
        yield HandEvent(
            position=leaf.position,
            at=leaf.at,
            by=leaf.by,
            type=leaf.type,
            made=leaf.pub,
            opened=opened.get(leaf.position, {}),
            dealt=tuple((card.to, card.face) for card in cards),
            held=held,
            shown=shown,
        )
        held = _with(held, [(card.to, card.face) for card in cards if isinstance(card.to, int)])
        if leaf.type == _SHOWN:
            shown = _with(shown, [(card.get("seat", 0), card["face"]) for card in leaf.pub["cards"]])


def _with(faces: dict[int, tuple[str, ...]], more: Iterable[tuple[int, str]]) -> dict[int, tuple[str, ...]]:
    """Return *faces*, the faces of each seat's cards, with *more* faces added."""
    known = {**faces}
    for seat, face in more:
        known[seat] = (*known.get(seat, ()), face)
    return known


def _parts(
    events: Sequence[HandEvent], kind: Rows | None, judged: Mapping[int, Judged], said: Mapping[int, str]
) -> Iterator[Part]:
    """Yield the parts: a run of plays is one part; steps about the deck alone within a run come before the run."""
    steps: list[Step] = []
    rows: list[HandEvent] = []
    kinds: list[str] = []
    for event in events:
        if kind and event.type in {kind.play, kind.end}:
            if steps:
                yield Part(steps=tuple(steps))
                steps = []
            rows.append(event)
            continue
        if kind and rows and not _is_quiet(event):
            yield Part(rows=tuple(_rows(rows, kind)), name=kind.name)
            rows = []
        step = _step(event, judged, said)
        if step.is_quiet and kinds[-1:] == [event.type] and steps:
            steps[-1] = replace(steps[-1], more=steps[-1].more + 1)
        else:
            steps.append(step)
        kinds = [event.type]
    if kind and rows:
        yield Part(rows=tuple(_rows(rows, kind)), name=kind.name)
    if steps:
        yield Part(steps=tuple(steps))


def _rows(events: Iterable[HandEvent], kind: Rows) -> Iterator[Row]:
    plays: list[HandEvent] = []
    number = 1
    for event in events:
        if event.type == kind.play:
            plays.append(event)
            continue
        yield Row(number, tuple(_play(one, event.made["seat"]) for one in plays), event.made["seat"], event.position)
        plays, number = [], number + 1
    if plays:
        yield Row(number, tuple(_play(one, 0) for one in plays), 0, plays[-1].position)


def _play(event: HandEvent, taken_by: int) -> Play:
    seat = event.made["seat"]
    return Play(event.position, seat, event.made["card"], seat == taken_by, bool(event.made.get("called")))


def _step(event: HandEvent, judged: Mapping[int, Judged], said: Mapping[int, str]) -> Step:
    decision = judged.get(event.position)
    is_of_seat = event.by.startswith("seat:")
    return Step(
        position=event.position,
        at=event.at,
        sentence=said[event.position],
        seat=event.seat if is_of_seat or event.made.get("called") else 0,
        is_decision=decision is not None if judged else is_of_seat,
        is_signed=decision.is_signed if decision and is_of_seat else None,
        is_timed=bool(event.made.get("called")),
        is_quiet=_is_quiet(event),
    )


def _is_quiet(event: HandEvent) -> bool:
    return event.type in _QUIET or event.type.startswith("deck_")
