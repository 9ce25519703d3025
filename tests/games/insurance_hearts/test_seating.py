"""Opening and closing a table, taking and leaving seats, starting the game: G.2, G.4, G.7, G.8, H-SCORE.2."""

import pytest
from msgspec.structs import replace

from service.games.common_commands import OpenTable, OptionValue
from service.games.common_events import (
    DeckOpened,
    DeckUnused,
    GameStarted,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
)
from service.games.game import Command
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.options import Options
from tests.games.actors import OWNER_OF_THE_TABLE, example_player, owner
from tests.games.expected import some
from tests.games.insurance_hearts.actors import EVERYBODY, SHEET, host, seat, service, stranger
from tests.games.insurance_hearts.table import DRAW, Table, a_table, an_open_table, at_auction, at_slips, hearts


def test_a_table_has_four_seats() -> None:  # standard rules; H-DEAL.1
    Table().when(host.opens(seats=4)).then(some(TableOpened, seats=4), DeckOpened)
    assert (INSURANCE_HEARTS.seats.least, INSURANCE_HEARTS.seats.most, INSURANCE_HEARTS.seats.default) == (4, 4, 4)


@pytest.mark.parametrize("seats", [-1, 0, 2, 3, 5, 52])
def test_a_table_has_no_other_number_of_seats(seats: int) -> None:  # standard rules; H-DEAL.1
    why = {"rule": "standard rules", "ruling": "H-DEAL.1"}
    Table().refuses(host.opens(seats=seats), "seats_must_be_within_the_games", **why)


def test_a_table_pins_game_edition_options_and_sheet_in_its_first_event() -> None:  # G.2
    (
        Table()
        .when(host.opens(bidding=False, target=50))
        .then(
            TableOpened(
                game="insurance_hearts",
                edition=1,
                sheet=SHEET,
                options={"bidding": False, "target": 50},
                seats=4,
                host=OWNER_OF_THE_TABLE,
                visibility="public",
            ),
            some(DeckOpened, epoch=DRAW, n=52),
        )
    )
    assert SHEET == "c92936a81cbc1d8aac41567d4d88ba1111ab94b829973e3c9ab03025a5d34c07"


def test_wherever_the_game_is_shown_its_author_is_named() -> None:  # G.8
    sheet = INSURANCE_HEARTS.sheet
    assert (sheet.title, sheet.author, INSURANCE_HEARTS.name) == (
        "Insurance Hearts",
        "Daniel Calizaya",
        "insurance_hearts",
    )


def test_without_an_agreement_the_three_rules_are_played_to_100() -> None:  # standard rules; H-END.1, H-BREAK.1
    assert Table().given(host.opens()).state.options == Options(
        insurance=True, bidding=True, foot=True, queen_breaks_hearts=False, target=100
    )


def test_the_table_is_played_by_its_pinned_options() -> None:  # G.2, IH.1
    agreed: dict[str, OptionValue] = {
        "insurance": False,
        "bidding": False,
        "foot": False,
        "queen_breaks_hearts": True,
        "target": 55,
    }
    options = Table().given(host.opens(seats=4, **agreed)).state.options
    assert options == Options(insurance=False, bidding=False, foot=False, queen_breaks_hearts=True, target=55)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"target": 0}, id="no target: H-END.1"),
        pytest.param({"target": -1}, id="a target below 0: H-END.1"),
        pytest.param({"target": 10_001}, id="a target that is absurd: H-END.1"),
        pytest.param({"target": "100"}, id="a target that is no number: G.2"),
        pytest.param({"insurance": 1}, id="neither on nor off: G.2"),
        pytest.param({"buy_in": 50}, id="no such option: G.2"),
    ],
)
def test_a_table_takes_only_the_options_of_the_game(options: dict[str, OptionValue]) -> None:  # G.2
    Table().refuses(host.opens(seats=4, **options), "options_must_be_the_games", ruling="G.2")


def test_a_seat_costs_nothing() -> None:  # H-SCORE.2
    table = an_open_table().when(stranger.sits_down(3, pieces=0))
    table.then(SeatTaken(seat=3, player=owner(3), chips=0, transfers=()))
    for pieces in (1, 50):
        table.refuses(stranger.sits_down(1, pieces=pieces), "seat_must_cost_nothing", ruling="H-SCORE.2")


def test_there_are_no_chips_that_could_have_a_worth() -> None:  # H-SCORE.2
    opening = host.opens()
    assert isinstance(opening, OpenTable)
    for worth in ({"currency": "EUR", "worth_minor": 10}, {"worth_minor": 1}, {"currency": "EUR"}):
        Table().refuses(replace(opening, **worth), "worth_must_be_of_chips", ruling="H-SCORE.2")


def test_a_player_who_asks_for_any_seat_gets_the_lowest_free_seat() -> None:  # G.4
    an_open_table(players=2).when(stranger.sits_down(player=owner(9), pieces=0)).then(
        SeatTaken(seat=3, player=owner(9), chips=0, any_seat=True)
    )


def test_nobody_sits_twice_or_in_a_taken_seat_or_at_a_full_table() -> None:  # G.4
    table = an_open_table(players=2)
    table.refuses(stranger.sits_down(2, player=owner(9), pieces=0), "seat_must_be_free", ruling="G.4")
    table.refuses(stranger.sits_down(5, player=owner(9), pieces=0), "seat_must_be_free", ruling="G.4")
    table.refuses(stranger.sits_down(3, player=owner(1), pieces=0), "player_must_not_sit_twice", ruling="G.4")
    full = an_open_table(players=4)
    full.refuses(stranger.sits_down(player=owner(9), pieces=0), "table_must_have_a_free_seat", ruling="G.4")


def test_the_host_starts_once_all_four_are_seated() -> None:  # standard rules; G.4
    for players in range(4):
        table = an_open_table(players=players).may(host, host.closes(), host.invites(example_player()))
        table.refuses(host.starts(), "enough_seats_must_be_taken", ruling="G.4")
    table = (
        an_open_table(players=4).may(host, host.starts(), host.closes(), host.invites(example_player())).awaits(host)
    )
    for other in (*EVERYBODY, stranger, service):
        table.refuses(other.starts(), "host_must_ask", ruling="G.4")
    table.when(host.starts()).then(GameStarted(), ...)
    assert table.state.hand == 0


def test_until_the_start_a_player_may_leave() -> None:  # G.4, G.7
    table = an_open_table(players=4).may(seat(2), seat(2).leaves()).when(seat(2).leaves())
    table.then(SeatLeft(seat=2, chips=0, transfers=())).refuses(
        host.starts(), "enough_seats_must_be_taken", ruling="G.4"
    )


def in_every_phase() -> list[Table]:
    return [a_table(), at_slips(), at_slips().slips_lie(), at_auction(), hearts().dealt()]


def test_after_the_start_nobody_comes_or_goes() -> None:  # G.4
    for table in in_every_phase():
        for command in (
            seat(1).leaves(),
            stranger.sits_down(1, player=owner(9), pieces=0),
            host.starts(),
            host.closes(),
        ):
            table.refuses(command, "game_must_not_have_started", ruling="G.4")
        table.may(stranger)


def test_the_host_may_close_the_table_before_the_start() -> None:  # G.4, G.7
    table = an_open_table(players=2).when(host.closes()).then(TableClosed(), some(DeckUnused, epoch=DRAW)).awaits()
    table.refuses(seat(1).deals(), "game_must_be_under_way", ruling="G.4").may(host).may(seat(1))
    an_open_table(players=2).refuses(seat(1).closes(), "host_must_ask", ruling="G.4")


def test_a_table_is_opened_once() -> None:  # G.2
    an_open_table().refuses(host.opens(), "table_must_be_new", ruling="G.2")


def test_before_the_start_there_is_nothing_to_play() -> None:  # G.4
    table = an_open_table(players=4)
    for command in (seat(1).deals(), seat(1).insures(0), seat(1).plays("2c")):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")


EVERY_DECISION = [
    pytest.param(host.opens(target=30), host.by, id="open"),
    pytest.param(stranger.sits_down(4, pieces=0), seat(4).by, id="take a seat"),
    pytest.param(host.sits_down(4, pieces=0), host.by, id="seat a player"),
    pytest.param(seat(2).leaves(), seat(2).by, id="leave"),
    pytest.param(host.closes(), host.by, id="close"),
]


@pytest.mark.parametrize(("command", "author"), EVERY_DECISION)
def test_decisions_before_the_start_can_be_decided_again(command: Command, author: str) -> None:  # G.2, G.4
    table = Table() if isinstance(command, OpenTable) else an_open_table(players=3)
    table.when_decided_again(command, author)


def test_the_start_and_the_deal_can_be_decided_again() -> None:  # G.2, G.4
    table = an_open_table(players=4).when_decided_again(host.starts(), host.by)
    table.when_decided_again(table.dealer.deals(), table.dealer.by)
