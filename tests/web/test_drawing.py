from threading import Thread
from typing import Any, cast

import msgspec
import pytest
from jinja2 import Environment

from service.cards import PACK, UNKNOWN
from service.games import EVENTS, GAMES
from service.web import pages_app
from service.web.asking.shared_drawings import Shared, SharedDrawings
from service.web.asking.viewer import PageParts
from service.web.drawing import event_lines, table_drawing, wording
from service.web.drawing.event_lines import EventLine, Transfer
from tests.clocks import Clock
from tests.event_store.recorded_lines import lines as recorded

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


def games_of(event: str) -> list[str]:
    found = [game.name for game in GAMES.values() if EVENTS[event] in game.events]
    assert found
    return found


def told(jinja: Environment, game: str, leaf: dict[str, Any]) -> EventLine:
    (line,) = event_lines.lines(jinja, game, [{"leaf": leaf}])
    return line


def test_each_recorded_event_is_told_in_a_sentence(jinja: Environment) -> None:
    leaves = [msgspec.json.decode(line.data) for line in recorded()]
    newest = [leaf for leaf in leaves if leaf["type"] in EVENTS and set(leaf["pub"]) <= members(leaf["type"])]
    for leaf in newest:
        for game in games_of(leaf["type"]):
            line = told(jinja, game, leaf)
            assert line.words.endswith(".")
            assert line.words[0].isupper() or line.words[0].isdigit()
    assert {leaf["type"] for leaf in newest} == set(EVENTS)


def members(event: str) -> set[str]:
    return {*EVENTS[event].__struct_fields__}


@pytest.mark.parametrize("event", EVENTS)
def test_each_type_of_event_has_words_of_its_own(jinja: Environment, event: str) -> None:
    for game in games_of(event):
        templates = [jinja.get_template(f"games/events/{name}.html") for name in (game, "shared")]
        assert any(hasattr(template.module, event) for template in templates)


def test_an_event_of_a_game_without_words_is_told_by_its_type_and_its_transfers(jinja: Environment) -> None:
    pub = {"transfers": [["stack:1", "centre", 2, "chips", "9"], ["pot", "stack:2", 1, "chips", "9"]]}
    line = told(jinja, "another", {"type": "pot_split", "position": 3, "at": "", "pub": pub})
    assert line.words == "Pot split. 2 from the stack of seat 1 to the centre, 1 from the pot to the stack of seat 2."


def test_what_players_chose_is_escaped_in_a_sentence(jinja: Environment) -> None:
    pub = {"player": "<script>", "number": 1}
    line = told(jinja, "another", {"type": "player_invited", "position": 3, "at": "", "pub": pub})
    assert "<script" not in line.words


def test_the_last_command_moved_what_its_events_moved() -> None:
    first, second = Transfer("a", "b", 1, "chips", ""), Transfer("b", "c", 2, "chips", "")
    decisions = [line([first], is_decision=True), line([second], is_decision=True), line([first], is_decision=False)]
    assert event_lines.last_command(decisions) == [second, first]
    assert event_lines.last_command([]) == []


def line(transfers: list[Transfer], *, is_decision: bool) -> EventLine:
    return EventLine(1, "", cast("Any", ""), transfers, is_decision)


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


def test_words_for_seats_counts_and_places() -> None:
    assert wording.seats([]) == "no seat"
    assert wording.seats([3]) == "seat 3"
    assert wording.seats([1, 2, 4]) == "seats 1, 2 and 4"
    assert [wording.counted(1, "piece"), wording.counted(1200, "piece")] == ["1 piece", "1,200 pieces"]
    assert [wording.account("stack:3"), wording.account("centre")] == ["the stack of seat 3", "the centre"]
    assert wording.places([2, "auction", 1, 2]) == "seats 1 and 2 and the auction"
    assert wording.places([2, "aside"]) == "seat 2 and the side of the table"
    assert wording.deck("tbl_1/12") == "deck 12"


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
    assert drawings.get("a", 7, lambda: make(7)) == "at 7"  # too old to be kept
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
