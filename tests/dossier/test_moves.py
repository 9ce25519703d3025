"""verify.py checks signed moves and the authors of decisions; the events here are made up."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.canonical import canonical
from service.dossier import verify
from service.games import CURRENT
from service.games.game import type_name
from service.games.move import nothing_sealed
from service.merkle import leaf_hash
from tests.dossier.made_up import STREAM, Event, dossier, event

OLD, NEW = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))


def signed(leaf: Event, *keys: Ed25519PrivateKey, after: list[Event], head: int = 0) -> Event:
    """Return the decision *leaf*, signed by the player's key, and by the earlier key if there are two *keys*.

    *after* are the earlier events; the signature names the event at the position *head* (0: the last event).
    """
    head = head or len(after)
    made = {**leaf, "sig": {"position": head, "head_hash": leaf_hash(canonical(after[head - 1])).hex()}}
    names = ("signature", "previous")
    made["sig"] |= {name: key.sign(verify.move_text(made)).hex() for name, key in zip(names, keys, strict=False)}
    return made


def public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def moves() -> list[Event]:
    """Return a stream: seat 1 registers a key, moves, seals a choice, and changes and ends the key; seat 2 has none."""
    register, change = (event("signing_key_registered", 1, public_key=public(key)) for key in (OLD, NEW))
    sealed = event("bid_written", 1) | {"priv": {"bid": {"c": "0" * 64, "choice": "d" * 64}}}
    made = [event("table_opened")]
    for leaf, keys in (
        (register, (OLD,)),
        (event("card_played", 1, card="2c", breaks_hearts=True), (OLD,)),
        (sealed, (OLD,)),
        (event("card_played", 2, card="3c"), ()),
        (change, (NEW, OLD)),
        (event("card_played", 1, card="4c"), (NEW,)),
        (event("signing_key_ended", 1), ()),
        (event("card_played", 1, card="5c"), ()),
    ):
        made.append(signed(leaf, *keys, after=made) if keys else leaf)
    return made


def test_the_text_of_a_move_is_as_the_format_prescribes() -> None:
    first = event("table_opened")
    move = signed(event("card_played", 3, card="Qs"), OLD, after=[first])
    head = leaf_hash(canonical(first)).hex()
    assert verify.move_text(move) == (
        b'chiptrail/move/v1\n{"action":{"card":"Qs","type":"play_card"},"cmd":"%s","head_hash":"%s","position":1,"stream":"%s"}'
        % (b"c" * 64, head.encode(), STREAM.encode())
    )


def test_signed_moves_pass() -> None:
    assert verify.check_moves(dossier(moves())) == (
        "5 moves are signed by the keys that the seats registered; seats that decided unsigned: 1, 2"
    )
    assert verify.check_moves(dossier(moves()[:4])).endswith("registered")


def _another_key(one: Event) -> None:
    one["sig"]["signature"] = Ed25519PrivateKey.generate().sign(verify.move_text(one)).hex()


def _a_bit(one: Event) -> None:
    signature = one["sig"]["signature"]
    one["sig"]["signature"] = f"{int(signature[0], 16) ^ 1:x}{signature[1:]}"


CHANGES: dict[str, Callable[[Event], object]] = {
    "no signature": lambda one: one.pop("sig"),
    "another key": _another_key,
    "another head": lambda one: one["sig"].update(head_hash="0" * 64),
    "another command": lambda one: one.update(cmd="e" * 64),
    "a bit": _a_bit,
    "a later head": lambda one: one["sig"].update(position=9),
}


@pytest.mark.parametrize("place", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("how", CHANGES)
def test_a_move_that_is_signed_otherwise_is_refused_at_its_place(place: int, how: str) -> None:
    events: list[Event] = json.loads(json.dumps(moves()))
    CHANGES[how](events[place])
    with pytest.raises(verify.Flaw) as flaw:
        verify.check_moves(dossier(events))
    assert flaw.value.place == f"position {place + 1}"


EDITS: dict[int, Callable[[Event], object]] = {
    2: lambda one: one["pub"].update(card="3c"),
    3: lambda one: one["priv"]["bid"].update(choice="e" * 64),
    5: lambda one: one["sig"].pop("previous"),
    4: lambda one: one.update(priv={"bid": {"c": "0" * 64, "choice": "d" * 64}}),
    8: lambda one: one.update(sig=moves()[6]["sig"]),
}


@pytest.mark.parametrize("place", EDITS)
def test_a_changed_member_or_choice_and_a_change_of_key_by_one_key_are_refused(place: int) -> None:
    events: list[Event] = json.loads(json.dumps(moves()))
    EDITS[place](events[place])
    with pytest.raises(verify.Flaw) as flaw:
        verify.check_moves(dossier(events))
    assert flaw.value.place == f"position {place + 1}"


def test_a_signed_decision_without_the_choice_of_a_field_is_refused_at_its_place() -> None:
    events = moves()
    del events[3]["priv"]["bid"]["choice"]
    with pytest.raises(verify.Flaw) as flaw:
        verify.check_moves(dossier(events))
    assert flaw.value.place == "position 4"


def test_the_key_of_a_player_who_left_does_not_bind_the_next_player_of_the_seat() -> None:
    events = moves()[:2]
    left = signed(event("seat_left", 1, chips=0), OLD, after=events)
    next_one = event("card_played", 1, card="2c")
    assert verify.check_moves(dossier([*events, left, next_one])).startswith("2 moves are signed")


def refused_move(*events: Event) -> str:
    """Check that verify.py refuses the last of *events* and none before it; return the reason."""
    verify.check_moves(dossier(list(events[:-1])))
    with pytest.raises(verify.Flaw) as flaw:
        verify.check_moves(dossier(list(events)))
    assert flaw.value.place == f"position {len(events)}"
    return flaw.value.why


def test_the_second_of_two_moves_that_a_seat_signed_on_one_head_is_refused() -> None:
    events = moves()[:3]
    for head in (1, 2):
        again = signed(event("card_played", 1, card="3c"), OLD, after=events, head=head)
        assert refused_move(*events, again) == "must sign the end of the seat's last command or later"
    dealt = event("cards_dealt")
    assert refused_move(*events, dealt, signed(event("card_played", 1, card="3c"), OLD, after=[*events, dealt], head=3))
    verify.check_moves(
        dossier([*events, dealt, signed(event("card_played", 1, card="3c"), OLD, after=[*events, dealt])])
    )


def test_a_first_key_signs_the_last_event() -> None:
    events = [event("table_opened"), event("seat_taken", 1)]
    register = event("signing_key_registered", 1, public_key=public(OLD))
    assert refused_move(*events, signed(register, OLD, after=events, head=1))


@pytest.mark.parametrize("key", ["00" * 32, "01" + "00" * 31, "ecffff" + "ff" * 28 + "7f", "2c"])
def test_a_key_under_which_anybody_can_forge_is_refused(key: str) -> None:
    events = [event("table_opened")]
    register = signed(event("signing_key_registered", 1, public_key=key), OLD, after=events)
    register["sig"]["signature"] = "01" + "00" * 63  # a valid signature of every text under the second of these keys
    assert refused_move(*events, register) == "the new key must be sound and not in use"


def test_a_key_of_another_seat_is_refused_and_the_seats_own_key_a_second_time_too() -> None:
    events = moves()[:2]
    for seat, keys in ((2, (OLD,)), (1, (OLD, OLD))):
        register = event("signing_key_registered", seat, public_key=public(OLD))
        refused = refused_move(*events, signed(register, *keys, after=events))
        assert refused == "the new key must be sound and not in use"


def test_a_signature_by_an_earlier_key_is_valid_only_for_a_change_of_key() -> None:
    events = moves()[:2]
    played = signed(event("card_played", 1, card="2c"), OLD, OLD, after=events)
    assert refused_move(*events, played) == "a signature must have head_hash, position, signature"


OTHER_AUTHORS = [{"by": by} for by in ("service", "host", "player", "auditor")]


@pytest.mark.parametrize("place", [2, 3], ids=["public", "sealed"])
@pytest.mark.parametrize("members", [*OTHER_AUTHORS, {"by": "service", "cmd": None}, {"by": "seat:1", "cmd": None}])
def test_a_move_in_the_name_of_a_player_by_somebody_else_is_refused(place: int, members: dict[str, Any]) -> None:
    """Without this check, an operator could leave out the signature by naming another author."""
    events = moves()[: place + 1]
    forged = {name: value for name, value in {**events[place], **members}.items() if value is not None}
    del forged["sig"]
    for one in forged.get("priv", {}).values():
        del one["choice"]
    assert refused_move(*events[:place], forged)


def test_time_called_is_no_move_of_the_seat_and_needs_no_signature() -> None:
    called = event("card_played", card="2c", called="limit") | {"by": "service", "cmd": "c" * 64}
    verify.check_moves(dossier([*moves()[:2], called]))


def test_a_signed_move_that_names_another_seat_is_refused() -> None:
    events = moves()[:3]
    events[2]["pub"]["seat"] = 2  # The signed action does not name the seat, so the signature stays valid.
    assert refused_move(*events) == "a decision of seat 1 must be about this seat"


def test_every_decision_that_a_seat_signs_has_its_action_in_the_list() -> None:
    of_seats: dict[str, str] = {}
    for move in (move for game in CURRENT.values() for move in game.moves):
        members = [name for name in move.command.__struct_fields__ if name not in move.command.FROM_CALLER]
        if not move.command.FOR_HOST and move.seals is nothing_sealed:
            name: Callable[[Any], str] = type_name
            of_seats[name(move.decision)] = ",".join([name(move.command), *members])
    never_signed = {"table_opened", "seat_taken", "invitation_declined", "value_erased", "signing_key_ended"}
    wanted = {kind: action for kind, action in of_seats.items() if kind not in never_signed}
    assert {kind: verify.ACTIONS.get(kind) for kind in wanted} == wanted
