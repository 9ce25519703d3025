"""The decisions of a hand, as the API returns them, are put into words for any game."""

from typing import Any

from service.client.hand_answers import Decision, OpenedField
from service.wording.decision_runs import NO_BREAK, entries

MEMBERS = ("card", "cards", "chips", "is_open", "seat")


def told(*decisions: tuple[str, str, dict[str, Any]], fields: tuple[OpenedField, ...] = ()) -> list[str]:
    """Return the entries for *decisions*, each an actor, a type and members, at the positions 1, 2, …"""
    made = tuple(Decision(position, *decision) for position, decision in enumerate(decisions, start=1))
    return [entry.replace(NO_BREAK, " ") for entry in entries(made, fields, MEMBERS)]


def played(*seats_and_cards: str) -> list[str]:
    """Return the entries of cards played, each given as its seat and its face, such as "1 2c"."""
    turns = (one.split() for one in seats_and_cards)
    return told(*((f"seat:{seat}", "card_played", {"seat": int(seat), "card": card}) for seat, card in turns))


def test_consecutive_decisions_of_one_type_make_one_entry() -> None:
    bet, stop = {"chips": 5}, dict[str, Any]()
    assert told(
        ("seat:1", "bet_placed", bet),
        ("seat:2", "bet_placed", bet),
        ("seat:2", "betting_ended", stop),
        ("seat:1", "bet_placed", bet),
    ) == ["bet placed: seat 1 (chips 5); seat 2 (chips 5)", "betting ended: seat 2", "bet placed: seat 1 (chips 5)"]


def test_members_of_no_action_empty_and_false_values_and_the_actors_own_seat_are_left_out() -> None:
    made = {"salt": "ab", "seat": 2, "card": "", "cards": [], "is_open": False, "chips": 0}
    assert told(("seat:2", "offer_made", made)) == ["offer made: seat 2 (chips 0)"]
    assert told(("seat:1", "offer_taken", {"seat": 2, "is_open": True})) == ["offer taken: seat 1 (seat 2, is open)"]


def test_a_decision_of_the_service_names_its_seat() -> None:
    assert told(("service", "card_played", {"seat": 2, "card": "2c"})) == ["card played: service (seat 2, card 2c)"]


def test_a_sealed_object_is_shown_by_its_members() -> None:
    sealed = (
        OpenedField(1, "bid", {"card": "Th", "points": 20, "why": {"shown": "Ac"}}),
        OpenedField(2, "bid", {"card": "", "points": 0}),
        OpenedField(3, "given", ["2c", "3c"]),
    )
    kinds = ("bid_written", "bid_written", "cards_given")
    assert told(*((f"seat:{seat}", kind, {}) for seat, kind in enumerate(kinds, start=1)), fields=sealed) == [
        "bid written: seat 1 (card Th, points 20, shown Ac); seat 2 (points 0)",
        "cards given: seat 3 2c 3c",
    ]


def test_rounds_of_cards_that_go_clockwise_are_shown_by_their_first_seats() -> None:
    assert played("2 2c", "4 3c", "1 4c", "4 5c", "1 6c", "2 7c", "1 8c") == [
        "card played, clockwise from each seat named: seat 2 2c 3c 4c; seat 4 5c 6c 7c; seat 1 8c"
    ]


def test_rounds_in_any_other_order_name_every_seat() -> None:
    assert played("1 2c", "2 3c", "3 4c", "1 5c", "3 6c", "2 7c") == [
        "card played: seat 1 2c; seat 2 3c; seat 3 4c; seat 1 5c; seat 3 6c; seat 2 7c"
    ]
    assert played("1 2c", "2 3c") == ["card played: seat 1 2c; seat 2 3c"]
