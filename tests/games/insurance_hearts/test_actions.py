"""The actions of each player are exactly the commands that the rules accept, with all their values."""

import re

from service.cards import PACK
from service.games.common_commands import CallTime
from service.games.game import Choice
from service.games.insurance_hearts.commands import PassCards, PlayCard
from tests.games.insurance_hearts.actors import EVERYBODY, host, seat, service, stranger
from tests.games.insurance_hearts.deals import MIXED
from tests.games.insurance_hearts.table import SEATS, Table, a_table, at_auction, at_slips, hearts


def at_pass() -> Table:
    return hearts(hand=0).dealt(*MIXED)


def in_every_phase() -> list[Table]:
    choosing = at_auction(table="Ac Kd Qh Js").nobody_bids("2c", "2d", "2h", "2s")
    return [a_table(), at_slips(), at_pass(), at_auction(), choosing, hearts().dealt(*MIXED)]


def test_a_pass_is_offered_ready_to_be_made_with_all_cards_that_it_may_hold() -> None:  # standard rules; H-PASS.1, G.3
    table = at_pass()
    for number, highest in zip(SEATS, ("Ac Kd Qh", "Ad Kh Qs", "Ah Ks Qc", "As Kc Qd"), strict=True):
        (action,) = table.listed(seat(number))
        assert action.command == PassCards(by=seat(number).by, cards=tuple(highest.split()))
        assert action.choices == (Choice(member="cards", among=table.hand_of(number), count=3),)
        assert (action.rule, action.ruling, action.bounds) == ("standard rules", "H-PASS.1", ())
        table.accepts(action)


def test_every_listed_action_is_accepted_with_every_listed_value() -> None:  # standard rules; IH.1, G.3
    for table in in_every_phase():
        for actor in (*EVERYBODY, host):
            for action in table.listed(actor):
                table.accepts(action)


def test_only_players_whose_decision_is_due_get_actions() -> None:  # standard rules; IH.1, G.4
    for table in in_every_phase():
        due = {number for number in SEATS if table.listed(seat(number))}
        table.awaits(*map(seat, sorted(due)))
        assert due
        assert table.listed(stranger) == table.listed(service) == ()


def test_a_refusal_names_only_public_cards() -> None:  # G.1, G.6
    tables = [*in_every_phase(), hearts().dealt(*MIXED).played("2c")]
    for table in tables:
        lies_open = {*table.seen_by(0).auction, *(one.card for one in table.seen_by(0).trick)}
        for actor in (*EVERYBODY, stranger):
            for command in (
                actor.insures(9),
                actor.passes("2c 3d 4h"),
                actor.bids("Ac", 1000, showing="4h"),
                actor.bids_nothing(showing="As"),
                actor.chooses("7s"),
                actor.plays("Td"),
            ):
                said = table.refusal(command).detail
                assert set(re.findall(r"\b[2-9TJQKA][cdhs]\b", said)) <= lies_open


def test_the_host_is_offered_to_call_time_and_nothing_else() -> None:  # G.3
    for table in in_every_phase():
        assert [type(action.command) for action in table.listed(host)] == [CallTime]


def test_a_player_who_has_sealed_a_choice_gets_no_actions() -> None:  # IH.2, H-PASS.1, IH.7
    for table in in_every_phase()[1:4]:
        (first, *_) = table.listed(seat(1))
        table.given(first.command).may(seat(1))


def test_everything_offered_names_its_rule_or_ruling() -> None:  # G.8
    named = {
        (type(action.command).__name__, action.rule, action.ruling)
        for table in in_every_phase()
        for actor in (*EVERYBODY, host)
        for action in table.listed(actor)
    }
    assert named == {
        ("CallTime", "", "G.3"),
        ("ChooseLeftover", "Bidding", "IH.9"),
        ("DealHand", "standard rules", "H-DEAL.2"),
        ("MakeNoBid", "Bidding", "IH.7"),
        ("PassCards", "standard rules", "H-PASS.1"),
        ("PlaceBid", "Bidding", "IH.7"),
        ("PlayCard", "standard rules", "H-LEAD.1"),
        ("WriteSlip", "Foot Rule", "IH.4"),
        ("WriteSlip", "Insurance", "IH.2"),
    }


def test_exactly_the_legal_cards_are_offered_in_every_trick_of_a_hand() -> (
    None
):  # standard rules; H-FOLLOW.1, H-FIRST.1
    for options in (False, True):
        table = hearts(queen_breaks_hearts=options).dealt(*MIXED)
        while table.state.hand_is_running:
            offered = table.listed(table.next_one)
            cards = [action.command.card for action in offered if isinstance(action.command, PlayCard)]
            assert cards == sorted(cards, key=PACK.index)
            table.may_play(" ".join(cards)).given(offered[len(offered) // 2].command)
