"""Opening and closing a table, taking and leaving seats, and buying chips: I-BET.2, I-BET.5, I-END.3, G.2, G.4."""

import msgspec
import pytest
from msgspec.structs import replace

from service.games import CURRENT, GAMES
from service.games.common_commands import OpenTable, OptionValue
from service.games.common_events import (
    CardsDealt,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    GameStarted,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
)
from service.games.game import MOST_CHIPS, Command
from service.games.insurance import INSURANCE
from service.games.insurance.events import ChipsBought, HandBegun, SatIn
from service.games.insurance.options import SEATS, Options
from service.games.insurance.state import most_to_sell
from service.games.table_state import balance_of
from service.ledger import HOUSE, chips, stack
from tests.games.actors import OWNER_OF_THE_TABLE, example_player, owner
from tests.games.expected import some
from tests.games.insurance.actors import SHEET, host, seat, service, stranger
from tests.games.insurance.table import FIRST, NON_GAMBLING, SECOND, Table, a_game, a_table, an_open_table
from tests.games.table import balances

SHARE = MOST_CHIPS // SEATS.most

DURING = {"rule": "BET", "ruling": "I-BET.2"}
OPTIONS = {"rule": "NON-GAMBLING VARIATION", "ruling": "I-BET.3"}


@pytest.mark.parametrize("seats", [2, 4, 17, 52])
def test_a_table_has_two_to_fifty_two_seats(seats: int) -> None:  # INTRODUCTION; I-END.3
    Table().when(host.opens(seats=seats)).then(some(TableOpened, seats=seats), DeckOpened)


@pytest.mark.parametrize("seats", [-1, 0, 1, 53])
def test_a_table_has_no_other_number_of_seats(seats: int) -> None:  # INTRODUCTION; I-END.3
    Table().refuses(host.opens(seats=seats), "seats_must_be_within_the_games", rule="INTRODUCTION", ruling="I-END.3")


def test_the_range_of_seats_is_named() -> None:  # INTRODUCTION; I-END.3
    assert (INSURANCE.seats.least, INSURANCE.seats.most) == (2, 52)


def test_a_table_pins_game_edition_options_and_sheet_in_its_first_event() -> None:  # G.2
    (
        Table()
        .when(host.opens(seats=5, form=NON_GAMBLING, standard_bets=(10, 20)))
        .then(
            TableOpened(
                game="insurance",
                edition=1,
                sheet=SHEET,
                options={"form": "non_gambling", "standard_bets": (10, 20)},
                seats=5,
                host=OWNER_OF_THE_TABLE,
                visibility="public",
            ),
            some(DeckOpened, epoch=FIRST, n=52),
        )
    )
    assert SHEET == "d7214cbf5b4f4bd9e6edb94d4ac85acd19cabd17c04c9aadb41ef57e1a216cc7"
    assert (GAMES["insurance", 1], CURRENT["insurance"]) == (INSURANCE, INSURANCE)


def test_wherever_the_game_is_shown_its_author_and_year_are_named() -> None:  # INTRODUCTION; G.8
    assert (INSURANCE.sheet.author, INSURANCE.sheet.year, INSURANCE.sheet.title) == ("Mark Steere", 2022, "Insurance")


def test_the_table_is_played_by_its_pinned_options() -> None:  # NON-GAMBLING VARIATION; G.2, I-END.2
    table = Table().given(host.opens(form=NON_GAMBLING, buy_in=60, standard_bets=(10, 10, 25), first_banker=3))
    assert table.state.options == Options(form=NON_GAMBLING, buy_in=60, standard_bets=(10, 10, 25), first_banker=3)
    assert Table().given(host.opens()).state.options.form == "gambling"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        pytest.param({"standard_bets": (10,)}, OPTIONS, id="a standard bet while gambling: I-BET.3"),
        pytest.param({"form": NON_GAMBLING, "standard_bets": (20, 10)}, OPTIONS, id="a bet that falls: I-BET.3"),
        pytest.param({"form": NON_GAMBLING, "standard_bets": (20, 30, 29)}, OPTIONS, id="one that falls late: I-BET.3"),
        pytest.param({"first_banker": 5}, {"rule": "INTRODUCTION", "ruling": "I-END.2"}, id="no such seat: I-END.2"),
        pytest.param({"form": NON_GAMBLING, "standard_bets": (9,)}, {"ruling": "G.2"}, id="a bet below ten: I-BET.3"),
        pytest.param({"first_banker": 0}, {"ruling": "G.2"}, id="seat 0: G.2"),
        pytest.param({"form": "for_fun"}, {"ruling": "G.2"}, id="no such form: G.2"),
        pytest.param({"buy_in": 0}, {"ruling": "G.2"}, id="no chips: G.2"),
        pytest.param({"colour": 1}, {"ruling": "G.2"}, id="no such option: G.2"),
        pytest.param({"form": NON_GAMBLING, "standard_bets": 10}, {"ruling": "G.2"}, id="a bet that is no list: G.2"),
    ],
)
def test_a_table_takes_only_the_options_of_the_game(
    options: dict[str, OptionValue], why: dict[str, str]
) -> None:  # NON-GAMBLING VARIATION; I-BET.3, I-END.2, G.2
    Table().refuses(host.opens(seats=4, **options), "options_must_be_the_games", **why)


def test_the_schedule_of_bets_may_repeat_a_bet_and_may_be_empty() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    for bets in ((), (10,), (10, 10, 20, 20)):
        Table().when(host.opens(form=NON_GAMBLING, standard_bets=bets)).then(TableOpened, DeckOpened)


@pytest.mark.parametrize("pieces", [1, 9, 10, 77, SHARE])
def test_in_the_gambling_game_each_player_chooses_how_many_chips_to_buy(pieces: int) -> None:  # I-BET.5, G.7
    table = an_open_table().when(stranger.sits_down(3, pieces=pieces))
    bought = chips(HOUSE, stack(3), pieces, rule="G.7")
    table.then(SeatTaken(seat=3, player=owner(3), chips=pieces, transfers=(bought,)))


@pytest.mark.parametrize("pieces", [-1, 0, SHARE + 1])
def test_a_buy_in_is_a_number_of_chips(pieces: int) -> None:  # I-BET.2, I-BET.5
    for table in (an_open_table(), a_table(100, 100, 0, 100)):
        table.refuses(stranger.sits_down(3, pieces=pieces), "chips_must_be_within_their_bounds", ruling="I-BET.5")
    a_table(100, 100).refuses(seat(2).buys(pieces), "chips_must_be_within_their_bounds", ruling="I-BET.5")


def test_a_table_sells_no_more_chips_than_one_stack_can_hold() -> None:  # I-BET.2, I-BET.5
    table = a_table(100, 100, 0).given(seat(1).buys(SHARE - 100))
    assert 52 * SHARE <= MOST_CHIPS
    assert table.bounds(seat(2))["BuyChips"] == (1, SHARE - 100)
    table.refuses(seat(1).buys(1), "chips_must_be_within_their_bounds", ruling="I-BET.5")
    table.refuses(seat(2).buys(SHARE - 99), "chips_must_be_within_their_bounds", ruling="I-BET.5")
    table.may(seat(1), seat(1).leaves())
    (left,) = table.when(seat(1).leaves()).emitted
    assert msgspec.json.decode(msgspec.json.encode(left), type=SeatLeft) == left


def test_the_table_never_sells_more_chips_than_it_can_count() -> None:  # I-BET.2, I-BET.5
    table = a_table(100, 100)
    full = replace(table.state, balances={HOUSE: -MOST_CHIPS + 40, stack(1): MOST_CHIPS - 60, stack(2): 20})
    assert most_to_sell(full, 2) == most_to_sell(full) == 40
    assert most_to_sell(full, 1) == 0
    none_left = replace(full, balances={HOUSE: -MOST_CHIPS, stack(1): MOST_CHIPS})
    assert most_to_sell(none_left) == 0


def test_the_host_starts_once_two_are_seated_and_no_hand_begins_by_itself() -> None:  # INTRODUCTION; G.4
    an_open_table(players=1).refuses(host.starts(), "enough_seats_must_be_taken", ruling="G.4")
    table = (
        an_open_table(players=2).may(host, host.starts(), host.closes(), host.invites(example_player())).awaits(host)
    )
    table.refuses(seat(1).starts(), "host_must_ask", ruling="G.4")
    table.when(host.starts()).then(GameStarted(seats_stay_open=True)).awaits(seat(2))


def test_until_the_start_a_player_may_leave_and_gets_the_buy_in_back() -> None:  # G.4, G.7
    table = an_open_table(players=2).may(seat(2), seat(2).leaves()).when(seat(2).leaves())
    table.then(SeatLeft(seat=2, chips=100, transfers=(chips(stack(2), HOUSE, 100, rule="G.4"),)))


def test_before_the_start_nobody_buys_more() -> None:  # I-BET.2, G.4
    an_open_table(players=2).refuses(seat(1).buys(10), "game_must_be_under_way", ruling="G.4")


def test_between_hands_a_player_may_buy_chips() -> None:  # BET; I-BET.2, G.7
    table = a_table(100, 100)
    assert table.bounds(seat(1)) == {"BuyChips": (1, SHARE - 100)}
    bought = chips(HOUSE, stack(1), 35, rule="G.7")
    table.when(seat(1).buys(35)).then(ChipsBought(seat=1, chips=35, transfers=(bought,))).has(stacks=(135, 100))


def test_a_player_without_chips_may_buy_chips_again() -> None:  # BET; I-BET.2
    table = a_table(100, 10).bets_lie(10).dealt("As").awaits()
    table.given(seat(2).buys(10)).awaits(seat(1))


def test_between_hands_a_player_may_leave_with_their_chips() -> None:  # BET; I-BET.2, G.7
    table = a_table(100, 64, 100).when(seat(2).leaves())
    table.then(SeatLeft(seat=2, chips=64, transfers=(chips(stack(2), HOUSE, 64, rule="G.7"),)))
    assert balances(table) == {HOUSE: -200, stack(1): 100, stack(3): 100}
    table.awaits(seat(3)).may(seat(2))


def test_a_player_without_chips_may_also_leave() -> None:  # BET; I-BET.2
    table = a_table(100, 10, 100).bets_lie(10, 10).dealt("As").when(seat(2).leaves()).then(SeatLeft(seat=2, chips=0))
    assert table.state.players.keys() == {1, 3}


def test_a_seat_that_a_player_has_left_is_free_again_for_another_players_buy_in() -> None:  # BET; I-BET.2, G.4
    table = a_table(100, 64, 100).given(seat(2).leaves())
    table.when(stranger.sits_down(player=owner(9), pieces=30)).then(some(SeatTaken, seat=2, player=owner(9), chips=30))
    table.awaits(seat(2), seat(3)).has(stacks=(100, 30, 100))


def test_between_hands_somebody_new_may_sit_down_and_plays_the_next_hand() -> None:  # BET; I-BET.2, G.4
    table = a_table(100, 0, 100).bets_lie(10).dealt("As")
    table.when(stranger.sits_down(2, pieces=10)).then(SeatTaken).awaits(seat(3), seat(1))
    table.when(seat(1).bets(10)).then_of(HandBegun, some(HandBegun, banker=2, players=(1, 2, 3)))


def test_sitting_down_is_the_same_between_hands_as_before_the_start() -> None:  # G.4
    table = a_table(100, 0, 100)
    table.refuses(stranger.sits_down(3, player=owner(9)), "seat_must_be_free", ruling="G.4")
    table.refuses(stranger.sits_down(2, player=owner(1)), "player_must_not_sit_twice", ruling="G.4")
    full = a_table(100, 100)
    full.refuses(stranger.sits_down(player=owner(9)), "table_must_have_a_free_seat", ruling="G.4")


def in_every_phase_of_a_hand() -> list[Table]:
    """Set up four tables at different moments of a hand of three players; each table has a free seat and a bet."""
    tables = [a_table(100, 100, 100, 0).given(seat(2).bets(10)) for _ in range(4)]
    for table in tables[1:]:
        table.given(seat(3).bets(10))
    for table in tables[2:]:
        table.dealt("9s")
    tables[3].offers_lie(1, 1)
    return tables


def test_while_a_bet_is_placed_nobody_joins_leaves_or_buys_and_the_table_is_not_closed() -> None:  # BET; I-BET.2, G.4
    for table in in_every_phase_of_a_hand():
        for command in (stranger.sits_down(4), seat(3).leaves(), seat(1).buys(10), host.closes()):
            table.refuses(command, "hand_must_be_over", **DURING)


def test_once_the_hand_is_over_players_may_take_seats_again() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).bets_lie(10, 10).dealt("As").may(host, host.closes(), host.invites(example_player()))
    table.may(seat(2), seat(2).sits_out(), seat(2).buys(1), seat(2).leaves())


def test_only_a_seated_player_buys_or_leaves() -> None:  # BET; I-BET.2, G.4
    table = a_table(100, 100)
    for other in (seat(3), host, stranger):
        for command in (other.buys(10), other.leaves()):
            table.refuses(command, "player_must_have_a_seat", ruling="G.4")


def test_sitting_out_lasts_even_if_others_leave_and_no_hand_begins_without_two() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).given(seat(1).sits_out(), seat(2).leaves()).awaits()
    table.may(seat(1), seat(1).sits_in(), seat(1).buys(1), seat(1).leaves())
    table.refuses(seat(3).bets(10), "enough_must_be_able_to_play", rule="BET", ruling="I-BET.2")


def test_a_player_who_sits_out_may_sit_in_while_no_bet_is_placed() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).given(seat(1).sits_out()).when(seat(1).sits_in()).then(SatIn(seat=1))
    table.awaits(seat(2), seat(3)).refuses(
        seat(1).sits_in(), "player_must_be_sitting_out", rule="BET", ruling="I-BET.2"
    )
    table.given(seat(1).sits_out(), seat(3).bets(10))
    table.refuses(seat(1).sits_in(), "hand_must_be_over", rule="BET", ruling="I-BET.2")
    a_game(100, 100).refuses(
        seat(1).sits_in(), "table_must_be_for_gambling", rule="NON-GAMBLING VARIATION", ruling="I-BET.3"
    )


def test_a_new_player_does_not_sit_out_in_a_seat_that_sat_out() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100, 100).given(seat(3).sits_out(), seat(3).leaves(), stranger.sits_down(3))
    table.awaits(seat(2), seat(3), seat(4))


def test_the_host_may_close_the_table_between_hands_and_everyone_is_cashed_out() -> None:  # BET; I-BET.2, G.4, G.6, G.7
    table = a_table(100, 10, 100).bets_lie(10, 10).dealt("As").when(host.closes())
    table.then(
        TableClosed(
            transfers=(chips(stack(1), HOUSE, 120, rule="G.7"), chips(stack(3), HOUSE, 90, rule="G.7")),
        ),
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        DeckUnused(epoch=SECOND, server_seed=table.decks.server_seed(SECOND)),
    ).awaits()
    assert (balances(table), table.state.status) == ({}, "closed")


def test_a_table_closed_before_its_first_hand_reveals_no_deck() -> None:  # G.6, I-BET.2
    a_table(100, 100).when(host.closes()).then(TableClosed, DeckUnused).never(DeckRevealed, CardsDealt)


def test_only_the_host_closes_the_table() -> None:  # I-BET.2, G.4
    for other in (seat(1), stranger, service):
        a_table(100, 100).refuses(other.closes(), "host_must_ask", ruling="G.4")


def test_nobody_does_anything_at_a_closed_table() -> None:  # G.4
    table = a_table(100, 100).given(host.closes()).may(host).may(seat(1))
    for command in (seat(2).bets(10), seat(1).deals(), host.calls_time(), seat(2).sits_out()):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")
    for command in (host.starts(), host.closes(), seat(1).leaves(), stranger.sits_down(3)):
        table.refuses(command, "game_must_not_have_started", ruling="G.4")


EVERY_DECISION = [
    pytest.param(host.opens(seats=5, buy_in=30), host.by, id="open"),
    pytest.param(stranger.sits_down(4), seat(4).by, id="take a seat"),
    pytest.param(host.sits_down(4), host.by, id="seat a player"),
    pytest.param(seat(2).leaves(), seat(2).by, id="leave"),
    pytest.param(seat(2).buys(3), seat(2).by, id="buy"),
    pytest.param(seat(2).sits_out(), seat(2).by, id="sit out"),
    pytest.param(seat(2).bets(12), seat(2).by, id="bet"),
    pytest.param(host.closes(), host.by, id="close"),
]


@pytest.mark.parametrize(("command", "author"), EVERY_DECISION)
def test_decisions_between_hands_have_an_author_and_can_be_decided_again(
    command: Command, author: str
) -> None:  # G.2, G.4
    table = Table() if isinstance(command, OpenTable) else a_table(100, 100, 100, 0)
    table.when_decided_again(command, author)


def test_chips_enter_and_leave_only_against_the_house() -> None:  # G.7
    table = a_table(100, 100, 100).given(seat(1).buys(5)).bets_lie(10, 20).dealt("2s").given(seat(3).leaves())
    assert (balance_of(table.state, HOUSE), sum(table.state.balances.values())) == (-305 + 120, 0)
