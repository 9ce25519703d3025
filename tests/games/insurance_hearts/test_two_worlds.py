"""Two worlds that differ in a sealed value, or in hidden cards, look alike to all who may not see these (G.1, G.6)."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from service.cards import PACK
from service.games.game import Command, Event, TimedDecision
from tests.games.insurance_hearts.actors import EVERYBODY, host, seat, stranger
from tests.games.insurance_hearts.deals import MIXED
from tests.games.insurance_hearts.table import (
    AUCTION_ALONE,
    SEATS,
    Agreed,
    Table,
    a_table,
    at_auction,
    at_slips,
    hearts,
)

PASSES = ("2c 6c Tc", "3c 7c Jc", "4c 8c Qc", "5c 9c Kc")


def of_others(table: Table, author: int) -> list[Any]:
    """Return what each actor except *author* sees: the present views, the actions and the past views."""
    views = [msgspec.to_builtins(table.seen_by(viewer)) for viewer in range(5) if viewer != author]
    lists = [table.listed(actor) for actor in (*EVERYBODY, host, stranger) if actor.number != author]
    past = [msgspec.to_builtins(table.seen_by(viewer, is_present=False)) for viewer in range(5) if viewer != author]
    return [views, lists, past]


def look_alike(ours: Table, theirs: Table, author: int, steps: Sequence[tuple[Command, Command]]) -> list[Event]:
    """Make *steps* in both worlds; expect the same events, and for all but *author* the same views and actions.

    Only the member `called` of the events may differ.
    """
    emitted: list[Event] = []
    for our_command, their_command in steps:
        ours.when(our_command)
        theirs.when(their_command)
        assert without_callers(ours.emitted) == without_callers(theirs.emitted)
        assert of_others(ours, author) == of_others(theirs, author)
        emitted += ours.emitted
    return emitted


def without_callers(emitted: Sequence[Event]) -> list[Event]:
    """Return *emitted* without the members `called`, which may differ: it is public whether the service decided."""
    return [replace(event, called="") if isinstance(event, TimedDecision) else event for event in emitted]


def both(*commands: Command) -> list[tuple[Command, Command]]:
    return [(command, command) for command in commands]


def until_the_last_card(table: Table) -> list[Command]:
    """Until one card is left, carry out the first listed action of the next player who is due; return the commands."""
    commands: list[Command] = []
    while sum(map(len, table.seen_by(0).hands.values())) > 1:
        (first, *_) = table.listed(table.next_one)
        commands.append(first.command)
        table.given(first.command)
    return commands


@pytest.mark.parametrize(("one", "other"), [(0, 6), (3, 4)])
@pytest.mark.parametrize("author", SEATS)
def test_a_number_on_a_slip_is_shown_to_nobody_until_the_hand_is_scored(
    author: int, one: int, other: int
) -> None:  # Insurance; IH.2, IH.3, G.1
    ours, theirs, third = (a_table(hand=3).dealt(*[" ".join(h.split()[:12]) for h in MIXED]) for _ in range(3))
    others = both(*(seat(number).insures(2) for number in SEATS if number != author))
    look_alike(ours, theirs, author, [(seat(author).insures(one), seat(author).insures(other)), *others])
    third.slips_lie(2, 2, 2, 2)
    look_alike(ours, theirs, author, both(*until_the_last_card(third)))
    last = ours.listed(ours.next_one)[0].command
    assert ours.when(last).emitted != theirs.when(last).emitted


@pytest.mark.parametrize("author", SEATS)
def test_the_number_on_a_slip_of_a_cancelled_hand_is_never_shown(author: int) -> None:  # Foot Rule; IH.3, G.1
    ours, theirs = at_slips(), at_slips()
    caller = author % 4 + 1
    slips = both(*(seat(n).calls_foot(2) if n == caller else seat(n).insures(1) for n in SEATS if n != author))
    look_alike(ours, theirs, author, [*slips, (seat(author).insures(0), seat(author).insures(6))])
    for table in (ours, theirs):
        table.hands()
    third = at_slips().slips_lie(feet=(caller,)).dealt()
    after = [seat(1).deals(), *(seat(number).insures(3) for number in SEATS)]
    third.slips_lie(3, 3, 3, 3)
    look_alike(ours, theirs, author, both(*after, *until_the_last_card(third)))
    look_alike(ours, theirs, author, both(ours.listed(ours.next_one)[0].command, seat(2).deals()))


@pytest.mark.parametrize("author", SEATS)
def test_the_number_of_the_player_who_called_the_foot_is_never_shown(author: int) -> None:  # Foot Rule; IH.3, G.1
    ours, theirs = at_slips(), at_slips()
    others = both(*(seat(number).insures(1) for number in SEATS if number != author))
    look_alike(ours, theirs, author, [(seat(author).calls_foot(0), seat(author).calls_foot(6)), *others])
    look_alike(ours, theirs, author, both(seat(1).deals(), seat(1).insures(1)))


@pytest.mark.parametrize("author", SEATS)
@pytest.mark.parametrize("options", [{}, {"insurance": False}])
def test_a_foot_is_shown_to_nobody_until_the_last_slip_is_in(
    author: int, options: Agreed
) -> None:  # Foot Rule; IH.3, G.1
    ours, theirs = at_slips(**options), at_slips(**options)
    *others, last = [seat(number).insures(0) for number in SEATS if number != author]
    look_alike(ours, theirs, author, [(seat(author).insures(0), seat(author).calls_foot()), *both(*others)])
    assert ours.when(last).emitted != theirs.when(last).emitted
    assert not [event for event in ours.emitted[:1] if event != theirs.emitted[0]]


@pytest.mark.parametrize("author", SEATS)
def test_passed_cards_are_shown_to_nobody_until_all_have_chosen(author: int) -> None:  # H-PASS.1, G.1
    ours, theirs = (hearts(hand=0).dealt(*MIXED) for _ in range(2))
    hand = ours.hand_of(author)
    choices = (seat(author).passes(PASSES[author - 1]), seat(author).passes(" ".join(hand[-3:])))
    others = both(*[seat(n).passes(PASSES[n - 1]) for n in SEATS if n != author][:2])
    look_alike(ours, theirs, author, [choices, *others])


@pytest.mark.parametrize("played", [0, 1, 2])
@pytest.mark.parametrize("author", SEATS)
def test_passed_cards_are_shown_to_their_receiver_alone(author: int, played: int) -> None:  # H-PASS.1, G.1
    ours, theirs = (hearts(hand=played).dealt(*MIXED) for _ in range(2))
    receiver = (author - 1 + {0: 1, 1: 3, 2: 2}[played]) % 4 + 1
    diamonds = [face for face in ours.hand_of(author) if face[1] == "d"]
    one, other = " ".join(diamonds[:2]), " ".join(diamonds[1:3])
    for table, cards in ((ours, one), (theirs, other)):
        kept = next(face for face in table.hand_of(author) if face[1] == "h")
        table.given(seat(author).passes(f"{cards} {kept}"))
    rest = [number for number in SEATS if number != author]
    look_alike(ours, theirs, author, both(*(seat(n).passes(PASSES[n - 1]) for n in rest[:2])))
    third = rest[2]
    ours.when(seat(third).passes(PASSES[third - 1]))
    theirs.when(seat(third).passes(PASSES[third - 1]))
    assert ours.emitted == theirs.emitted
    for viewer in {0, *SEATS} - {author, receiver}:
        assert ours.seen_by(viewer) == theirs.seen_by(viewer)
        assert ours.listed(seat(viewer)) == theirs.listed(seat(viewer))
    assert ours.seen_by(receiver) != theirs.seen_by(receiver)


BIDS = [
    (seat(1).bids("Kd", 3, showing="2c"), seat(1).bids("Kd", 4, showing="2c")),
    (seat(1).bids("Kd", 3, showing="2c"), seat(1).bids("Ac", 3, showing="2c")),
    (seat(1).bids("Kd", 3, showing="2c"), seat(1).bids("Kd", 3, showing="3c")),
    (seat(1).bids("Ac", 0, showing="2c"), seat(1).bids_nothing(showing="2c")),
    (seat(1).bids_nothing(showing="2c"), seat(1).bids_nothing(showing="Kc")),
]


@pytest.mark.parametrize(("one", "other"), BIDS)
def test_bid_and_shown_card_are_visible_to_nobody_until_the_last_bid_is_in(
    one: Command, other: Command
) -> None:  # Bidding; IH.7, IH.8, G.1
    ours, theirs = (at_auction(table="Ac Kd Qh Js") for _ in range(2))
    others = [seat(2).bids("Kd", 9, showing="2d"), seat(3).bids_nothing(showing="2h")]
    look_alike(ours, theirs, 1, [(one, other), *both(*others)])
    last = seat(4).bids_nothing(showing="2s")
    assert ours.when(last).emitted[0] == theirs.when(last).emitted[0]
    assert ours.emitted[1] != theirs.emitted[1]


def test_a_value_that_the_service_seals_for_a_player_is_shown_to_nobody_else() -> None:  # G.1, G.3
    ours, theirs = (a_table(hand=3, **AUCTION_ALONE).dealt(table="Ac Kd Qh Js") for _ in range(2))
    look_alike(ours, theirs, 1, [(host.calls_time(), seat(1).bids("Kd", 9, showing="5c"))])


def test_two_deals_that_differ_in_hidden_cards_alone_look_alike() -> None:  # standard rules; G.1, G.6
    swapped = [hand.replace("4c", "x").replace("7s", "4c").replace("x", "7s") for hand in MIXED]
    for viewer in (0, 2, 4):
        ours, theirs = hearts(hand=0).dealt(*MIXED), hearts(hand=0).dealt(*swapped)
        assert ours.hand_of(1) != theirs.hand_of(1)
        assert ours.seen_by(viewer) == theirs.seen_by(viewer)
        assert ours.listed(seat(viewer)) == theirs.listed(seat(viewer))


def test_no_event_before_the_play_names_a_card_that_is_hidden() -> None:  # G.1, G.6
    table = a_table().when_dealt(table="Ac Kd Qh Js")
    emitted = list(table.emitted)
    emitted += table.when_slips_lie(1, 2, 3, 4).emitted
    emitted += table.when_passed().emitted
    faces = {face for face in PACK for event in emitted if f'"{face}"' in msgspec.json.encode(event).decode()}
    assert faces == {"Ac", "Kd", "Qh", "Js"}


def test_a_played_card_is_shown_by_its_face_and_not_by_its_place() -> None:  # H-PASS.1, G.1
    table = hearts(hand=0).dealt(*MIXED).passed(*PASSES)
    emitted = table.when_played(table.listed(table.next_one)[0].command.card).emitted  # type: ignore[attr-defined]
    assert [set(msgspec.to_builtins(event)) for event in emitted] == [{"seat", "card"}]
