"""Players' seeds at a table of Insurance: joining and leaving, and the vectors of deck/v1 (G.9, I-END.1)."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.games.common_commands import CallTime, CommitSeed, DealHand, LeaveSeat, RevealSeed, TakeSeat
from service.games.common_events import CardsDealt, DeckFixed, DeckOpened, DeckRevealed, DeckUnused
from service.games.game import HOST, PLAYER, Command, Event, seat_actor
from service.games.insurance import INSURANCE
from service.games.insurance.commands import OfferInsurance, PlaceBet, RefuseInsurance
from service.games.insurance.state import Phase, bettors, to_bet
from service.games.seeds import seed_rules
from service.games.seeds.seed_events import DeckBatchEnded, DeckSeedsSettled
from tests.games.actors import owner
from tests.games.real_decks import RealDecks
from tests.games.seeded import SeededTable
from tests.games.stacked import epoch_of

VECTORS = json.loads((Path(__file__).parents[3] / "api_spec/vectors.json").read_text(encoding="utf-8"))


def a_table(players: int = 3) -> SeededTable:
    return SeededTable(INSURANCE).started(players, {"buy_in": 1_000})


def bet_all(table: SeededTable) -> None:
    while seats := to_bet(table.state):
        table.do(PlaceBet(by=seat_actor(seats[0]), chips=10))


def deal(table: SeededTable) -> list[Event]:
    return table.do(DealHand(by=seat_actor(table.state.banker)))


def play_hand(table: SeededTable) -> list[Event]:
    """Play a hand in which nobody is insured, and return its events from the deal on."""
    bet_all(table)
    events = list(deal(table))
    while table.state.phase is Phase.OFFERING:
        events += table.do(OfferInsurance(by=seat_actor(table.state.to_offer[0]), chips=1))
    while table.state.phase is Phase.ACCEPTING:
        events += table.do(RefuseInsurance(by=seat_actor(table.state.banker), seat=table.state.to_answer[0]))
    return events


def test_players_bet_while_the_seeds_are_collected_and_only_the_deal_waits() -> None:  # G.9
    table = a_table()
    assert not seed_rules.waits(table.state)
    bet_all(table)
    assert seed_rules.waits(table.state)
    assert INSURANCE.due(table.state) == ("seat:2", "seat:3", "seat:1")  # These are all seats, from the banker's left.
    assert table.refusal(DealHand(by="seat:1")) == ("seeds_must_be_in", "G.9")
    table.all_commit()
    table.all_show()
    assert INSURANCE.due(table.state) == ("seat:1",)
    assert [event.level for event in deal(table) if isinstance(event, DeckFixed)] == ["joint"]


def test_time_may_be_called_for_seeds_only_while_the_game_waits_for_them() -> None:  # G.9
    table = a_table()
    assert table.refusal(CallTime(by=HOST))[0] == "hand_must_be_under_way"
    bet_all(table)
    assert table.listed(HOST) == [CallTime(by=HOST)]


def test_play_does_not_wait_for_the_next_batch_if_its_seeds_come_during_a_deck() -> None:  # G.9
    table = a_table()
    table.all_commit()
    table.all_show()
    play_hand(table)
    assert table.batch == epoch_of(2)
    table.all_commit()
    table.all_show()
    shuffles = 0
    while shuffles < 2:
        bet_all(table)
        assert not seed_rules.waits(table.state)
        fixed = [event for event in play_hand(table) if isinstance(event, DeckFixed)]
        shuffles += len(fixed)
        assert all(event.level == "joint" for event in fixed)
        if table.batch:
            table.all_commit()
            table.all_show()


def test_a_player_who_joins_or_leaves_ends_the_batch_and_new_seeds_make_its_decks_unused() -> None:  # G.9; I-BET.2
    table = a_table()
    table.all_commit()
    table.all_show()  # The first batch is ready, and none of its decks is fixed.
    left = table.do(LeaveSeat(by="seat:3"))
    assert left[1] == DeckBatchEnded(epoch=epoch_of(1))
    assert isinstance(left[2], DeckOpened)
    assert left[2].batch == epoch_of(2)
    assert table.do(TakeSeat(by=PLAYER, player=owner(9), chips=100))[1:] == []  # No batch ends: nobody has committed.
    table.all_commit()
    shown = table.all_show()
    assert [type(event) for event in shown[-2:]] == [DeckSeedsSettled, DeckUnused]
    assert shown[-1] == DeckUnused(epoch=epoch_of(1), server_seed=table.known.server_seed(epoch_of(1)))
    bet_all(table)
    assert [(event.epoch, event.level, event.seats) for event in deal(table) if isinstance(event, DeckFixed)] == [
        (epoch_of(2), "joint", (1, 2, 3))
    ]


def test_after_a_committed_player_left_no_batch_waits_for_that_seed() -> None:  # G.9
    table = a_table()
    table.all_commit()
    left = table.do(LeaveSeat(by="seat:2"))
    assert DeckBatchEnded(epoch=epoch_of(1)) in left
    assert seed_rules.owed(table.state).seats == (1, 3)
    assert table.refusal(CommitSeed(by="seat:1", epoch=epoch_of(1), client_commit="c" * 64))[0] == (
        "batch_must_await_seeds"
    )


def test_a_deck_in_play_stays_in_play_when_a_player_joins() -> None:  # G.9; I-END.1
    table = a_table()
    table.all_commit()
    table.all_show()
    play_hand(table)
    table.do(LeaveSeat(by="seat:2"))
    table.do(TakeSeat(by=PLAYER, player=owner(9), chips=100))
    dealt = [event for event in play_hand(table) if isinstance(event, CardsDealt)]
    assert dealt
    assert {event.epoch for event in dealt} == {epoch_of(1)}


def test_every_seat_owes_a_seed_even_if_its_player_can_not_bet() -> None:  # G.9
    table = a_table()
    table.do(LeaveSeat(by="seat:3"), TakeSeat(by=PLAYER, player=owner(3), chips=9))
    assert seed_rules.owed(table.state).seats == (1, 2, 3)


@pytest.mark.parametrize("name", ["S1_std52_three_seats", "S7_std52_ten_seats"])
def test_the_vectors_come_out_of_a_table(name: str) -> None:  # G.9
    vector: dict[str, Any] = VECTORS[name]
    clients = {int(seat.removeprefix("seat:")): seed for seat, seed in vector["clients"].items()}
    table_id = vector["epoch"].partition("/")[0]
    decks = RealDecks(1, {vector["epoch"]: bytes.fromhex(vector["server_seed"])})
    table = SeededTable(INSURANCE, decks, table_id).started(len(clients), {"buy_in": 1_000})
    events: list[Event] = []
    while not any(isinstance(event, DeckRevealed) and event.epoch == vector["epoch"] for event in events):
        if table.batch == vector["epoch"]:
            table.do(*_commitments(vector))
            table.do(*_seeds(vector, clients))
        elif table.batch:
            table.all_commit()
            table.all_show()
        events += play_hand(table)
    (fixed,) = (event for event in events if isinstance(event, DeckFixed) and event.epoch == vector["epoch"])
    assert (fixed.transcript, fixed.deck_root) == (vector["transcript_sha256"], vector["deck_root"])
    assert (fixed.level, fixed.seats) == ("joint", tuple(sorted(clients)))
    assert " ".join(decks.deck(vector["epoch"]).order) == vector["deck"]
    assert decks.server_commit(vector["epoch"]) == vector["server_commit"]
    assert bettors(table.state)


def _commitments(vector: dict[str, Any]) -> list[Command]:
    return [
        CommitSeed(by=seat, epoch=vector["epoch"], client_commit=commitment)
        for seat, commitment in vector["client_commits"].items()
    ]


def _seeds(vector: dict[str, Any], clients: dict[int, str]) -> list[Command]:
    return [RevealSeed(by=seat_actor(seat), epoch=vector["epoch"], client_seed=seed) for seat, seed in clients.items()]
