"""Opening and closing a table, taking and leaving seats, and starting the game: Rules 1 and 4, G.2, G.4, G.7."""

import pytest

from service.games import CURRENT, GAMES
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.options import Options
from service.games.common_commands import OpenTable
from service.games.common_events import (
    DeckOpened,
    DeckUnused,
    GameStarted,
    HandDealt,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
)
from service.games.game import Command
from service.ledger import HOUSE, chips, stack
from tests.games.actors import OWNER_OF_THE_TABLE, example_player, owner
from tests.games.bankrupt.actors import SHEET, host, seat, service, stranger
from tests.games.bankrupt.stacked import DRAW
from tests.games.bankrupt.table import Table, an_open_table, four_players
from tests.games.expected import some
from tests.games.table import balances


def test_the_game_is_ideally_for_four_players() -> None:  # Rule 1; B1.1
    assert (BANKRUPT.seats.least, BANKRUPT.seats.default, BANKRUPT.seats.most) == (2, 4, 17)


@pytest.mark.parametrize("seats", [2, 4, 17])
def test_a_table_has_two_to_seventeen_seats(seats: int) -> None:  # Rule 1; B1.1
    Table().when(host.opens(seats=seats)).then(some(TableOpened, seats=seats), DeckOpened)


@pytest.mark.parametrize("seats", [-1, 0, 1, 18, 52])
def test_a_table_has_no_other_number_of_seats(seats: int) -> None:  # Rule 1; B1.1
    Table().refuses(host.opens(seats=seats), "seats_must_be_within_the_games", rule="1", ruling="B1.1")


def test_two_players_are_enough_to_start() -> None:  # Rule 1; B1.1, G.4
    an_open_table(players=2).when(host.starts()).then(GameStarted(), ...)


@pytest.mark.parametrize("players", [0, 1])
def test_fewer_than_two_players_cannot_start(players: int) -> None:  # Rule 1; B1.1, G.4
    table = an_open_table(players=players).may(host, host.closes(), host.invites(example_player()))
    table.refuses(host.starts(), "enough_seats_must_be_taken", ruling="G.4")


def test_seventeen_players_may_sit_down_and_no_more() -> None:  # Rule 1; B1.1, G.4
    table = an_open_table(players=17, seats=17)
    table.refuses(stranger.sits_down(18), "table_must_have_a_free_seat", ruling="G.4")
    table.when(host.starts()).then(GameStarted(), ...)


def test_a_table_pins_game_edition_options_and_sheet_in_its_first_event() -> None:  # G.2
    (
        Table()
        .when(host.opens(seats=5, buy_in=30, show_one_card=True))
        .then(
            TableOpened(
                game="bankrupt",
                edition=1,
                sheet=SHEET,
                options={"buy_in": 30, "show_one_card": True},
                seats=5,
                host=OWNER_OF_THE_TABLE,
                visibility="public",
            ),
            some(DeckOpened, epoch=DRAW, n=52),
        )
    )


def test_the_sheet_that_a_table_pins_is_the_sheet_of_the_author() -> None:  # G.2
    assert SHEET == "a50de18b4a0b2a17e4260a8336f0f20933ff6e0c68f33b8acd48a1729cac6ca9"


def test_the_table_is_played_by_its_pinned_options() -> None:  # G.2
    table = Table().given(host.opens(buy_in=30, max_dead_rounds=2, max_throw_ins_in_a_row=1, show_one_card=True))
    assert table.state.options == Options(buy_in=30, max_dead_rounds=2, max_throw_ins_in_a_row=1, show_one_card=True)


def test_every_edition_stays_and_a_new_table_gets_the_current_edition() -> None:  # G.2
    assert GAMES["bankrupt", 1] is BANKRUPT
    assert CURRENT["bankrupt"].edition == max(edition for name, edition in GAMES if name == "bankrupt")


def test_a_table_is_opened_once() -> None:  # G.2
    an_open_table().refuses(host.opens(), "table_must_be_new", ruling="G.2")


def test_wherever_the_game_is_shown_its_author_and_year_are_named() -> None:  # G.8
    assert (BANKRUPT.sheet.author, BANKRUPT.sheet.year, BANKRUPT.sheet.title) == ("Aidan-B. Howard", 2011, "Bankrupt")


def test_a_player_who_takes_a_seat_buys_pieces_from_the_house() -> None:  # Rule 4; G.7
    table = an_open_table(buy_in=50).when(stranger.sits_down(3))
    table.then(SeatTaken(seat=3, player=owner(3), chips=50, transfers=(chips(HOUSE, stack(3), 50, rule="G.7"),)))
    assert balances(table) == {"house": -50, "stack:3": 50}


@pytest.mark.parametrize("pieces", [-50, 0, 1, 49, 51, 1_000_000])
def test_each_player_starts_with_an_equal_amount(pieces: int) -> None:  # Rule 4; B4.1
    table = an_open_table(buy_in=50)
    table.refuses(stranger.sits_down(1, pieces=pieces), "buy_in_must_be_the_tables", rule="4", ruling="B4.1")


def test_the_worth_of_a_chip_is_pinned_with_the_table() -> None:  # Rule 4; G.2, G.7
    ten_cents = OpenTable(
        by="host",
        host=OWNER_OF_THE_TABLE,
        game="bankrupt",
        edition=1,
        sheet=SHEET,
        options={},
        seats=4,
        visibility="private",
        currency="USD",
        worth_minor=10,
        time_limit_seconds=60,
    )
    table = (
        Table()
        .when(ten_cents)
        .then(
            some(TableOpened, currency="USD", worth_minor=10, time_limit_seconds=60, visibility="private"), DeckOpened
        )
    )
    state = table.state
    assert (state.currency, state.worth_minor, state.time_limit_seconds, state.visibility) == ("USD", 10, 60, "private")


def test_a_player_who_asks_for_any_seat_gets_the_lowest_free_seat() -> None:  # G.4
    table = an_open_table().given(stranger.sits_down(1), stranger.sits_down(3))
    table.when(stranger.sits_down(player=owner(9))).then(some(SeatTaken, seat=2, player=owner(9), any_seat=True))


def test_a_seat_is_taken_once() -> None:  # G.4
    table = an_open_table(players=2)
    table.refuses(stranger.sits_down(2, player=owner(9)), "seat_must_be_free", ruling="G.4")


@pytest.mark.parametrize("number", [-1, 5, 18])
def test_a_seat_must_be_a_seat_of_the_table(number: int) -> None:  # G.4
    table = an_open_table()
    table.refuses(stranger.sits_down(number, player=owner(9)), "seat_must_be_free", ruling="G.4")


def test_nobody_sits_twice() -> None:  # G.4
    table = an_open_table(players=2)
    table.refuses(stranger.sits_down(3, player=owner(1)), "player_must_not_sit_twice", ruling="G.4")


def test_the_host_may_seat_a_player() -> None:  # G.4
    table = an_open_table().when(host.sits_down(2)).then(some(SeatTaken, seat=2, player=owner(2)))
    assert table.state.players == {2: owner(2)}


def test_until_the_start_a_player_may_leave_and_gets_the_buy_in_back() -> None:  # G.4, G.7
    table = an_open_table(players=2).may(seat(2), seat(2).leaves())
    table.when(seat(2).leaves()).then(SeatLeft(seat=2, chips=50, transfers=(chips(stack(2), HOUSE, 50, rule="G.4"),)))
    assert balances(table) == {"house": -50, "stack:1": 50}
    table.when(stranger.sits_down(player=owner(5))).then(some(SeatTaken, seat=2))


def test_only_a_seated_player_leaves() -> None:  # G.4
    table = an_open_table(players=2)
    for other in (seat(3), host, stranger, service):
        table.refuses(other.leaves(), "player_must_have_a_seat", ruling="G.4")


def test_once_the_game_has_started_nobody_sits_down_or_leaves() -> None:  # Rule 4; G.4, G.7
    table = an_open_table(players=2).given(host.starts())
    table.refuses(stranger.sits_down(3), "game_must_not_have_started", ruling="G.4")
    table.refuses(seat(1).leaves(), "game_must_not_have_started", ruling="G.4")
    table.refuses(host.starts(), "game_must_not_have_started", ruling="G.4")
    table.refuses(host.closes(), "game_must_not_have_started", ruling="G.4")


def test_the_host_starts_the_game() -> None:  # G.4
    table = (
        an_open_table(players=2).awaits(host).may(host, host.starts(), host.closes(), host.invites(example_player()))
    )
    for other in (seat(1), seat(2), stranger, service):
        table.refuses(other.starts(), "host_must_ask", ruling="G.4")


def test_the_start_deals_no_hand_by_itself() -> None:  # G.4
    table = an_open_table(players=2).when(host.starts()).never(HandDealt)
    assert (table.state.hand, table.state.hand_is_running) == (0, False)


def test_nobody_plays_before_the_start() -> None:  # G.4
    table = an_open_table(players=2)
    for command in (seat(1).deals(), seat(1).resigns(), seat(1).holds(), seat(1).passes(), seat(1).declines()):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")


def test_the_host_may_close_the_table_before_the_start_and_all_get_their_buy_ins_back() -> None:  # G.4, G.6, G.7
    table = an_open_table(players=2).when(host.closes())
    table.then(
        TableClosed(
            transfers=(chips(stack(1), HOUSE, 50, rule="G.4"), chips(stack(2), HOUSE, 50, rule="G.4")),
        ),
        DeckUnused(epoch=DRAW, server_seed=table.decks.server_seed(DRAW)),
    ).awaits()
    assert balances(table) == {}


def test_only_the_host_closes_the_table() -> None:  # G.4
    table = an_open_table(players=2)
    for other in (seat(1), stranger, service):
        table.refuses(other.closes(), "host_must_ask", ruling="G.4")


def test_nobody_does_anything_at_a_closed_table() -> None:  # G.4
    table = an_open_table(players=2).given(host.closes()).may(host).may(seat(1))
    for command in (host.starts(), host.closes(), seat(1).leaves(), stranger.sits_down(3)):
        table.refuses(command, "game_must_not_have_started", ruling="G.4")
    table.refuses(host.calls_time(), "game_must_be_under_way", ruling="G.4")


BEFORE_THE_START = [
    pytest.param(host.opens(seats=5, buy_in=30), host.by, id="open"),
    pytest.param(stranger.sits_down(3), seat(3).by, id="take a seat"),
    pytest.param(stranger.sits_down(player=owner(9)), seat(3).by, id="take any seat"),
    pytest.param(host.sits_down(4), host.by, id="seat a player"),
    pytest.param(host.sits_down(player=owner(9)), host.by, id="seat a player anywhere"),
    pytest.param(seat(2).leaves(), seat(2).by, id="leave"),
    pytest.param(host.starts(), host.by, id="start"),
    pytest.param(host.closes(), host.by, id="close"),
]


@pytest.mark.parametrize(("command", "author"), BEFORE_THE_START)
def test_decisions_before_the_start_have_an_author_and_can_be_decided_again(
    command: Command, author: str
) -> None:  # G.2, G.4
    table = Table() if isinstance(command, OpenTable) else an_open_table(players=2)
    table.when_decided_again(command, author)


def test_a_game_goes_on_without_the_host() -> None:  # G.4
    four_players().may(host, host.calls_time()).may(stranger).may(service)
