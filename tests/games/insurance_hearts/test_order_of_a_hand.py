"""The order of a hand, with every combination of the three rules: IH.1."""

from itertools import product

import pytest

from service.games.common_events import (
    CardsDealt,
    CardsShown,
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    GameEnded,
    HandDealt,
)
from service.games.game import Event
from service.games.insurance_hearts.events import (
    AuctionSettled,
    BidsAwaited,
    BidsOpened,
    BidWritten,
    CardPlayed,
    CardsPassed,
    FootTold,
    HandFinished,
    HandScored,
    LeftoverChosen,
    LeftoverGiven,
    PassAwaited,
    PassChosen,
    PlayBegun,
    SlipsAwaited,
    SlipWritten,
    TrickTaken,
)
from tests.games.insurance_hearts.actors import seat
from tests.games.insurance_hearts.deals import LAST_CARD, played_by_a
from tests.games.insurance_hearts.table import SEATS, Table, a_table

Kinds = list[type[Event]]

every_switch = pytest.mark.parametrize(("insurance", "bidding", "foot"), list(product((True, False), repeat=3)))


def slips(*, insurance: bool, foot: bool) -> Kinds:
    if not insurance and not foot:
        return []
    return [SlipsAwaited, *[SlipWritten] * 4, *([FootTold] if foot else [])]


def auction(*, bidding: bool) -> Kinds:
    if not bidding:
        return []
    settled: Kinds = [BidsOpened, AuctionSettled, *[LeftoverChosen] * 3, LeftoverGiven]
    return [CardsShown, BidsAwaited, *[BidWritten] * 4, *settled]


def whole_hand(table: Table) -> Table:
    """Deal a hand, play the hand to its end by calling time, and keep the events."""
    table.when_dealt()
    emitted = table.emitted
    table.when_played_out()
    table.emitted = emitted + table.emitted
    return table


@every_switch
@pytest.mark.parametrize("played", [0, 3])
def test_a_hand_goes_in_its_order_and_a_rule_switched_off_leaves_its_step_out(
    insurance: bool,  # noqa: FBT001
    bidding: bool,  # noqa: FBT001
    foot: bool,  # noqa: FBT001
    played: int,
) -> None:  # standard rules, Insurance, Bidding, Foot Rule; IH.1, H-PASS.1, G.4
    table = whole_hand(a_table(hand=played, insurance=insurance, bidding=bidding, foot=foot))
    passing: Kinds = [PassAwaited, *[PassChosen] * 4, CardsPassed] if played == 0 else []
    trick: Kinds = [*[CardPlayed] * 4, TrickTaken]
    assert [type(event) for event in table.emitted] == [
        *(HandDealt, DeckFixed, DeckOpened, CardsDealt),
        *slips(insurance=insurance, foot=foot),
        *passing,
        *auction(bidding=bidding),
        PlayBegun,
        *trick * 13,
        *(HandScored, DeckRevealed, HandFinished),
    ]


@every_switch
def test_only_the_rules_that_are_played_move_points(
    insurance: bool,  # noqa: FBT001
    bidding: bool,  # noqa: FBT001
    foot: bool,  # noqa: FBT001
) -> None:  # Insurance, Bidding, Foot Rule; IH.2, IH.5, IH.10
    numbers = (5, 2, 0, 1) if insurance else (0, 0, 0, 0)
    paid = 3 if bidding else 0
    table = played_by_a(*numbers, insurance=insurance, bidding=bidding, foot=foot).when(LAST_CARD)
    table.scores(18 - numbers[0], 3 + numbers[1] + paid, 5 + numbers[2], numbers[3])
    rules = {"standard rules", *(["Insurance"] if insurance else []), *(["Bidding"] if bidding else [])}
    assert {transfer.rule for transfer in table.scored().transfers} == rules


@every_switch
def test_a_whole_game_is_played_with_any_of_the_rules(
    insurance: bool,  # noqa: FBT001
    bidding: bool,  # noqa: FBT001
    foot: bool,  # noqa: FBT001
) -> None:  # standard rules; IH.1, H-END.1
    table = a_table(insurance=insurance, bidding=bidding, foot=foot, target=40)
    while table.state.status == "playing":
        whole_hand(table)
    assert [type(event) for event in table.emitted[-2:]] == [GameEnded, DeckUnused]
    assert table.state.hand in {2, 3, 4}


def test_a_number_of_the_slip_is_chosen_before_anything_is_passed_or_shown() -> None:  # Insurance; IH.1
    table = a_table().when_dealt().never(PassAwaited, CardsShown, BidsAwaited)
    for number in SEATS[:3]:
        table.when(seat(number).insures(1)).never(PassAwaited, CardsShown, BidsAwaited)
    table.when(seat(4).insures(1)).then(SlipWritten, FootTold, PassAwaited)


def test_the_tricks_wait_for_the_last_leftover() -> None:  # Bidding; IH.1
    table = a_table(hand=3, insurance=False, foot=False).dealt()
    for number in SEATS:
        table.when(seat(number).bids_nothing(showing=table.hand_of(number)[0])).never(PlayBegun)
    table.when(table.next_one.chooses("As")).never(PlayBegun)
    table.when(table.next_one.chooses("Ks")).never(PlayBegun)
    table.when(table.next_one.chooses("Qs")).then(LeftoverChosen, LeftoverGiven, PlayBegun)
