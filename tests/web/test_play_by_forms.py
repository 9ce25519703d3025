"""`/play/{table}` in a browser without scripts: a form for each action in the API's list."""

from typing import Any

import msgspec
import pytest

from service.games import CURRENT
from tests import seeds
from tests.http.service import accepted
from tests.web.playing import FormPlayer, House, SentForm, forms_of
from tests.web.world import Visitor

_MOST_MOVES = 400
_GAME_OF_RUN = seeds.drawn("the game that is played by forms", tuple(CURRENT))
EACH_GAME = [pytest.param(game, marks=[] if game == _GAME_OF_RUN else [pytest.mark.full]) for game in CURRENT]


@pytest.fixture
def dealt(home: House) -> FormPlayer:
    """Return a player who must decide at a table of Bankrupt, where no bot plays."""
    seat = home.open("bankrupt", {"buy_in": 9})
    other = home.service.person("play")
    accepted(other.post(f"{seat.api}/seats", {"chips": 9}), 201)
    accepted(home.host.do(seat.api, "start_game"))
    people = {1: seat.person, 2: other}
    dealer = seat.shown()["view"]["dealer"]
    accepted(people[dealer].do(seat.api, "deal_hand"))
    while seat.shown()["due"] != ["seat:1"]:
        accepted(other.do(seat.api, "hold_cards"))
    return FormPlayer(home, seat)


@pytest.mark.parametrize("game", EACH_GAME)
def test_a_whole_game_is_played_by_forms(home: House, game: str) -> None:
    seat = home.open(game)
    player = FormPlayer(home, seat)
    kinds = []
    with home.with_bots(seat):
        while seat.is_due():
            kinds.append(player.move())
            assert len(kinds) < _MOST_MOVES
    assert kinds
    shown = player.visitor.page(seat.page)
    assert "The game is over." in shown
    accepted(seat.person.get(f"{seat.api}/hands/1/adjudication"))


def test_each_listed_action_has_its_values_in_a_form(home: House) -> None:
    seat = home.open("insurance_hearts")
    player = FormPlayer(home, seat)
    forms: dict[str, SentForm] = {}
    listed: dict[str, Any] = {}
    with home.with_bots(seat):
        while seat.is_due() and not forms.keys() >= {"write_slip", "pass_cards", "place_bid"}:
            (form, *_) = player.moves()
            forms.setdefault(form.kind, form)
            listed.setdefault(form.kind, accepted(seat.person.get(f"{seat.api}/actions")).json["items"])
            player.move()
    assert forms["write_slip"].options == {"m.insurance": [*"0123456"], "m.foot": ["false", "true"]}
    assert len(forms["pass_cards"].options["m.cards"]) == 12
    assert forms["pass_cards"].counts == {"m.cards": 3}
    bids = [one["action"] for one in listed["place_bid"] if one["action"]["type"] == "place_bid"]
    assert forms["place_bid"].options["m.card"] == [bid["card"] for bid in bids]
    assert forms["place_bid"].fields["m.points"] == [str(bids[0]["points"])]


def test_a_refusal_names_its_rule_beside_the_form_and_keeps_what_was_typed(home: House) -> None:
    seat = home.open("insurance", {"first_banker": 2})
    player = FormPlayer(home, seat)
    other = home.service.person("play")
    accepted(other.post(f"{seat.api}/seats", {"chips": 100}), 201)
    accepted(home.host.do(seat.api, "start_game"))
    form = next(form for form in player.moves() if form.kind == "place_bet")
    answer = player.send(form, chips="9")
    assert answer.status_code == 409
    beside = answer.text.partition('data-type="place_bet"')[2].partition("</form>")[0]
    assert 'role="alert"' in beside
    assert "Rule BET of Insurance, by Mark Steere" in beside
    assert "ruling I-BET" in beside
    assert 'value="9"' in beside
    words = player.send(form, chips="some")
    assert (words.status_code, 'value="some"' in words.text) == (422, True)


def test_a_form_that_is_sent_twice_is_recorded_once(dealt: FormPlayer) -> None:
    form = next(form for form in dealt.moves() if form.kind == "hold_cards")
    assert dealt.send(form).status_code == 303
    position = dealt.seat.shown()["position"]
    assert dealt.send(form).status_code == 303
    assert dealt.seat.shown()["position"] == position


def test_of_two_tabs_the_later_one_sees_the_table_as_it_is_now(dealt: FormPlayer) -> None:
    one, other = dealt.moves()[0], next(form for form in dealt.moves() if form.kind == "throw_in")
    assert dealt.send(one).status_code == 303
    answer = dealt.send(other)
    assert answer.status_code == 412
    assert "The table has moved on" in answer.text
    assert f'data-position="{dealt.seat.shown()["position"]}"' in answer.text


def test_of_two_tabs_with_the_same_form_the_later_one_sees_the_table_too(home: House) -> None:
    seat = home.open("insurance", {"first_banker": 2})
    player, other = FormPlayer(home, seat), home.service.person("play")
    accepted(other.post(f"{seat.api}/seats", {"chips": 100}), 201)
    accepted(home.host.do(seat.api, "start_game"))
    form = next(form for form in player.moves() if form.kind == "place_bet")
    assert player.send(form, chips="10").status_code == 303
    answer = player.send(form, chips="20")
    assert (answer.status_code, "The table has moved on" in answer.text) == (422, True)
    assert seat.shown()["balances"]["bet:1"] == 10


def test_a_form_without_the_token_of_the_page_does_nothing(dealt: FormPlayer) -> None:
    form = dealt.moves()[0]
    position = dealt.seat.shown()["position"]
    sent = form.filled() | {"form_token": ["0" * 64]}
    assert dealt.visitor.client.post(form.action, data=sent).status_code == 403
    to_sign = dealt.visitor.client.post(f"{form.action}/to-sign", data=b'{"type":"hold_cards"}')
    assert to_sign.status_code == 403
    assert dealt.seat.shown()["position"] == position


_BROKEN = ("", "[]", "{", '"hold_cards"', '{"type": "no_such_action"}', '{"more": 1}', '{"type": []}', '{"type": {}}')
_TOO_DEEP = (f'{{"type": {"[" * 20_000}', f'{{"type": "hold_cards", "more": {"[" * 900}{"]" * 900}}}')


@pytest.mark.parametrize("action", [*_BROKEN, *_TOO_DEEP])
def test_a_broken_form_gets_a_clear_error_and_the_page(dealt: FormPlayer, action: str) -> None:
    form = dealt.moves()[0]
    answer = dealt.visitor.client.post(form.action, data=form.filled() | {"action": [action]})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert dealt.moves()[0].kind == form.kind


def test_a_person_takes_a_seat_and_the_host_starts_the_game_by_forms(home: House) -> None:
    body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 7}}
    table = accepted(home.host.post("/v1/tables", body), 201).json["table"]
    for person in (home.service.person("play"), home.service.person("play"), home.host):
        visitor = Visitor(home.service, person.token)
        form = next(form for form in forms_at(visitor, table) if form[0] in {"take_seat", "start_game"})
        assert visitor.client.post(f"/play/{table}", data=form[1]).status_code == 303
    shown = accepted(home.host.get(f"/v1/tables/{table}")).json
    assert (shown["status"], [seat["accounts"]["stack"] > 0 for seat in shown["seats"]]) == ("playing", [True, True])


def forms_at(visitor: Visitor, table: str) -> list[tuple[str, dict[str, list[str]]]]:
    return [(form.kind, form.filled()) for form in forms_of(visitor.page(f"/play/{table}"))]


def test_a_table_with_players_seeds_says_what_it_needs_before_somebody_sits_down(home: House) -> None:
    body = {"game": "bankrupt", "seats": 2, "seeds": "players"}
    table = accepted(home.host.post("/v1/tables", body), 201).json["table"]
    shown = Visitor(home.service, home.service.person("play").token).page(f"/play/{table}")
    assert "each player adds a seed of their own to each deck" in shown
    assert "take_seat" in shown


def test_a_spectator_is_asked_to_sign_in_and_comes_back_to_the_table(home: House) -> None:
    seat = home.open("bankrupt")
    spectator = Visitor(home.service)
    assert f'href="/sign-in?to=/play/{seat.table}"' in spectator.page(seat.page)
    answer = spectator.post("/sign-in", key=seat.person.token, to=seat.page)
    assert answer.headers["Location"] == seat.page
    for elsewhere in ("//example.org", "https://example.org/play/x", "/play/../sign-out", ""):
        visitor = Visitor(home.service)
        assert visitor.post("/sign-in", key=seat.person.token, to=elsewhere).headers["Location"] == "/tables"


def test_what_to_sign_is_told_to_the_player_alone(dealt: FormPlayer, home: House) -> None:
    token = dealt.moves()[0].fields["form_token"][0]
    headers = {"Form-Token": token, "Idempotency-Key": "sign"}
    path, body = f"{dealt.seat.page}/to-sign", msgspec.json.encode({"type": "hold_cards"})
    told = dealt.visitor.client.post(path, data=body, headers=headers)
    me = accepted(dealt.seat.person.get(f"{dealt.seat.api}/me")).json
    listed = accepted(dealt.seat.person.get(f"{dealt.seat.api}/actions")).json
    assert told.json == {
        "seat": 1,
        "command_secret": me["command_secret"],
        "sign_from": listed["signing"]["sign_from"],
        "seals": None,
    }
    assert told.headers["Cache-Control"] == "no-store"
    stranger = Visitor(home.service, home.service.person("play").token)
    (form, *_) = forms_at(stranger, dealt.seat.table)
    headers["Form-Token"] = form[1]["form_token"][0]
    assert stranger.client.post(path, data=body, headers=headers).status_code == 403
