"""Players' seeds on the write path: decks, openings, snapshots and time limits (G.9)."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from service.database.engines import reading
from service.deck import verify_face
from service.games import common_commands
from service.games.common_events import CardsDealt, DeckFixed
from service.games.game import acting_seat, seat_actor
from service.games.seeds import seed_rules
from service.games.seeds.seed_events import DeckSeedOmitted, DeckSeedsDropped
from service.play.orders import CommandResult
from service.play.timekeeper import Timekeeper
from service.tables import snapshots, visibility
from service.tables.sealed_store import TableUnsealer
from tests.clocks import Clock
from tests.games.players_seeds import with_seed
from tests.play.tables import HOST, House, Table, opening, owner

LIMIT_SECONDS = 30


class Seeded(Table):
    """A table of three players with players' seeds and a time limit, whose game has started."""

    def __init__(self, engine: Engine) -> None:
        self.clock = Clock()
        super().__init__(House(engine, entropy=self.clock))
        self.keeper = Timekeeper(engine, self.house.play, self.house.tables, self.clock)
        self.do(HOST, replace(opening(3), time_limit_seconds=LIMIT_SECONDS, seeds="players"))
        for seat in (1, 2, 3):
            self.do(HOST, common_commands.TakeSeat(by="", player=owner(seat), chips=50))
        self.do(HOST, common_commands.StartGame(by=""))

    def answers(self, seat: int, key: str = "") -> CommandResult:
        """Let *seat* give the commitment or the seed that it owes."""
        late, by = seed_rules.owed(self.state), seat_actor(seat)
        command = (
            common_commands.CommitSeed(by=by, epoch=late.epoch, client_commit="")
            if late.owed == "commitment"
            else common_commands.RevealSeed(by=by, epoch=late.epoch, client_seed="")
        )
        return self.do(owner(seat), with_seed(command), key=key)

    def all_answer(self) -> Iterator[CommandResult]:
        """Let all seats commit and show their seeds."""
        for _ in ("commitments", "seeds"):
            for seat in sorted(seed_rules.owed(self.state).seats):
                yield self.answers(seat)


@pytest.fixture
def table(engine: Engine) -> Seeded:
    return Seeded(engine)


def test_the_cards_of_a_deck_with_players_seeds_are_proved_by_its_root(table: Seeded) -> None:
    *_, last = table.all_answer()
    roots = {one.event.epoch: one.event.deck_root for one in last.recorded if isinstance(one.event, DeckFixed)}
    assert last.openings  # one card, or more if the first draw is tied
    for opened in last.openings:
        assert verify_face(
            roots[opened.epoch],
            n=52,
            epoch=opened.epoch,
            position=opened.pos,
            face=opened.face,
            salt=opened.salt,
            proof=opened.proof,
        )


def test_a_repeat_of_the_last_seed_gets_the_same_openings(table: Seeded) -> None:
    for seat in (1, 2, 3, 1, 2):
        table.answers(seat)
    late = seed_rules.owed(table.state)
    command = with_seed(common_commands.RevealSeed(by="seat:3", epoch=late.epoch, client_seed=""))
    first = table.do(owner(3), command, key="last seed")
    again = table.do(owner(3), command, key="last seed")
    assert again.replayed
    assert (again.openings, again.recorded) == (first.openings, first.recorded)


def test_another_process_computes_the_same_deck(table: Seeded) -> None:
    *_, last = table.all_answer()
    other = Table(House(table.house.engine))
    dealt = [one for one in last.recorded if isinstance(one.event, CardsDealt)]  # several if the draw was tied
    with reading(table.house.engine) as connection:
        unsealer = TableUnsealer(other.house.sealed_store, lambda: connection, other.table_at)
        assert visibility.card_openings(dealt, 3, unsealer) == last.openings


def test_a_snapshot_keeps_the_batches_and_the_seeds(table: Seeded) -> None:
    for _ in table.all_answer():
        table_at = table.table_at
        assert snapshots.read(table.stream_id, table_at.head, snapshots.written(table_at)) == table_at
    assert len(table.table_at.clients) == 2


def test_the_limit_leaves_out_each_seat_without_a_commitment_and_then_asks_for_the_seeds(table: Seeded) -> None:
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS - 1
    table.answers(2)
    assert table.keeper.look() == 0
    table.clock.seconds += 1
    assert table.keeper.look() == 1  # Seats 1 and 3 share the limit, so both are left out.
    assert table.state.batches[f"{table.state.table}/1"].omitted == {1, 3}
    assert table.table_at.due == ("seat:2",)
    assert table.keeper.look() == 0
    table.clock.seconds += LIMIT_SECONDS
    table.keeper.look()
    assert table.state.seeds_dropped == {2: 1}
    assert not seed_rules.waits(table.state)


def test_the_events_of_the_time_limit_name_the_limit(table: Seeded) -> None:
    table.answers(2)
    table.keeper.look()
    for _ in range(2):
        table.clock.seconds += LIMIT_SECONDS
        table.keeper.look()
        table.keeper.look()
    with reading(table.house.engine) as connection:
        recorded = table.house.log.reader.read(connection, table.stream_id)
    called = [one for one in recorded if isinstance(one.event, DeckSeedOmitted | DeckSeedsDropped)]
    assert [(one.by, getattr(one.event, "called", "")) for one in called] == [("service", "limit")] * 3


def test_a_seed_that_play_does_not_wait_for_gives_a_due_player_no_new_time(table: Seeded) -> None:
    for _ in table.all_answer():
        pass
    table.do(owner(table.state.dealer), common_commands.DealHand(by=""))
    due = table.table_at.due_since
    late = seed_rules.owed(table.state)
    assert late.seats
    for _ in table.all_answer():
        assert table.table_at.due_since == due
    assert seed_rules.owed(table.state).seats == ()
    seat = acting_seat(due.due[0])
    listed = table.table_at.game.due(table.state)
    assert listed == (seat_actor(seat),)
