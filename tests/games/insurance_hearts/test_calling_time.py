"""Decisions that the service makes when time is called: G.3."""

import pytest
from msgspec.structs import replace

from service.games import seating
from service.games.common_events import HandDealt
from service.games.game import Decision
from service.games.insurance_hearts.events import (
    BidsOpened,
    BidWritten,
    CardPlayed,
    CardsPassed,
    LeftoverChosen,
    LeftoverGiven,
    OpenedBid,
    PassChosen,
    PlayBegun,
    SlipWritten,
)
from tests.games.expected import some
from tests.games.insurance_hearts.actors import host, seat, service, stranger
from tests.games.insurance_hearts.deals import CLUBS, DIAMONDS, MIXED
from tests.games.insurance_hearts.table import SEATS, Table, a_table, an_open_table, at_auction, at_slips, hearts


def bidding() -> Table:
    return at_auction(table="Ac Kd Qh Js")


def choosing() -> Table:
    return bidding().nobody_bids("2c", "2d", "2h", "2s")


def playing() -> Table:
    return hearts().dealt(*MIXED)


def at_every_kind_of_decision() -> list[Table]:
    """Set up a table for each kind of decision; at these tables the first due seats are 4, 1, 1, 1, 4 and 1."""
    return [a_table(), at_slips(), at_slips().slips_lie(), bidding(), choosing(), playing()]


def test_a_deal_not_started_in_time_is_started() -> None:  # standard rules; G.3, H-DEAL.2
    table = a_table(dealer=2).may(host, host.calls_time())
    table.when(host.calls_time()).then(HandDealt(hand=1, dealer=2, called="host"), ...)


def test_a_player_who_writes_no_slip_insures_with_0_and_calls_no_foot() -> (
    None
):  # Insurance, Foot Rule; G.3, IH.2, IH.12
    table = at_slips().given(seat(2).insures(5))
    for number in (1, 3):
        table.when(host.calls_time()).then(SlipWritten(seat=number, called="host"))
        assert (table.decks.sealed(number, "insurance"), table.decks.sealed(number, "foot")) == (0, False)
    table.awaits(seat(4)).when(host.calls_time()).then(SlipWritten(seat=4, called="host"), ...)
    assert table.decks.sealed(2, "insurance") == 5


@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("2c 3c 4c 5c 6c 7c 8c 9c Tc 2d 3d 4d 5d", {"Tc", "9c", "8c"}),
        ("2c 3c Ac Kd Kc Qd Qh Qs Jd 2d 3d 4d 5d", {"Ac", "Kd", "Kc"}),
        ("2c 3c Qc Qd Qh Qs Jd Js 9c 2d 3d 4d 5d", {"Qs", "Qh", "Qd"}),
        ("2c 3c As Kc Ks Kh Jd Js 9c 2d 3d 4d 5d", {"As", "Ks", "Kh"}),
        ("2c Ac Ad Kc Kd Jd Js 9c 2d 3d 4d 5d 6d", {"Ad", "Ac", "Kd"}),
        ("2c 2d 2h 2s 3c 3d 4d 5d 6c 4c 5c 5h 6h", {"6h", "6c", "5h"}),
    ],
)
def test_a_player_who_passes_nothing_in_time_passes_the_three_highest_by_rank_and_then_by_suit(
    hand: str, passed: set[str]
) -> None:  # standard rules; G.3, H-PASS.2
    table = hearts(hand=0).dealt(hand).when(host.calls_time()).then(PassChosen(seat=1, called="host"))
    assert set(table.decks.sealed(1, "cards")) == passed


def test_time_is_called_by_seat_for_players_whose_pass_is_missing() -> None:  # standard rules; G.3, H-PASS.2
    table = hearts(hand=0).dealt().given(seat(1).passes("2c 3c 4c"), seat(3).passes("2h 3h 4h"))
    table.when(host.calls_time()).then(PassChosen(seat=2, called="host")).when(host.calls_time())
    table.then(
        PassChosen(seat=4, called="host"), CardsPassed(direction="left"), PlayBegun(leader=2, to_play=(2, 3, 4, 1))
    )
    assert {"Qd", "Kd", "Ad"} <= set(table.hand_of(3))
    assert {"Qs", "Ks", "As"} <= set(table.hand_of(1))


def test_a_player_who_does_not_bid_makes_no_bid_and_shows_the_weakest_card() -> None:  # Bidding; G.3, IH.13
    table = bidding().given(seat(4).bids("Js", 4, showing="9s"))
    for number in (1, 2):
        table.when(host.calls_time()).then(BidWritten(seat=number, called="host"))
    table.when(host.calls_time()).then_of(
        BidsOpened,
        BidsOpened(
            bids=(
                OpenedBid(seat=1, shown="2c"),
                OpenedBid(seat=2, shown="2d"),
                OpenedBid(seat=3, shown="2h"),
                OpenedBid(seat=4, card="Js", points=4, shown="9s"),
            )
        ),
    )


@pytest.mark.parametrize(
    ("hand", "weakest"),
    [
        ("Ac 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd", "Ac"),
        ("2s 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Ah", "2h"),
        ("9c Tc Jc Qc 2d 3d 4d 5d 6d 7d 8d 2s", "9c"),
        ("Ah 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs", "Ah"),
    ],
)
def test_the_weakest_card_is_found_by_suit_first(hand: str, weakest: str) -> None:  # Bidding; IH.8, IH.13
    table = at_auction(hand, table="Kc Kd Kh Ks").when(host.calls_time()).then(BidWritten(seat=1, called="host"))
    assert table.decks.sealed(1, "bid") == {"card": "", "points": 0, "shown": weakest}


@pytest.mark.parametrize(
    ("four", "chosen"),
    [
        ("Ac Kd Qh 3s", ("3s", "Qh", "Kd", "Ac")),
        ("As Ks 3s Ah", ("As", "Ks", "3s", "Ah")),
        ("Ac 3c Ad 3d", ("Ad", "3d", "Ac", "3c")),
    ],
)
def test_a_player_who_does_not_choose_gets_the_strongest_leftover(
    four: str, chosen: tuple[str, ...]
) -> None:  # IH.8, IH.13
    table = at_auction(table=four).nobody_bids("4c", "4d", "4h", "4s")
    for number, card in zip((4, 3), chosen, strict=False):
        table.when(host.calls_time()).then(LeftoverChosen(seat=number, card=card, called="host"))
    last = (LeftoverChosen(seat=2, card=chosen[2], called="host"), LeftoverGiven(seat=1, card=chosen[3]))
    table.when(host.calls_time()).then(*last, ...)


def test_a_player_who_does_not_play_plays_the_lowest_legal_card() -> None:  # standard rules; G.3, H-FOLLOW.2
    table = playing().when(host.calls_time()).then(CardPlayed(seat=1, card="2c", called="host"))
    table.when(host.calls_time()).then(CardPlayed(seat=2, card="3c", called="host"))
    table.when(host.calls_time()).then(CardPlayed(seat=3, card="4c", called="host"))
    table.given(seat(4).plays("Kc")).when(host.calls_time()).then(CardPlayed(seat=4, card="2s", called="host"))


@pytest.mark.parametrize(
    ("hand", "lowest"),
    [
        ("3s 3h 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd", "3d"),
        ("3s 3h 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad", "3s"),
        ("9s 3h 4h 4d 5d 6d 7d 8d 9d Td Jd Qd Kd", "4d"),
        ("Ts 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah", "Ts"),
        ("Qs 2h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah", "2h"),
    ],
)
def test_the_lowest_card_is_found_by_rank_and_then_by_suit(
    hand: str, lowest: str
) -> None:  # standard rules; H-FOLLOW.2, H-FIRST.1
    table = hearts().dealt(CLUBS, hand).given(seat(1).plays("2c"))
    table.when(host.calls_time()).then(CardPlayed(seat=2, card=lowest, breaks_hearts=lowest == "2h", called="host"))


@pytest.mark.parametrize(("second", "lowest"), [("Ac 4c 4d 4s", "4c"), ("Ac 4d 4s", "4d"), ("Ac 4s", "4s")])
def test_a_lead_is_also_the_lowest_card_by_rank_and_then_by_suit(
    second: str, lowest: str
) -> None:  # standard rules; H-FOLLOW.2
    table = hearts().dealt("2c", second, "3c", "5c").played("2c Ac 3c 5c").awaits(seat(2))
    table.when(host.calls_time()).then(CardPlayed(seat=2, card=lowest, called="host"))


def test_a_heart_is_lower_than_a_spade_of_its_rank() -> None:  # standard rules; H-FOLLOW.2
    table = hearts().dealt(CLUBS, DIAMONDS, "2h 2s As").played("2c 2d As").given(host.calls_time()).played("3c 3d")
    table.when(host.calls_time()).then(CardPlayed(seat=3, card="2h", breaks_hearts=True, called="host"))


def test_time_is_called_from_the_dealers_left() -> None:  # G.3, G.5
    table = at_slips(dealer=2).awaits(seat(3), seat(4), seat(1), seat(2)).given(seat(4).insures(1))
    for number in (3, 1):
        table.when(host.calls_time()).then(SlipWritten(seat=number, called="host"))
    table.when(host.calls_time()).then(SlipWritten(seat=2, called="host"), ...).awaits(
        seat(3), seat(4), seat(1), seat(2)
    )
    table.when(host.calls_time()).then(PassChosen(seat=3, called="host"))


def test_within_a_game_the_host_may_always_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        table.may(host, host.calls_time())


def test_the_service_may_call_time_for_a_time_limit() -> None:  # G.3
    for table, other in zip(at_every_kind_of_decision(), at_every_kind_of_decision(), strict=True):
        by_limit, by_host = table.when(service.calls_time()).emitted, other.when(host.calls_time()).emitted
        assert by_limit == (replace(by_host[0], called="limit"), *by_host[1:])


def test_no_player_may_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        for other in (*map(seat, SEATS), stranger):
            table.refuses(other.calls_time(), "host_must_ask", ruling="G.4")


def test_a_decision_of_the_service_is_marked_as_such_and_names_the_seat() -> None:  # G.3
    for table, number in zip(at_every_kind_of_decision(), (4, 1, 1, 1, 4, 1), strict=True):
        assert table.next_one.number == number
        decision = table.when(host.calls_time()).emitted[0]
        assert seating.author(host.calls_time(), decision) == service.by
        assert getattr(decision, "seat", getattr(decision, "dealer", 0)) == number


def test_a_decision_of_the_service_can_be_decided_again_and_is_sealed_as_a_players() -> None:  # G.1, G.3
    for table in at_every_kind_of_decision():
        table.when_decided_again(host.calls_time(), service.by)
    for table in at_every_kind_of_decision():
        table.when_decided_again(service.calls_time(), service.by)
    for table, fields in zip(
        at_every_kind_of_decision()[1:4], (["insurance", "foot"], ["cards"], ["bid"]), strict=True
    ):
        before = len(table.decks.fields)
        table.when(host.calls_time())
        now = table.decks.fields[before:]
        assert [(one.seat, one.field, one.secret.to) for one in now] == [(1, field, (1,)) for field in fields]


def test_time_is_called_for_one_decision_at_a_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        decisions = [event for event in table.when(host.calls_time()).emitted if isinstance(event, Decision)]
        assert len(decisions) == 1


def test_there_is_no_decision_to_call_for_before_the_game_and_after_it() -> None:  # G.3, G.4
    over = hearts(target=1).dealt().played_out()
    for table in (an_open_table(players=4), over, Table()):
        table.refuses(host.calls_time(), "game_must_be_under_way", ruling="G.4")


def test_a_choice_of_the_service_has_the_readers_of_a_players_choice() -> None:  # G.1, G.3
    table = hearts(hand=0).dealt().given(host.calls_time())
    assert table.seen_by(1).passed == {1: tuple(table.decks.sealed(1, "cards"))}
    assert all(table.seen_by(viewer).passed == {} for viewer in (0, 2, 3, 4))
    table.when(host.calls_time(), host.calls_time(), host.calls_time()).then_of(CardsPassed, some(CardsPassed))
