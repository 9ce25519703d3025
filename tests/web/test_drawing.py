from threading import Thread
from typing import Any, cast

import pytest
from jinja2 import Environment

from service.cards import PACK, UNKNOWN
from service.web import pages_app
from service.web.asking.shared_drawings import Shared, SharedDrawings
from service.web.asking.viewer import PageParts
from service.web.drawing import event_lines, table_drawing, wording
from service.web.drawing.event_lines import EventLine, Transfer
from tests.clocks import Clock

TABLE: dict[str, Any] = {
    "balances": {"stack:1": 5, "stack:2": 3, "centre": 2},
    "seats": [
        {"seat": 1, "player": "own_1", "accounts": {"stack": 5}},
        {"seat": 2, "player": "own_2", "accounts": {"stack": 3}},
    ],
    "you": 2,
    "due": ["seat:1"],
    "winners": [],
    "status": "playing",
}


@pytest.fixture(scope="module")
def jinja() -> Environment:
    return pages_app.make(cast("PageParts", None)).jinja_env


def item(kind: str, pub: dict[str, Any], by: str = "service", **seen: list[dict[str, Any]]) -> dict[str, Any]:
    leaf = {"type": kind, "position": 3, "at": "", "by": by, "pub": pub}
    return {"leaf": leaf, "openings": [], "fields": [], **seen}


def told(one: dict[str, Any], game: str = "another") -> EventLine:
    (line,) = event_lines.lines(game, [one])
    return line


def test_a_line_has_the_sentence_of_its_event_and_what_the_event_moved() -> None:
    line = told(item("hand_dealt", {"dealer": 2, "hand": 4, "transfers": [["stack:1", "centre", 2, "chips", "9"]]}))
    assert (line.position, line.words) == (3, "Seat 2 dealt hand 4.")
    assert line.transfers == [Transfer("stack:1", "centre", 2, "chips", "9")]


def test_a_line_names_the_cards_and_the_sealed_values_that_the_viewer_may_see() -> None:
    pub = {"cards": [[0, 1], [1, 2]]}
    assert told(item("cards_dealt", pub)).words == "Seat 1 was dealt ??. Seat 2 was dealt ??."
    seen = item("cards_dealt", pub, openings=[{"pos": 1, "face": "Qs"}])
    assert told(seen).words == "Seat 1 was dealt ??. Seat 2 was dealt Qs."
    fields = [{"position": 3, "field": "number", "value": 6}, {"position": 2, "field": "earlier", "value": 7}]
    words = told(item("number_written", {}, by="seat:1", fields=fields)).words
    assert "6" in words
    assert "7" not in words


def test_the_last_command_moved_what_its_events_moved() -> None:
    first, second = Transfer("a", "b", 1, "chips", ""), Transfer("b", "c", 2, "chips", "")
    decisions = [line([first], is_decision=True), line([second], is_decision=True), line([first], is_decision=False)]
    assert event_lines.last_command(decisions) == [second, first]
    assert event_lines.last_command([]) == []


def line(transfers: list[Transfer], *, is_decision: bool) -> EventLine:
    return EventLine(1, "", "", transfers, is_decision)


def test_the_viewer_sits_at_the_bottom_and_moved_chips_are_marked() -> None:
    moved = [Transfer("stack:1", "centre", 2, "chips", ""), Transfer("stack:2", "centre", 1, "chips", "")]
    drawn = table_drawing.draw(TABLE, moved)
    assert [(seat.number, seat.place, seat.is_you, seat.is_due) for seat in drawn.seats] == [
        (2, 0, True, False),
        (1, 1, False, True),
    ]
    assert {name: amount.moved for name, amount in drawn.amounts.items()} == {"stack:1": -2, "stack:2": -1, "centre": 3}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "Seat 1 decides now."),
        ({"due": ["seat:1", "seat:2"]}, "Seats 1 and 2 decide now."),
        ({"due": ["host"]}, "The host decides now."),
        ({"due": []}, "Nobody has to decide now."),
        ({"status": "open", "due": ["host"]}, "Players take seats; the host starts the game."),
        ({"status": "closed"}, "The host closed the table."),
        ({"status": "finished", "winners": [2]}, "The game is over: seat 2 won."),
        ({"status": "finished"}, "The game is over."),
    ],
)
def test_a_drawing_says_who_decides(changes: dict[str, Any], said: str) -> None:
    assert table_drawing.waits({**TABLE, **changes}) == said


def test_words_for_seats_and_counts() -> None:
    assert [wording.seats(numbers) for numbers in ([], [3], [1, 2, 4])] == ["no seat", "seat 3", "seats 1, 2 and 4"]
    assert [wording.counted(1, "piece"), wording.counted(1200, "piece")] == ["1 piece", "1,200 pieces"]


@pytest.mark.parametrize("value", [*PACK, UNKNOWN])
def test_a_face_is_known_from_other_words(jinja: Environment, value: str) -> None:
    shown = jinja.from_string("{% for one in given %}{{ one is face }} {% endfor %}")
    assert shown.render(given=[value, f"{value} ", [value], 2]) == "True False False False "


def test_a_drawing_for_spectators_is_made_once_for_all_who_ask_after_an_event() -> None:
    clock, drawings, made = Clock(), None, []

    def make(position: int) -> Shared:
        made.append(position)
        return Shared(f"at {position}", position)

    drawings = SharedDrawings(clock)
    assert [drawings.get("a", 5, lambda: make(5)) for _ in range(3)] == ["at 5"] * 3
    assert drawings.get("b", 2, lambda: make(2)) == "at 2"  # another table
    assert drawings.get("a", 6, lambda: make(7)) == "at 7"  # a later event
    assert drawings.get("a", 5, lambda: make(7)) == "at 7"
    assert made == [5, 2, 7]
    clock.seconds += 2
    assert drawings.get("a", 7, lambda: make(7)) == "at 7"  # the cached drawing has expired
    assert made == [5, 2, 7, 7]


def test_drawings_of_few_tables_are_kept_and_no_error() -> None:
    drawings = SharedDrawings(Clock())

    def fail() -> Shared:
        raise LookupError

    with pytest.raises(LookupError):
        drawings.get("t0", 1, fail)
    for number in range(100):
        drawings.get(f"t{number}", 1, lambda number=number: Shared(str(number), 1))  # type: ignore[misc]
    assert drawings.get("t99", 1, fail) == "99"
    with pytest.raises(LookupError):
        drawings.get("t0", 1, fail)


def test_a_drawing_that_takes_long_holds_nobody_up() -> None:
    drawings, others = SharedDrawings(Clock()), []

    def make_slowly() -> Shared:
        other = Thread(target=lambda: others.append(drawings.get("a", 1, lambda: Shared("quick", 1))))
        other.start()
        other.join()  # while this drawing is being made
        return Shared("slow", 1)

    assert drawings.get("a", 1, make_slowly) == "slow"
    assert others == ["quick"]
