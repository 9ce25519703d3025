"""verify.py checks signed moves and players' seeds; the events here are made up, in the forms of log_format.md."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import deck
from service.canonical import canonical
from service.cards import PACK
from service.dossier import verify
from service.games import CURRENT
from service.games.game import seat_actor, type_name
from service.games.move import nothing_sealed
from service.merkle import leaf_hash

TABLE = "tbl_" + "7" * 32
STREAM = f"table/{TABLE}"
OLD, NEW = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))

Event = dict[str, Any]


def event(kind: str, seat: int = 0, **pub: object) -> Event:
    decision = {"by": seat_actor(seat), "cmd": "c" * 64} if seat else {"by": "service"}
    return {"stream": STREAM, "type": kind, "pub": {**({"seat": seat} if seat else {}), **pub}, **decision}


def signed(leaf: Event, *keys: Ed25519PrivateKey, head: int = 1, leaves: list[bytes]) -> Event:
    """Return the decision signed by the player's key, and by the earlier key if there are two."""
    made = {**leaf, "sig": {"position": head, "head_hash": leaf_hash(leaves[head - 1]).hex()}}
    names = ("signature", "previous")
    made["sig"] |= {name: key.sign(verify.move_text(made)).hex() for name, key in zip(names, keys, strict=False)}
    return made


def dossier(events: list[Event], leaves: list[bytes] | None = None) -> verify.Dossier:
    made = verify.Dossier({})
    made.events, made.leaves = events, leaves or [canonical(one) for one in events]
    made.begin = verify.Begin(STREAM, 0, 0, 1, len(events))
    return made


def public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def moves() -> list[Event]:
    """Return a key's registration, a move, a sealed choice, a change of the key, and the key's end."""
    first = event("table_opened")
    leaves = [canonical(first)]
    register, change = (event("signing_key_registered", 1, public_key=public(key)) for key in (OLD, NEW))
    sealed = event("bid_written", 1) | {"priv": {"bid": {"c": "0" * 64, "choice": "d" * 64}}}
    return [
        first,
        signed(register, OLD, leaves=leaves),
        signed(event("card_played", 1, card="2c", breaks_hearts=True), OLD, leaves=leaves),
        signed(sealed, OLD, leaves=leaves),
        event("card_played", 2, card="3c"),
        signed(change, NEW, OLD, leaves=leaves),
        signed(event("card_played", 1, card="4c"), NEW, leaves=leaves),
        event("signing_key_ended", 1),
        event("card_played", 1, card="5c"),
    ]


def test_the_text_of_a_move_is_the_one_that_the_format_prescribes() -> None:
    move = signed(event("card_played", 3, card="Qs"), OLD, leaves=[b"first"])
    head = leaf_hash(b"first").hex()
    assert verify.move_text(move) == (
        b'chiptrail/move/v1\n{"action":{"card":"Qs","type":"play_card"},"cmd":"%s","head_hash":"%s","position":1,"stream":"%s"}'
        % (b"c" * 64, head.encode(), STREAM.encode())
    )


def test_signed_moves_pass() -> None:
    assert verify.check_moves(dossier(moves())) == "5 moves are signed by their players"


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
    first = event("table_opened")
    leaves = [canonical(first)]
    key = signed(event("signing_key_registered", 1, public_key=public(OLD)), OLD, leaves=leaves)
    left = signed(event("seat_left", 1, chips=0), OLD, leaves=leaves)
    next_one = event("card_played", 1, card="2c")
    assert verify.check_moves(dossier([first, key, left, next_one])) == "2 moves are signed by their players"


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


SERVER = {number: bytes([number]) * 32 for number in (1, 2)}
CLIENTS = {seat: bytes([100 + seat]) * 32 for seat in (1, 3)}
BATCH = f"{TABLE}/1"


def seeds(settled: tuple[int, ...] = (1, 3), dropped: tuple[int, ...] = ()) -> list[Event]:
    """Return a batch of two decks with the seeds of seats 1 and 3, the first of which is fixed and revealed."""
    pack_id = deck.input_id()
    epochs = {number: f"{TABLE}/{number}" for number in SERVER}
    opened = [
        event("deck_opened", epoch=epoch, batch=BATCH, n=52, input_id=pack_id, server_commit=commit)
        for epoch, commit in ((epoch, deck.server_commit(epoch, SERVER[number])) for number, epoch in epochs.items())
    ]
    commits = {seat: deck.client_commit(BATCH, seat, seed) for seat, seed in CLIENTS.items()}
    shown = {seat: seed.hex() for seat, seed in CLIENTS.items() if seat not in dropped}
    made = deck.shuffle(epochs[1], SERVER[1], clients={seat: CLIENTS[seat] for seat in settled})
    fixed: dict[str, Any] = {
        "transcript": made.transcript,
        "deck_root": made.root,
        "level": "joint" if settled else "operator",
    }
    return [
        *opened,
        *(event("deck_seed_committed", seat, epoch=BATCH, client_commit=commit) for seat, commit in commits.items()),
        event("deck_commitments_closed", epoch=BATCH, seats=[1, 3]),
        *(event("deck_seed_revealed", seat, epoch=BATCH, client_seed=seed) for seat, seed in shown.items()),
        *([event("deck_seeds_dropped", epoch=BATCH, seats=list(dropped))] if dropped else []),
        event("deck_seeds_settled", epoch=BATCH, seats=list(settled)),
        event("deck_fixed", epoch=epochs[1], seats=list(settled), **fixed),
        event("cards_dealt", epoch=epochs[1], cards=[[0, 1], [1, 3]]),
        event("deck_revealed", epoch=epochs[1], server_seed=SERVER[1].hex()),
    ]


def test_decks_with_the_seeds_of_players_follow_from_all_seeds() -> None:
    made = dossier(seeds())
    assert verify.check_decks(made) == "2 decks, 1 of them revealed, follow from their seeds"
    assert sorted(made.decks[BATCH].order) == sorted(PACK)
    assert verify.check_decks(dossier(seeds((), dropped=(3,))))


@pytest.mark.parametrize(
    ("kind", "number", "member", "value"),
    [
        ("deck_seed_committed", 0, "client_commit", "0" * 64),
        ("deck_seed_revealed", 1, "client_seed", "0" * 64),
        ("deck_commitments_closed", 0, "seats", [1]),
        ("deck_seeds_settled", 0, "seats", [1]),
        ("deck_seeds_settled", 0, "seats", []),
        ("deck_fixed", 0, "seats", [1]),
        ("deck_fixed", 0, "level", "operator"),
        ("deck_opened", 1, "batch", f"{TABLE}/9"),
    ],
)
def test_seeds_that_do_not_fit_are_refused(kind: str, number: int, member: str, value: object) -> None:
    events = seeds()
    [one for one in events if one["type"] == kind][number]["pub"][member] = value
    with pytest.raises(verify.Flaw):
        verify.check_decks(dossier(events))


def test_seeds_out_of_order_or_used_in_part_are_refused() -> None:
    late = seeds()
    late.insert(5, late.pop(2))  # a commitment after they were closed
    early = seeds()
    early.insert(4, early.pop(5))  # a seed before the commitments were closed
    for events in (
        late,
        early,
        seeds((1,), dropped=(3,)),
        [one for one in seeds() if one["type"] != "deck_seeds_settled"],
    ):
        with pytest.raises(verify.Flaw):
            verify.check_decks(dossier(events))
