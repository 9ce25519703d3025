"""Players' seeds at a table of every game: ruling G.9, and "Players' seeds" of deck/v1."""

from typing import Any

import pytest
from msgspec.structs import replace

from service.games import GAMES
from service.games.common_commands import CallTime, CommitSeed, DealHand, RevealSeed
from service.games.common_events import CardsDealt, DealerDrawn, DeckFixed, DeckOpened, GameStarted, TableOpened
from service.games.definition import Game
from service.games.game import HOST, SERVICE, Command, seat_actor
from service.games.seeds import seed_rules
from service.games.seeds.seed_events import (
    DeckBatchEnded,
    DeckCommitmentsClosed,
    DeckSeedCommitted,
    DeckSeedOmitted,
    DeckSeedRevealed,
    DeckSeedsDropped,
    DeckSeedsSettled,
    DrawTied,
)
from tests.games.random_play import play
from tests.games.seeded import SeededTable
from tests.games.stacked import TABLE, StackedDecks, epoch_of

CALL = CallTime(by=HOST)
every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
waiting_games = pytest.mark.parametrize(
    "game", [pytest.param(game, id=game.name) for game in GAMES.values() if game.state_type.DECKS_OF_START]
)
"""The games whose start waits for the first seeds, because a dealer is drawn."""


def kinds(events: list[Any]) -> list[type]:
    return [type(event) for event in events]


def fixed(table: SeededTable, events: list[Any]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(one.epoch, one.level, one.seats) for one in events if isinstance(one, DeckFixed)]


@every_game
def test_the_service_commits_to_a_whole_batch_before_anybody_sits(game: Game) -> None:
    table = SeededTable(game).started()
    opened = [f"{TABLE}/{number}" for number in range(1, table.state.decks_opened + 1)]
    assert len(opened) == game.state_type.DECKS_OF_BATCH + game.state_type.DECKS_OF_START
    assert table.state.batches[epoch_of(1)].decks == tuple(opened)
    assert table.state.reserve == ""


@waiting_games
def test_the_start_waits_until_every_seat_has_given_its_seed_and_the_draw_follows_at_once(game: Game) -> None:
    table = SeededTable(game).started()
    seats = tuple(table.state.players)
    assert kinds(table.events) == [GameStarted]
    assert game.due(table.state) == tuple(map(seat_actor, seats))
    committed = table.all_commit()
    assert kinds(committed) == [DeckSeedCommitted] * len(seats) + [DeckCommitmentsClosed]
    assert game.due(table.state) == tuple(map(seat_actor, seats))
    shown = table.all_show()
    wanted = [*[DeckSeedRevealed] * len(seats), DeckSeedsSettled, DeckFixed, DeckOpened]
    assert kinds(shown)[: len(wanted)] == wanted
    assert any(isinstance(event, DealerDrawn) for event in shown)
    assert {one[1:] for one in fixed(table, shown)} == {("joint", seats)}
    assert game.due(table.state) == (seat_actor(table.state.dealer),)


@every_game
def test_the_actions_list_a_commitment_or_a_seed_that_the_player_owes(game: Game) -> None:
    table = SeededTable(game).started()
    commit = CommitSeed(by="seat:1", epoch=table.batch, client_commit="")
    show = RevealSeed(by="seat:1", epoch=table.batch, client_seed="")
    assert table.listed("seat:1").count(commit) == 1
    table.all_commit([1])
    assert {commit, show} & set(table.listed("seat:1")) == set()
    table.all_commit()
    assert table.listed("seat:1").count(show) == 1
    table.all_show([1])
    assert {commit, show} & set(table.listed("seat:1")) == set()
    assert not [one for one in table.listed(HOST) if isinstance(one, CommitSeed | RevealSeed)]


@every_game
def test_at_a_table_without_players_seeds_nobody_is_asked_for_a_seed(game: Game) -> None:
    for step in play(game, 0):
        assert seed_rules.owed(step.after[-1]).seats == ()
        assert not any(getattr(event, "batch", "") or getattr(event, "seats_in", ()) for event in step.events)


@every_game
def test_a_commitment_cannot_be_changed(game: Game) -> None:
    table = SeededTable(game).started()
    table.all_commit([1])
    assert table.refusal(table.commitment(1)) == ("commitment_must_stand", "G.9")
    other = replace(table.commitment(1), client_commit="c" * 64)
    assert table.refusal(other) == ("commitment_must_stand", "G.9")


@every_game
def test_nobody_commits_once_the_commitments_are_closed(game: Game) -> None:
    table = SeededTable(game).started()
    table.all_commit()
    assert table.refusal(table.commitment(1)) == ("commitments_must_be_open", "G.9")


@every_game
def test_no_seed_is_shown_while_others_may_still_commit(game: Game) -> None:
    table = SeededTable(game).started()
    table.all_commit([1])
    assert table.refusal(table.seed(1)) == ("commitments_must_be_closed", "G.9")
    assert table.refusal(table.seed(2)) == ("commitment_must_be_given", "G.9")


@every_game
def test_a_seed_must_be_the_one_to_which_its_seat_has_committed(game: Game) -> None:
    table = SeededTable(game).started()
    table.all_commit()
    of_another = replace(table.seed(2), by="seat:1")
    assert table.refusal(of_another) == ("seed_must_match_its_commitment", "G.9")
    before = table.state
    assert table.refusal(RevealSeed(by="seat:1", epoch=table.batch, client_seed="0" * 64))[0]
    assert table.state == before
    assert table.refusal(table.seed(1)) == ("", "")


@every_game
def test_a_seed_is_shown_once(game: Game) -> None:
    table = SeededTable(game).started()
    table.all_commit()
    table.all_show([1])
    assert table.refusal(table.seed(1)) == ("seed_must_stand", "G.9")


@every_game
def test_a_commitment_or_a_seed_for_another_batch_comes_too_early_or_too_late(game: Game) -> None:
    table = SeededTable(game).started()
    seed, commitment = table.seed(1), table.commitment(1)
    for name in (epoch_of(99), "tbl_0/1"):
        for command in (seed, commitment):
            other: Command = replace(command, epoch=name)
            assert table.refusal(other) == ("batch_must_await_seeds", "G.9")
    table.all_commit()
    table.all_show()
    assert table.refusal(seed) == table.refusal(commitment) == ("batch_must_await_seeds", "G.9")


@every_game
def test_only_a_table_with_players_seeds_takes_commitments_and_seeds(game: Game) -> None:
    state = next(step.after[-1] for step in play(game, 0) if step.after[-1].status == "playing")
    table = SeededTable(game)
    table.state = state
    by = seat_actor(next(iter(state.players)))
    for command in (
        CommitSeed(by=by, epoch=epoch_of(1), client_commit="c" * 64),
        RevealSeed(by=by, epoch=epoch_of(1), client_seed="5" * 64),
    ):
        assert table.refusal(command) == ("table_must_have_players_seeds", "G.9")


@waiting_games
def test_no_hand_is_dealt_while_the_game_waits_for_seeds(game: Game) -> None:
    table = SeededTable(game).started()
    assert table.refusal(DealHand(by="seat:1")) == ("seeds_must_be_in", "G.9")
    assert not [
        one for seat in table.state.players for one in table.listed(seat_actor(seat)) if isinstance(one, DealHand)
    ]


@waiting_games
def test_when_time_is_called_a_seat_without_a_commitment_is_left_out(game: Game) -> None:
    table = SeededTable(game).started()
    first, *others = seed_rules.owed(table.state).seats
    table.all_commit(others)
    assert table.listed(HOST)[0] == CALL
    left_out = table.do(CALL)
    assert left_out == [
        DeckSeedOmitted(epoch=table.batch, seat=first, called="host"),
        DeckCommitmentsClosed(epoch=table.batch, seats=tuple(others)),
    ]
    assert table.refusal(table.commitment(first)) == ("commitments_must_be_open", "G.9")
    assert {one[1:] for one in fixed(table, table.all_show())} == {("partial", tuple(others))}


@waiting_games
def test_a_seed_that_is_not_shown_in_time_drops_all_seeds_and_is_on_record(game: Game) -> None:
    table = SeededTable(game).started()
    name = table.batch
    table.all_commit()
    *others, late = seed_rules.owed(table.state).seats
    table.all_show(others)
    dropped = table.do(CallTime(by=SERVICE))
    assert dropped[:2] == [
        DeckSeedsDropped(epoch=name, seats=(late,), called="limit"),
        DeckSeedsSettled(epoch=name, seats=()),
    ]
    assert {one[1:] for one in fixed(table, dropped)} == {("operator", ())}
    assert (table.state.seeds_dropped, table.state.batches_dropped) == ({late: 1}, 1)


@waiting_games
def test_when_nobody_answers_the_game_goes_on_without_players_seeds(game: Game) -> None:
    table = SeededTable(game).started()
    for _ in table.state.players:
        last = table.do(CALL)
    assert {one[1:] for one in fixed(table, last)} == {("operator", ())}
    assert table.state.seeds_dropped == {}


@every_game
def test_the_next_batch_is_opened_when_the_first_deck_of_a_batch_is_fixed(game: Game) -> None:
    opened = 0
    for seed in (3, 4, 11, 12):
        batches: list[str] = []
        for step in play(game, seed):
            for event, following in zip(step.events, (*step.events[1:], None), strict=True):
                begins = isinstance(following, DeckOpened) and following.epoch == following.batch
                if isinstance(event, DeckFixed):
                    assert begins == (event.epoch in batches), "only the first deck of a batch opens the next batch"
                    opened += begins
                elif begins:
                    assert isinstance(event, TableOpened | DeckBatchEnded)
                if isinstance(event, DeckOpened) and event.epoch == event.batch:
                    batches.append(event.batch)
    assert opened


@waiting_games
def test_a_draw_that_needs_more_decks_than_are_ready_waits_and_goes_on(game: Game) -> None:
    decks = StackedDecks()
    tied = " ".join(f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs")
    first_batch = game.state_type.DECKS_OF_BATCH + game.state_type.DECKS_OF_START
    for number in range(1, first_batch + 1):
        decks.put(epoch_of(number), range(52), tied)
    decks.put(epoch_of(first_batch + 1), range(4), "2c 3c Kc 5c")
    table = SeededTable(game, decks).started(4)
    table.all_commit()
    stopped = table.all_show()
    assert stopped[-1] == DrawTied(seats=(1, 2, 3, 4))
    assert kinds(stopped).count(CardsDealt) == 13 * first_batch
    table.all_commit()
    resumed = table.all_show()
    assert DealerDrawn(dealer=3) in resumed
    revealed = [event for event in resumed if type(event).__name__ == "DeckRevealed"]
    assert len(revealed) == first_batch + 1
    assert fixed(table, resumed)[0][0] == epoch_of(first_batch + 1)
