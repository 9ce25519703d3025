"""Slips and foot calls: IH.2, IH.3, IH.4, G.1."""

import pytest

from service.games.common_events import DeckRevealed
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.commands import WriteSlip
from service.games.insurance_hearts.events import (
    CardsPassed,
    FootTold,
    HandCancelled,
    HandFinished,
    HandScored,
    PassAwaited,
    SlipsAwaited,
    SlipWritten,
)
from tests.games.insurance_hearts.actors import EVERYBODY, seat, stranger
from tests.games.insurance_hearts.table import SEATS, Agreed, Table, a_table, at_slips, hearts

INSURANCE = {"rule": "Insurance", "ruling": "IH.2"}
FOOT = {"rule": "Foot Rule", "ruling": "IH.4"}


def readers(table: Table, number: int, field: str) -> list[int]:
    """Return the seats (0: everybody) that may now read the value that seat *number* sealed under *field*."""
    return table.decks.last(number, field).readers


@pytest.mark.parametrize(("insurance", "foot"), [(True, True), (True, False), (False, True)])
def test_with_either_rule_on_every_player_writes_a_slip_before_passing(
    insurance: bool,  # noqa: FBT001
    foot: bool,  # noqa: FBT001
) -> None:  # Insurance, Foot Rule; IH.1, IH.2
    table = a_table(insurance=insurance, foot=foot).when_dealt().then(..., SlipsAwaited()).awaits(*EVERYBODY)
    table.when_slips_lie().then(
        *(SlipWritten(seat=number) for number in SEATS), *opened_calls(foot=foot), PassAwaited(direction="left")
    )


def opened_calls(*, foot: bool) -> tuple[FootTold, ...]:
    return (FootTold(callers=()),) if foot else ()


def test_slips_are_written_in_any_order() -> None:  # Insurance; IH.2, G.1
    table = at_slips().when(seat(3).insures(1)).then(SlipWritten(seat=3)).awaits(seat(1), seat(2), seat(4))
    table.when(seat(1).insures(6)).then(SlipWritten(seat=1)).awaits(seat(2), seat(4))


@pytest.mark.parametrize("number", range(7))
def test_an_insurance_is_a_number_from_0_to_6(number: int) -> None:  # Insurance; IH.2
    table = at_slips().when(seat(2).insures(number)).then(SlipWritten(seat=2))
    assert (table.decks.sealed(2, "insurance"), table.decks.sealed(2, "foot")) == (number, False)


@pytest.mark.parametrize("number", [-1, 7, 100])
def test_an_insurance_outside_0_to_6_is_refused(number: int) -> None:  # Insurance; IH.2
    at_slips().refuses(seat(2).insures(number), "insurance_must_be_within_its_bounds", **INSURANCE)
    at_slips().refuses(seat(2).calls_foot(number), "insurance_must_be_within_its_bounds", **INSURANCE)


@pytest.mark.parametrize("number", [1, 6])
def test_with_insurance_off_a_slip_holds_the_foot_alone(number: int) -> None:  # Foot Rule; IH.2
    table = at_slips(insurance=False)
    table.refuses(seat(2).insures(number), "insurance_must_be_within_its_bounds", **INSURANCE)
    table.given(seat(2).insures(0), seat(3).calls_foot())
    assert [(one.seat, one.field) for one in table.decks.fields] == [(2, "foot"), (3, "foot")]


def test_with_the_foot_off_a_slip_holds_the_insurance_alone() -> None:  # Insurance; IH.2
    table = at_slips(foot=False)
    table.refuses(seat(2).calls_foot(), "foot_must_be_played", rule="Foot Rule", ruling="IH.2")
    table.given(seat(2).insures(4))
    assert [(one.seat, one.field) for one in table.decks.fields] == [(2, "insurance")]


def test_without_insurance_and_the_foot_rule_there_are_no_slips() -> None:  # standard rules; IH.1, IH.2
    table = hearts(hand=0).when_dealt().never(SlipsAwaited, FootTold)
    table.refuses(seat(1).insures(0), "slips_must_be_awaited", rule="Foot Rule", ruling="G.4")


def test_a_slip_cannot_be_changed() -> None:  # Insurance, Foot Rule; IH.2
    table = at_slips().given(seat(1).insures(3)).may(seat(1))
    for other in (seat(1).insures(4), seat(1).insures(3), seat(1).calls_foot(3)):
        table.refuses(other, "choice_must_stand", **INSURANCE)


def test_only_a_seated_player_writes_a_slip_and_only_while_slips_are_awaited() -> None:  # IH.2, G.4
    for other in (seat(5), stranger):
        at_slips().refuses(other.insures(0), "player_must_have_a_seat", ruling="G.4")
    for table in (a_table(), at_slips().slips_lie(), a_table(hand=3).dealt().slips_lie()):
        table.refuses(seat(1).insures(0), "slips_must_be_awaited", rule="Insurance", ruling="G.4")


def test_others_learn_only_that_a_slip_is_in() -> None:  # Insurance, Foot Rule; IH.2, G.1
    table = at_slips().given(seat(1).calls_foot(5), seat(2).insures(6))
    for viewer in (0, 3, 4):
        view = table.seen_by(viewer)
        assert (view.slips_in, view.insurance, view.foot) == ((1, 2), {}, {})
    assert (table.seen_by(1).insurance, table.seen_by(1).foot) == ({1: 5}, {1: True})
    assert (table.seen_by(2).insurance, table.seen_by(2).foot) == ({2: 6}, {2: False})


def test_a_number_is_read_by_its_author_until_the_hand_is_scored_and_then_by_all() -> None:  # Insurance; IH.2, G.1
    table = at_slips().slips_lie(1, 2, 3, 4)
    while table.state.hand_is_running:
        assert [readers(table, number, "insurance") for number in SEATS] == [[1], [2], [3], [4]]
        assert all(table.seen_by(viewer).insurance.keys() <= {viewer} for viewer in range(5))
        table.given(*[action.command for action in table.listed(table.next_one)[:1]])
    assert [readers(table, number, "insurance") for number in SEATS] == [[0, 1, 2, 3, 4]] * 4


def test_after_the_last_slip_the_feet_are_opened_and_nothing_else() -> None:  # Foot Rule; IH.3, G.1
    table = at_slips().given(seat(1).insures(6), seat(2).insures(5), seat(3).insures(4))
    assert readers(table, 1, "foot") == [1]
    table.when(seat(4).insures(3)).then(SlipWritten(seat=4), FootTold(callers=()), PassAwaited(direction="left"))
    assert readers(table, 1, "foot") == [0, 1, 2, 3, 4]
    assert readers(table, 1, "insurance") == [1]


@pytest.mark.parametrize("callers", [(1,), (4,), (2, 3), (1, 3, 4), (1, 2, 3, 4)])
def test_any_called_foot_cancels_the_hand(callers: tuple[int, ...]) -> None:  # Foot Rule; IH.3, G.6
    table = at_slips().when_slips_lie(1, 2, 3, 4, feet=callers)
    table.then(
        *(SlipWritten(seat=number) for number in SEATS),
        FootTold(callers=callers),
        HandCancelled(callers=callers),
        DeckRevealed,
        HandFinished(dealer=1),
    ).scores(0, 0, 0, 0)
    assert table.seen_by(0).feet_used == callers
    table.awaits(seat(1))


def test_callers_are_named_by_seat_and_not_by_the_order_of_their_slips() -> None:  # Foot Rule; IH.3
    table = at_slips().given(seat(4).calls_foot(), seat(2).insures(0), seat(3).calls_foot())
    table.when(seat(1).insures(0)).then(
        SlipWritten(seat=1), FootTold(callers=(3, 4)), HandCancelled(callers=(3, 4)), ...
    )


def test_numbers_of_a_cancelled_hand_stay_sealed_for_good() -> None:  # Foot Rule; IH.3, G.6
    table = at_slips().slips_lie(1, 2, 3, 4, feet=(2,))
    envelopes = [table.decks.last(number, "insurance") for number in SEATS]
    table.dealt().slips_lie(5, 5, 5, 5).played_out()
    for envelope in envelopes:
        assert envelope.readers == [envelope.seat]
        assert envelope.secret.open == (HandScored,)
        assert envelope.secret.never == (HandCancelled,)


def test_after_a_cancelled_hand_the_view_shows_nobody_a_number() -> None:  # Foot Rule; IH.3
    table = at_slips().slips_lie(1, 2, 3, 4, feet=(2,))
    assert all(table.seen_by(viewer).insurance.keys() <= {viewer} for viewer in range(5))
    table.dealt()
    assert all(table.seen_by(viewer).insurance == {} for viewer in range(5))


def test_a_cancelled_hand_is_followed_by_the_next_dealers_with_the_next_direction() -> None:  # Foot Rule; IH.3
    table = at_slips(dealer=2).slips_lie(feet=(1,)).awaits(seat(3)).dealt()
    table.when_slips_lie().then(..., PassAwaited(direction="right"))


def test_a_player_calls_a_foot_only_once_in_a_game() -> None:  # Foot Rule; IH.3, IH.4
    table = at_slips().slips_lie(feet=(2, 3)).dealt()
    for number in (2, 3):
        table.refuses(seat(number).calls_foot(1), "foot_must_be_left", **FOOT)
        assert not any(getattr(one.command, "foot", False) for one in table.listed(seat(number)))
    table.when_slips_lie(feet=(1, 4)).then(..., HandCancelled(callers=(1, 4)), ...)
    assert table.seen_by(0).feet_used == (1, 2, 3, 4)


def test_a_used_foot_stays_used_for_the_whole_game() -> None:  # Foot Rule; IH.4
    table = a_table(hand=7, feet=(4,)).dealt().refuses(seat(4).calls_foot(), "foot_must_be_left", **FOOT)
    table.when_slips_lie(feet=(1,)).then(..., HandCancelled(callers=(1,)), ...)


def test_a_foot_may_be_called_with_any_hand() -> None:  # Foot Rule; IH.3
    for number in SEATS:
        at_slips(bidding=False).when_slips_lie(feet=(number,)).then(..., HandCancelled(callers=(number,)), ...)


@pytest.mark.parametrize(
    ("options", "commands"),
    [
        ({}, [(0, False), (0, True)]),
        ({"foot": False}, [(0, False)]),
        ({"insurance": False}, [(0, False), (0, True)]),
    ],
)
def test_a_slip_is_offered_with_its_bounds(
    options: Agreed, commands: list[tuple[int, bool]]
) -> None:  # Insurance, Foot Rule; IH.2, IH.4
    table = at_slips(**options)
    table.may(seat(2), *(WriteSlip(by=seat(2).by, insurance=number, foot=foot) for number, foot in commands))
    bounds = [[(one.member, one.least, one.most) for one in action.bounds] for action in table.listed(seat(2))]
    expected = [] if options.get("insurance") is False else [("insurance", 0, 6)]
    assert bounds == [expected] * len(commands)


def test_a_slip_can_be_decided_again() -> None:  # Insurance, Foot Rule; IH.2, IH.3
    every: tuple[Agreed, ...] = ({}, {"foot": False}, {"insurance": False})
    for options in every:
        number = 0 if options.get("insurance") is False else 5
        table = at_slips(**options)
        for one in EVERYBODY:
            table.when_decided_again(one.insures(number), one.by)
    table = at_slips().given(seat(1).insures(2), seat(2).insures(3), seat(3).insures(1))
    table.when_decided_again(seat(4).calls_foot(6), seat(4).by).never(CardsPassed)


def test_if_a_number_stays_sealed_for_good_the_slip_is_decided_again_without_it() -> None:  # Foot Rule; IH.3
    table = at_slips().given(seat(1).insures(2), seat(2).insures(3), seat(3).insures(1))
    before = table.state
    (decision, *_) = table.when(seat(4).calls_foot(6)).emitted
    again = INSURANCE_HEARTS.command_of(decision, seat(4).by, {"foot": True}.get)
    assert again == seat(4).calls_foot(0)
    assert INSURANCE_HEARTS.decide(before, again, table.decks).events == table.emitted
