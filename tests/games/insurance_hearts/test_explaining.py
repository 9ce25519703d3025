"""The reason for every transfer of points: the rule, the ruling, a formula and the cards taken."""

from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.events import AuctionSettled, Sold
from service.games.payouts import Payout
from service.ledger import POINTS, POOL, score
from tests.games.insurance_hearts.actors import stranger
from tests.games.insurance_hearts.deals import LAST_CARD, moon_by_a, played_by_a
from tests.games.insurance_hearts.table import Table, an_open_table, at_slips, hearts


def payouts(table: Table) -> tuple[Payout, ...]:
    """Return the payouts of the event that scores the hand."""
    return INSURANCE_HEARTS.explain(table.scored())


def of(table: Table, number: int) -> list[tuple[int, str, str]]:
    """List the amounts added to the score of seat *number* (negative: subtracted), with rule and ruling."""
    mine = [one for one in payouts(table) if score(number) in {one.source, one.target}]
    return [(one.amount if one.target == score(number) else -one.amount, one.rule, one.ruling) for one in mine]


def test_each_payout_names_its_rule_and_ruling() -> None:  # Insurance, Bidding; H-SCORE.1, IH.5, IH.10
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD)
    assert of(table, 1) == [(18, "standard rules", "H-SCORE.1"), (-5, "Insurance", "IH.5")]
    assert sorted(of(table, 2)) == [
        (2, "Insurance", "IH.5"),
        (3, "Bidding", "IH.10"),
        (3, "standard rules", "H-SCORE.1"),
    ]
    assert of(table, 3) == [(5, "standard rules", "H-SCORE.1")]
    assert of(table, 4) == [(1, "Insurance", "IH.5")]


def test_the_cost_of_a_bid_is_explained_by_the_bought_card() -> None:  # Bidding; IH.10
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD)
    auction = AuctionSettled(sold=(Sold(seat=2, card="Kd", points=3),), choosing=(1, 3, 4), left=())
    (known,) = (one for one in INSURANCE_HEARTS.explain(table.scored(), [auction]) if one.ruling == "IH.10")
    assert (known.target, known.cards, known.formula) == (score(2), ("Kd",), "Kd was bought in the auction for 3")
    (unknown,) = (one for one in payouts(table) if one.ruling == "IH.10")
    assert unknown.formula == "a card of the auction was bought for 3"


def test_after_a_moon_the_shooters_insurance_is_its_reason() -> None:  # Insurance; H-SCORE.1, IH.6, IH.10
    table = moon_by_a(4, 3, 6, 1)
    table.when(*[action.command for action in table.listed(table.next_one)])
    assert of(table, 1) == []
    for number in (2, 3):
        assert of(table, number) == [(26, "standard rules", "H-SCORE.1"), (-4, "Insurance", "IH.6")]
    assert sorted(of(table, 4)) == [
        (-4, "Insurance", "IH.6"),
        (2, "Bidding", "IH.10"),
        (26, "standard rules", "H-SCORE.1"),
    ]


def test_points_are_explained_by_the_cards_taken() -> None:  # standard rules; H-SCORE.1
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD)
    found = {one.target: one for one in payouts(table) if one.ruling == "H-SCORE.1"}
    assert set(found[score(1)].cards) == {"Qs", "Jh", "8h", "Qh", "4h", "2h"}
    assert set(found[score(2)].cards) == {"9h", "Kh", "5h"}
    assert set(found[score(3)].cards) == {"3h", "7h", "6h", "Ah", "Th"}


def test_after_a_moon_the_26_are_explained_by_all_fourteen_cards() -> None:  # standard rules; H-SCORE.1
    table = hearts().dealt().when_played_out()
    for one in payouts(table):
        assert set(one.cards) == {"Qs", *(f"{rank}h" for rank in "23456789TJQKA")}


def test_every_payout_is_a_transfer_with_a_formula_for_people() -> None:  # H-SCORE.1, IH.5, IH.6, IH.10
    for table in (played_by_a(5, 2, 0, 1, bidding=True), moon_by_a(4, 3, 6, 1)):
        table.when(*[action.command for action in table.listed(table.next_one)])
        assert len(payouts(table)) == len(table.scored().transfers)
        for one, transfer in zip(payouts(table), table.scored().transfers, strict=True):
            assert (one.source, one.target, one.amount) == (transfer.source, transfer.target, transfer.amount)
            assert (one.unit, one.rule) == (POINTS, transfer.rule)
            assert POOL in {one.source, one.target}
            assert one.formula


def test_nothing_else_moves_anything() -> None:  # G.7
    opened = an_open_table(players=1).when(stranger.sits_down(2, pieces=0))
    assert opened.why_moved() == []
    table = at_slips().when_slips_lie(1, 2, 3, 4, feet=(1,))
    assert [payout for event in table.emitted for payout in INSURANCE_HEARTS.explain(event)] == []
