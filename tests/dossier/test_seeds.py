"""verify.py checks players' seeds and the levels of decks; the events here are made up."""

from typing import Any

import pytest

from service import deck
from service.cards import PACK
from service.dossier import verify
from tests.dossier.made_up import TABLE, Event, dossier, event

SERVER = {number: bytes([number]) * 32 for number in (1, 2)}
CLIENTS = {seat: bytes([100 + seat]) * 32 for seat in (1, 3)}
BATCH = f"{TABLE}/1"


def seeds(settled: tuple[int, ...] = (1, 3), dropped: tuple[int, ...] = ()) -> list[Event]:
    """Return the events of a batch of two decks with seeds of seats 1 and 3; the first deck is fixed and revealed."""
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
        event("table_opened", seeds="players"),
        *(event("seat_taken", seat) for seat in CLIENTS),
        *opened,
        *(event("deck_seed_committed", seat, epoch=BATCH, client_commit=commit) for seat, commit in commits.items()),
        event("deck_commitments_closed", epoch=BATCH, seats=[1, 3]),
        *(event("deck_seed_revealed", seat, epoch=BATCH, client_seed=seed) for seat, seed in shown.items()),
        *([event("deck_seeds_dropped", epoch=BATCH, seats=list(dropped), called="host")] if dropped else []),
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


def refused_decks(events: list[Event]) -> str:
    with pytest.raises(verify.Flaw) as flaw:
        verify.check_decks(dossier(events))
    return flaw.value.why


def place_of(events: list[Event], kind: str) -> int:
    return next(place for place, one in enumerate(events) if one["type"] == kind)


def test_seeds_out_of_order_or_used_in_part_are_refused() -> None:
    late, early = seeds(), seeds()
    late.insert(place_of(late, "deck_commitments_closed") + 1, late.pop(place_of(late, "deck_seed_committed")))
    early.insert(place_of(early, "deck_commitments_closed"), early.pop(place_of(early, "deck_seed_revealed")))
    unsettled = [one for one in seeds() if one["type"] != "deck_seeds_settled"]
    for events in (late, early, seeds((1,), dropped=(3,)), unsettled):
        assert refused_decks(events)


def with_seat(number: int, before: str) -> list[Event]:
    """Return `seeds` with another player, who takes a seat before the first event of the type *before*."""
    events = seeds()
    events.insert(place_of(events, before), event("seat_taken", number))
    return events


def test_joint_names_every_seat_in_the_game_and_no_seat_is_left_out_silently() -> None:
    assert "the level must be partial" in refused_decks(with_seat(2, "deck_fixed"))
    assert "seats [2] must commit first" in refused_decks(with_seat(2, "deck_commitments_closed"))
    omitted = with_seat(2, "deck_commitments_closed")
    place = place_of(omitted, "deck_commitments_closed")
    omitted.insert(
        place, event("deck_seed_omitted", epoch=BATCH, called="limit") | {"pub": {"epoch": BATCH, "seat": 2}}
    )
    assert "must be left out only because time was called" in refused_decks(omitted)
    omitted[place]["pub"]["called"] = "limit"
    assert "the level must be partial" in refused_decks(omitted)
    next(one for one in omitted if one["type"] == "deck_fixed")["pub"]["level"] = "partial"
    verify.check_decks(dossier(omitted))


@pytest.mark.parametrize("kind", ["player_resigned", "player_bankrupt", "player_knocked_out", "seat_left"])
def test_a_player_who_is_out_of_the_game_is_not_needed_for_joint_and_gives_no_level(kind: str) -> None:
    events = with_seat(2, "deck_fixed")
    place = place_of(events, "deck_fixed")
    events.insert(place, event(kind, 2))
    verify.check_decks(dossier(events))
    events[place:place] = [event(kind, 1), event(kind, 3), event("seat_taken", 4)]
    assert "the level must be operator" in refused_decks(events)
    next(one for one in events if one["type"] == "deck_fixed")["pub"]["level"] = "operator"
    verify.check_decks(dossier(events))


def test_seeds_are_dropped_only_when_somebody_owes_one_and_time_is_called() -> None:
    nobody = seeds()
    nobody.insert(
        place_of(nobody, "deck_seeds_settled"), event("deck_seeds_dropped", epoch=BATCH, seats=[], called="host")
    )
    uncalled = seeds((), dropped=(3,))
    del uncalled[place_of(uncalled, "deck_seeds_dropped")]["pub"]["called"]
    early = seeds((), dropped=(1, 3))
    del early[place_of(early, "deck_commitments_closed")]
    for events in (nobody, uncalled, early):
        assert "must be dropped only because time was called" in refused_decks(events)


def test_a_service_that_skips_a_deck_of_a_batch_or_ends_a_batch_at_will_is_refused() -> None:
    skipped = seeds()
    made = deck.shuffle(f"{TABLE}/2", SERVER[2], clients=CLIENTS)
    fixed = next(one for one in skipped if one["type"] == "deck_fixed")
    fixed["pub"] |= {"epoch": f"{TABLE}/2", "transcript": made.transcript, "deck_root": made.root}
    assert refused_decks(skipped) == "must be the next deck in reserve"
    ended = seeds()
    ended.insert(place_of(ended, "deck_fixed"), event("deck_batch_ended", epoch=BATCH))
    assert refused_decks(ended) == "a batch must end only because a player took a seat or left"
    unused = event("deck_unused", epoch=f"{TABLE}/2", server_seed=SERVER[2].hex())
    assert "a deck must be unused only because" in refused_decks([*seeds(), unused])


def test_a_table_with_the_seeds_of_players_has_no_deck_without_a_batch() -> None:
    events = seeds()
    del next(one for one in events if one["type"] == "deck_opened")["pub"]["batch"]
    assert "must have a batch" in refused_decks(events)
    without = seeds()
    del without[0]["pub"]["seeds"]
    assert "must have a batch" in refused_decks(without)
