"""Forms for the actions of an invented game, and the sentence that says who must decide."""

from typing import Any

import pytest

from service.web.playing import action_forms, sent_forms, turn_words
from service.web.playing.sent_forms import FormIsBroken

GAME = {
    "actions": [
        {
            "type": "call_trumps",
            "summary": "Call trumps.",
            "for_host": False,
            "is_rare": False,
            "members": [
                {"name": name, "description": f"The {name}.", "type": kind, "form": ""}
                for name, kind in (("level", "text"), ("points", "integer"), ("alone", "boolean"), ("cards", "texts"))
            ],
        }
    ]
}


def item(**changes: object) -> dict[str, Any]:
    action: dict[str, object] = {"type": "call_trumps", "level": "low", "points": 3, "alone": False, "cards": ["2c"]}
    free = {"bounds": [{"member": "points", "least": 3, "most": 90}]}
    cards = {"choices": [{"member": "cards", "among": ["2c", "Ks", "9h"], "count": 2}]}
    return {"action": {**action, **changes}, **free, **cards, "to_fill": [], "rule": "7", "ruling": ""}


def test_actions_that_differ_in_one_member_share_a_form() -> None:
    (form,) = action_forms.forms([item(), item(level="very_high")], GAME)
    level, points, cards = form.fields
    assert [(one.value, one.words, one.is_chosen) for one in level.options] == [
        ("low", "low", True),
        ("very_high", "very high", False),
    ]
    assert (points.kind, points.least, points.most, points.value) == ("number", 3, 90, "3")
    assert (cards.kind, cards.count, [one.is_card for one in cards.options]) == ("some", 2, [True] * 3)
    sent = {"action": [form.action], "m.level": ["very_high"], "m.points": ["40"], "m.cards": ["Ks", "9h"]}
    meant = {"type": "call_trumps", "alone": False, "level": "very_high", "points": 40, "cards": ["Ks", "9h"]}
    assert sent_forms.action_of(sent, GAME) == meant


def test_actions_that_differ_in_more_members_have_forms_of_their_own() -> None:
    forms = action_forms.forms([item(), item(level="high"), item(alone=True)], GAME)
    assert [sent_forms.action_of({"action": [form.action]}, GAME)["alone"] for form in forms] == [False, False, True]


@pytest.mark.parametrize("action", ["", "1", "[]", "{"])
def test_what_means_no_action_is_told(action: str) -> None:
    with pytest.raises(FormIsBroken, match="must have a JSON object"):
        sent_forms.action_of({"action": [action]}, GAME)


@pytest.mark.parametrize(
    ("table", "listed", "said"),
    [
        ({"status": "playing", "you": 2}, {"due": ["seat:2"]}, "It is your turn."),
        ({"status": "playing", "you": 2}, {"due": ["seat:1", "seat:3", "seat:4"]}, "Seats 1, 3 and 4 must decide."),
        ({"status": "playing", "you": 2}, {"due": ["seat:1", "host"]}, "Seat 1 and the host must decide."),
        ({"status": "playing", "you": 2}, {"due": ["host"]}, "The host must decide."),
        ({"status": "playing", "you": 0}, {"due": [], "seeds_awaited": ["seat:3"]}, "Seat 3 must still add a seed."),
        ({"status": "finished", "you": 2, "winners": [2]}, {"due": []}, "The game is over. You have won."),
        ({"status": "finished", "you": 2, "winners": [1, 3]}, {"due": []}, "The game is over. Seats 1 and 3 won."),
        ({"status": "open", "you": 1}, {"due": ["host"]}, "The game has not started yet. The host starts it."),
    ],
)
def test_a_sentence_says_who_must_decide(table: dict[str, Any], listed: dict[str, Any], said: str) -> None:
    assert turn_words.said(table, {"seeds_awaited": [], **listed}, is_host=False) == said
