"""The examples of the OpenAPI document: the service accepts the requests, and the responses match their schemas."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from werkzeug.test import TestResponse

from service import deck
from service.api_keys.repository import SCOPES
from service.cards import PACK
from service.deck import Deck
from service.games import CURRENT
from service.games.common_commands import CommitSeed, RevealSeed
from service.games.game import type_name
from service.http import api
from service.http.openapi import examples
from service.http.resources.actions import ACTION
from tests.games.facts import buy_in_of
from tests.games.seeded import SeededTable
from tests.http import contract
from tests.http.disputes import Case
from tests.http.openapi import answer_examples
from tests.http.service import Person, Service, Table, accepted
from tests.http.signer import Signer

OPERATIONS: Final[dict[str, tuple[str, str, list[Any], Any]]] = {
    operation["operationId"]: (
        method.upper(),
        path,
        [*parameters.get("parameters", ()), *operation["parameters"]],
        operation,
    )
    for path, parameters in api.document()["paths"].items()
    for method, operation in parameters.items()
    if method != "parameters" and operation.setdefault("parameters", []) is not None
}
OF_DISPUTES: Final = {name: operation for name, operation in OPERATIONS.items() if "/disputes" in operation[1]}
OF_GUESTS: Final = frozenset({"invite_player", "withdraw_invitation", "decline_invitation"})
OF_SEEDS: Final = frozenset({"commit_seed", "reveal_seed"})
RARE: Final = {type_name(kind) for game in CURRENT.values() for kind in game.commands if kind.IS_RARE}
UNUSUAL: Final = OF_GUESTS | RARE | {"leave_seat", "close_table", "call_time"}
ACTIONS: Final[dict[str, Any]] = OPERATIONS["do_action"][3]["requestBody"]["content"]["application/json"]["examples"]
OF_CARDS: Final = frozenset(
    name
    for name, example in ACTIONS.items()
    for value in example["value"].values()
    if set(PACK) & {*(value if isinstance(value, list) else [value])}
)
"""Actions that name cards: they are accepted only if the named cards are in the right hand or on the table."""


def _bodies(name: str) -> dict[str, Any]:
    """Return the example bodies of an operation, by their names."""
    if "requestBody" not in OPERATIONS[name][3]:
        return {"": None}
    (media,) = OPERATIONS[name][3]["requestBody"]["content"].values()
    return {said: example["value"] for said, example in media["examples"].items()}


EXAMPLES = [
    pytest.param(name, body, id=f"{name} {said}".strip())
    for name in OPERATIONS
    if name != "do_action" and name not in OF_DISPUTES
    for said, body in _bodies(name).items()
]


def _asked(who: Person, name: str, parts: dict[str, str], body: Any) -> TestResponse:
    """Send the examples of all parameters of an operation, and *body*; *parts* replace values in its path and query."""
    method, path, parameters, _ = OPERATIONS[name]
    given = {place: {one["name"]: one["example"] for one in parameters if one["in"] == place} for place in _PLACES}
    query = "&".join(f"{member}={_as_text(parts.get(member, value))}" for member, value in given["query"].items())
    more = {} if body is None else {"json": body}
    filled = path.format(**{**given["path"], **parts})
    return who.send(method, filled + (f"?{query}" if query else ""), headers=given["header"], **more)


_PLACES: Final = ("path", "query", "header")


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_input_of_an_operation_has_an_example(name: str) -> None:
    _, _, parameters, operation = OPERATIONS[name]
    for parameter in parameters:
        assert parameter.get("example") is not None, parameter["name"]
    assert all(_bodies(name)) or "requestBody" not in operation


@pytest.mark.parametrize(("name", "body"), EXAMPLES)
def test_an_example_gets_its_documented_status(quick_service: Service, name: str, body: Any) -> None:
    table = Table(quick_service, 2, buy_in=50)
    if name != "take_seat":
        table.seated()
        accepted(table.host.do(table.path, "start_game"))
        table.due.do(table.path, "deal_hand")
    accepted(table.host.post("/v1/keys", {}), 201)  # The new key opens the service's own stream.
    size = quick_service.keep_log().split("\n")[1]
    who = quick_service.person(*SCOPES)
    if name == "publish_checkpoint":  # Only a checkpoint of this very log can be published.
        body = {"checkpoint": accepted(who.get("/v1/log/checkpoint")).text.splitlines()}
    parts = {"table": table.id, "new": size, "key": f"key_{table.players[1].token.split('_')[1]}"}
    answer = _asked(who, name, parts, body)
    assert str(answer.status_code) in OPERATIONS[name][3]["responses"]
    assert answer.status_code < 400, answer.get_data(as_text=True)


def test_the_examples_of_answers_are_the_present_answers(tmp_path: Path) -> None:
    recorded = json.loads(examples.ANSWERS_FILE.read_text(encoding="utf-8"))
    assert answer_examples.record(tmp_path) == recorded, (
        "python -m tests.http.openapi.answer_examples records them again"
    )


def test_the_examples_of_the_steps_of_a_dispute_are_accepted_in_their_turn(quick_service: Service) -> None:
    case = Case(quick_service)
    complaints = product((*case.table.players.values(), case.table.host), range(1, 4))

    def ready(name: str) -> tuple[int, Person, dict[str, Any]]:
        """Return a dispute's number for the step *name*, the person who takes the step, and members with real ids."""
        who, hand = next(complaints)
        match name:
            case "open_dispute":
                return 0, who, {"hand": hand}
            case "answer_dispute":
                return case.opened(who, hand), case.table.host, {}
            case "withdraw_dispute":
                return case.opened(who, hand), who, {}
            case "take_dispute":
                return case.opened(who, hand), case.auditor, {}
            case "propose_correction":
                number = case.decided(who=who, hand=hand)
                return number, case.auditor, {"transfers": [case.transfer(number)]}
            case "approve_correction" | "refuse_correction":
                number, proposal = case.proposed(who=who, hand=hand)
                return number, case.approver, {"proposal": proposal}
            case _:
                return case.taken(who=who, hand=hand), case.auditor, {}

    for name in (name for name, (method, *_) in OF_DISPUTES.items() if method == "POST"):
        for body in _bodies(name).values():
            number, who, real = ready(name)
            path = OF_DISPUTES[name][1].format(table=case.table.id, dispute=number)
            assert who.post(path, {**body, **real}).status_code in {200, 201}, name
    quick_service.keep_log()
    for name in (name for name, (method, *_) in OF_DISPUTES.items() if method == "GET"):
        accepted(_asked(case.auditor, name, {"table": case.table.id}, None))


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_answer_has_an_example_that_has_its_shape(name: str) -> None:
    document = api.document()
    for status, response in OPERATIONS[name][3]["responses"].items():
        for form, media in response.get("content", {}).items():
            if form in examples.WITHOUT_EXAMPLES:
                assert "examples" not in media
                continue
            assert media["examples"], f"{status} {form}: tests/http/openapi/answer_examples.py records them"
            for example in media["examples"].values():
                named = example.get("$ref", "").rpartition("/")[2]
                value = document["components"]["examples"][named]["value"] if named else example["value"]
                contract.ours().validate(media["schema"], value)


def test_every_action_has_an_example() -> None:
    assert ACTIONS.keys() == ACTION.variants.keys()
    assert all(example["value"]["type"] == name for name, example in ACTIONS.items())


def test_every_example_of_an_action_is_accepted_in_its_phase(quick_service: Service) -> None:
    left = {name: example["value"] for name, example in ACTIONS.items() if name not in OF_CARDS | OF_GUESTS | OF_SEEDS}
    for first in ("close_table", "leave_seat"):
        table = Table(quick_service, 3).seated()
        _do(table.host if first == "close_table" else table.players[1], table, left.pop(first))
    _sign_examples(table, left)
    start = left.pop("start_game")
    for game in CURRENT:
        others = {type_name(kind) for other, one in CURRENT.items() if other != game for kind in one.commands}
        table = _started(quick_service, game, start)
        for _ in range(2_000):
            if not left.keys() - others:
                break
            if not _do_what_is_left(table, left, is_last=left.keys() - others == {"resign"}):
                table = _started(quick_service, game, start)  # The game ended before every example was possible.
    assert left == {}, "These examples were never possible."


def _sign_examples(table: Table, left: dict[str, Any]) -> None:
    """Register the example key, whose private key is in RFC 8032, and end it; remove both actions from *left*."""
    key = Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
    signer, action = Signer(table.players[2], table.path, key), left.pop("register_signing_key")
    accepted(signer.person.post(f"{table.path}/actions", {**action, "sig": signer.sig(action, "sign")}, key="sign"))
    _do(signer.person, table, left.pop("end_signing_key"))


def test_the_examples_of_seeds_are_accepted_at_the_table_that_they_name() -> None:
    commitment, seed = ({**ACTIONS[name]["value"]} for name in ("commit_seed", "reveal_seed"))
    table = SeededTable(next(iter(CURRENT.values())), table=commitment["epoch"].partition("/")[0]).started(2)
    del commitment["type"], seed["type"]
    table.do(CommitSeed(by="seat:1", **commitment), table.commitment(2), RevealSeed(by="seat:1", **seed))


def test_every_example_of_an_action_about_invitations_is_accepted_in_its_turn(quick_service: Service) -> None:
    examples = {name: ACTIONS[name]["value"] for name in OF_GUESTS}
    table = Table(quick_service, 2)
    guest = quick_service.person("play", owner=examples["invite_player"]["player"])
    for who, name in (
        (table.host, "invite_player"),
        (table.host, "withdraw_invitation"),
        (table.host, "invite_player"),
        (guest, "decline_invitation"),
    ):
        _do(who, table, examples[name])


def test_every_example_of_an_action_that_names_cards_is_accepted_with_such_cards(quick_service: Service) -> None:
    assert {type_name(kind) for kind in CURRENT["insurance_hearts"].commands} >= OF_CARDS, "Try the others too."
    examples = {name: ACTIONS[name]["value"] for name in OF_CARDS}
    quick_service.parts.sealed_store.shuffle = _with_the_cards_of_examples
    for bid in ("place_bid", "make_no_bid"):
        table = Table(quick_service, 4, game="insurance_hearts", insurance=False, foot=False).started()
        _do(table.due, table, {"type": "deal_hand"})
        giver = next(seat for seat in table.players if "Qs" in _hand(table, seat))
        receiver = giver % 4 + 1
        _do_all(table, "pass_cards", {giver: examples["pass_cards"]})
        _do_all(table, "make_no_bid", {receiver: examples[bid]})
        if bid == "make_no_bid":
            _do(table.due, table, examples["choose_leftover"])
        while table.view()["view"]["phase"] == "choosing":
            _do_all(table, "choose_leftover", {})
        assert table.due is table.players[receiver]
        _do(table.due, table, examples["play_card"])


def _do_all(table: Table, kind: str, chosen: dict[int, Any]) -> None:
    """Let each player who is due take the action in *chosen*, or the first listed action of the type *kind*."""
    for due in table.view()["due"]:
        seat = int(due.removeprefix("seat:"))
        listed = accepted(table.players[seat].get(f"{table.path}/actions")).json["items"]
        first = next(item["action"] for item in listed if item["action"]["type"] == kind)
        _do(table.players[seat], table, chosen.get(seat, first))


def _hand(table: Table, seat: int) -> list[str]:
    hand: list[str] = table.view(table.players[seat])["view"]["hands"][str(seat)]
    return hand


def _with_the_cards_of_examples(epoch: str, seed: bytes, clients: Mapping[int, bytes]) -> Deck:
    """Shuffle so that the first player has the cards of the example `pass_cards`, and `place_bid` can bid for Ts."""
    made = deck.shuffle(epoch, seed, clients)
    order = list(made.order)
    for position, face in ((0, "2c"), (4, "Qs"), (8, "Ah"), (48, "Ts")):
        other = order.index(face)
        order[position], order[other] = order[other], order[position]
    return replace(made, order=tuple(order))


def _started(service: Service, game: str, start: Any) -> Table:
    options: Any = {"buy_in": 50} if buy_in_of(game, {}) else {}
    table = Table(service, CURRENT[game].seats.default, game=game, **options).seated()
    _do(table.host, table, start)
    return table


def _do_what_is_left(table: Table, left: dict[str, Any], *, is_last: bool) -> bool:
    """Take an action that is possible now: an example in *left* if there is one, otherwise a usual action.

    The example of resigning is taken only if *is_last*. Return False if no usual action is possible, because the
    game is over.
    """
    listed = [
        (who, item["action"])
        for who in (*table.players.values(), table.host)
        for item in accepted(who.get(f"{table.path}/actions")).json["items"]
    ]
    for who, action in listed:
        example = left.get(action["type"])
        if example and action.get("seat") == example.get("seat") and (action["type"] != "resign" or is_last):
            _do(who, table, left.pop(action["type"]))
            return True
    usual = [one for one in listed if one[1]["type"] not in UNUSUAL]
    if usual:
        who, action = usual[0]
        _do(who, table, action)
    return bool(usual)


def _do(who: Person, table: Table, action: Any) -> None:
    accepted(who.post(f"{table.path}/actions", action))
