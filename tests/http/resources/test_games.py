"""`/v1/games`: the games of the service, with their authors, options, actions, rules and rulings."""

import re
from typing import Any

from service.games import CURRENT
from service.http.resources.actions import ACTION
from tests.http.service import Service, accepted, refused


def test_every_game_names_its_author_and_the_year(quick_service: Service) -> None:
    items = accepted(quick_service.spectator.get("/v1/games")).json["items"]
    credits_ = {one["game"]: (one["credit"]["title"], one["credit"]["author"], one["credit"]["year"]) for one in items}
    assert credits_.keys() == CURRENT.keys()
    assert (
        credits_.items()
        >= {
            "bankrupt": ("Bankrupt", "Aidan-B. Howard", 2011),
            "insurance": ("Insurance", "Mark Steere", 2022),
            "insurance_hearts": ("Insurance Hearts", "Daniel Calizaya", 0),  # The sheet names no year.
        }.items()
    )
    for one in items:
        assert one["credit"]["sheet_sha256"] == CURRENT[one["game"]].sheet.sha256
    seats = {one["game"]: one["seats"] for one in items}
    assert seats["bankrupt"] == {"least": 2, "most": 17, "default": 4}
    assert seats["insurance"] == {"least": 2, "most": 52, "default": 4}
    assert seats["insurance_hearts"] == {"least": 4, "most": 4, "default": 4}


def test_a_game_lists_its_options_with_defaults_and_ranges(quick_service: Service) -> None:
    game = accepted(quick_service.spectator.get("/v1/games/bankrupt")).json
    options = {one["name"]: one for one in game["options"]}
    assert set(options) == {"buy_in", "max_dead_rounds", "max_throw_ins_in_a_row", "show_one_card"}
    buy_in = options["buy_in"]
    assert (buy_in["type"], buy_in["default"], buy_in["least"], buy_in["most"]) == ("integer", 50, 1, 1_000_000)
    assert "Rule 4" in buy_in["description"]
    assert (options["show_one_card"]["type"], options["show_one_card"]["default"]) == ("boolean", False)


def test_an_option_may_be_one_of_several_words_or_a_list_of_numbers(quick_service: Service) -> None:
    game = accepted(quick_service.spectator.get("/v1/games/insurance")).json
    options = {one["name"]: one for one in game["options"]}
    form, bets = options["form"], options["standard_bets"]
    assert (form["type"], form["values"], form["default"]) == ("text", ["gambling", "non_gambling"], "gambling")
    assert (bets["type"], bets["values"], bets["default"], bets["least"], bets["most"]) == (
        "integers",
        [],
        [],
        10,
        1_000_000,
    )


def test_a_game_lists_its_actions(quick_service: Service) -> None:
    actions = {one["type"]: one for one in accepted(quick_service.spectator.get("/v1/games/bankrupt")).json["actions"]}
    assert {"deal_hand", "exchange_card", "offer_upping", "start_game", "call_time", "close_table"} <= set(actions)
    (card,) = actions["exchange_card"]["members"]
    assert (card["name"], card["least"], card["most"], card["default"]) == ("card", 1, 2, None)
    assert (actions["call_time"]["for_host"], actions["hold_cards"]["for_host"]) == (True, False)
    assert (actions["resign"]["is_rare"], actions["hold_cards"]["is_rare"]) == (True, False)
    assert actions["hold_cards"]["members"] == []


def test_the_listed_members_of_an_action_are_the_members_of_its_example(quick_service: Service) -> None:
    for game in CURRENT:
        for kind in accepted(quick_service.spectator.get(f"/v1/games/{game}")).json["actions"]:
            example = ACTION.variants[kind["type"]].example
            for member in kind["members"]:
                _must_fit(example.get(member["name"], member["default"]), member)


def _must_fit(value: object, member: dict[str, Any]) -> None:
    kinds = {"integer": int, "boolean": bool, "text": str, "integers": int, "texts": str}
    several = value if isinstance(value, list) else [value]
    assert member["type"].endswith("s") is isinstance(value, list), member
    for one in several:
        assert type(one) is kinds[member["type"]], member
        assert re.search(member["form"], str(one)), member
    if isinstance(value, list):
        assert member["fewest"] <= len(value) <= member["largest"] or member["largest"] == 0


def test_a_game_tells_its_rules_in_our_words_by_the_names_that_payouts_cite(quick_service: Service) -> None:
    rules = accepted(quick_service.spectator.get("/v1/games/bankrupt")).json["rules"]
    assert list(rules) == [*map(str, range(1, 21)), "option 1", "option 2"]
    assert rules["8"] == CURRENT["bankrupt"].sheet.rules["8"]


def test_a_game_lists_its_rulings_and_the_common_rulings(quick_service: Service) -> None:
    rulings = accepted(quick_service.spectator.get("/v1/games/bankrupt")).json["rulings"]
    assert set(CURRENT["bankrupt"].rulings) <= set(rulings)
    assert {f"G.{number}" for number in range(1, 9)} <= set(rulings)
    assert "four" in rulings["B1.1"] or "4" in rulings["B1.1"]


def test_a_game_that_is_not_played_here_is_not_found(quick_service: Service) -> None:
    refused(quick_service.spectator.get("/v1/games/poker"), 404, "game_must_exist")
