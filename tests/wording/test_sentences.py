"""Each type of event of each game has a sentence; an event of any other type is put into plain words."""

import re
from typing import Any

import msgspec
import pytest

from service.event_store import leaf
from service.games import EVENTS, GAMES
from service.games.definition import Game
from service.games.game import type_name
from service.wording.common_sentences import COMMON
from service.wording.games import ROWS, SENTENCES
from service.wording.hand_events import HandEvent
from service.wording.sentences import plain, sentence
from tests.event_store.recorded_lines import lines
from tests.games.random_play import play

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
WHOLE = re.compile(r"[A-Z0-9?].*\.")
"""A whole sentence begins with a capital, a number or a card, and ends with a full stop."""
NOT_WORDS = re.compile(r"_|\bNone\b|[\[\]{}]|  |\.\.| \.|own_|tbl_")


def told(
    kind: str,
    made: dict[str, Any] | None = None,
    *,
    game: str = "",
    by: str = "service",
    dealt: tuple[tuple[int | str, str], ...] = (),
) -> str:
    """Return the sentence of an event of *kind* with the members *made*."""
    return sentence(game, HandEvent(position=7, at="", by=by, type=kind, made=made or {}, dealt=dealt))


@every_game
def test_every_type_of_event_of_a_game_has_a_sentence(game: Game) -> None:
    known = {**COMMON, **SENTENCES[game.name]}
    assert {type_name(event) for event in game.events} - set(known) == set()


def test_no_sentence_is_for_an_event_that_no_game_has() -> None:
    assert {*COMMON, *(kind for own in SENTENCES.values() for kind in own)} <= set(EVENTS)
    assert {kind for rows in ROWS.values() for kind in (rows.play, rows.end)} <= set(EVENTS)


def test_each_recorded_event_is_put_into_whole_sentences() -> None:
    for line in lines():
        found = leaf.decode(line.data)
        of = [game.name for game in GAMES.values() if found.type in map(type_name, game.events)]
        for game in of:
            said = told(found.type, msgspec.json.decode(found.pub), game=game, by=found.by)
            assert WHOLE.fullmatch(said), (found.type, said)
            assert not NOT_WORDS.search(said), (found.type, said)


@every_game
def test_each_event_of_a_random_game_is_put_into_whole_sentences(game: Game) -> None:
    for step in play(game, 5):
        for event in step.events:
            kind = type_name(type(event))
            said = told(kind, msgspec.json.decode(msgspec.json.encode(event)), game=game.name, by=step.command.by)
            assert WHOLE.fullmatch(said), (kind, said)
            assert not NOT_WORDS.search(said), (kind, said)


def test_an_event_without_a_sentence_is_put_into_words_plainly() -> None:
    event = HandEvent(position=1, at="", by="seat:2", type="coin_thrown", made={"seat": 2, "chips": 5, "is_head": True})
    assert plain(event) == "Seat 2: coin thrown (chips 5, is head)."
    assert sentence("coins", event) == plain(event)
    assert told("coins_counted") == "Coins counted."
    assert told("coin_kept", {"seat": 3, "called": "host"}) == (
        "Seat 3: coin kept. The host had called time, so the service decided."
    )


@pytest.mark.parametrize(
    ("called", "end"),
    [
        ("host", "The host had called time, so the service decided."),
        ("limit", "The time limit had run out, so the service decided."),
    ],
)
def test_a_decision_made_when_time_was_called_says_who_called_it(called: str, end: str) -> None:
    assert told("hand_dealt", {"dealer": 2, "hand": 3, "called": called}) == f"Seat 2 dealt hand 3. {end}"


def test_few_cards_are_named_and_many_are_counted() -> None:
    assert told("cards_dealt", dealt=((2, "9s"),)) == "Seat 2 was dealt 9s."
    assert told("cards_dealt", {"cards": [[7, 2], [8, "table"]]}) == ("Seat 2 was dealt ??. ?? was dealt to the table.")
    assert told("cards_dealt", dealt=(("aside", "9s"),)) == "9s was dealt to the side of the table."
    many = tuple((seat, "??") for seat in (1, 2, 3)) * 2
    assert told("cards_dealt", dealt=(*many, ("table", "2c"))) == (
        "7 cards were dealt: 2 to each of seats 1, 2 and 3, and 1 to the table."
    )
