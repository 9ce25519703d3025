"""PostgreSQL crashes under load, or a synchronous standby replaces it: no acknowledged command is lost."""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.cli.commands import Instance
from tests.faults.clusters import DATABASE, Cluster, clusters
from tests.faults.party import Game, Load, playing
from tests.faults.servers import must_be_clean, serving, wait_until
from tests.once.clients import Crowd, Person

GAMES: Final = 2
ROUNDS_OF_A_GAME: Final = 10


@pytest.mark.parametrize("crashes", [pytest.param(2, id="some"), pytest.param(200, id="many", marks=pytest.mark.full)])
def test_after_crashes_of_postgresql_acknowledged_commands_are_there_once_and_doubts_are_settled(
    chance: random.Random, tmp_path: Path, crashes: int
) -> None:
    with clusters(1) as (cluster,):
        cluster.make()

        def crash() -> None:
            if chance.random() < 0.7:
                cluster.crash_and_restart()
            else:
                cluster.kill_a_session(chance)

        _play_on(Instance(cluster.url, tmp_path / "data"), chance, [crash] * crashes)


@pytest.mark.parametrize("ends", [pytest.param(1, id="once"), pytest.param(20, id="often", marks=pytest.mark.full)])
def test_the_synchronous_standby_of_a_lost_server_has_all_acknowledged_commands(
    chance: random.Random, tmp_path: Path, ends: int
) -> None:
    with clusters(2) as (primary, standby):
        primary.make()
        _follow(standby, primary)
        url = f"postgresql+psycopg://postgres@/{DATABASE}?host={primary.home},{standby.home}"

        def lose() -> None:
            primary.crash()
            standby.promote()

        def lose_and_replace() -> None:
            nonlocal primary, standby
            lose()
            primary, standby = standby, primary
            _follow(standby, primary)

        faults = [*[lose_and_replace] * (ends - 1), lose]
        _play_on(Instance(f"{url}&target_session_attrs=read-write", tmp_path / "data"), chance, faults)


@pytest.mark.full
def test_if_commits_do_not_wait_for_the_standby_the_loss_is_found(chance: random.Random, tmp_path: Path) -> None:
    with clusters(2) as (primary, standby):
        primary.make()
        standby.follow(primary)
        url = f"postgresql+psycopg://postgres@/{DATABASE}?host={primary.home},{standby.home}"
        instance = Instance(f"{url}&target_session_attrs=read-write", tmp_path / "data")
        with (
            serving(instance, "--migrate", "--workers", "1") as server,
            closing(Crowd(server.url, instance.first_key)) as crowd,
        ):
            game = Game(crowd, chance)
            received = "SELECT 1 FROM pg_stat_replication WHERE flush_lsn = pg_current_wal_lsn()"
            wait_until(lambda: bool(primary.tell(received)))
            standby.crash()
            game.dealer.post(f"{game.table}/actions", {"type": "deal_hand"}, "deal")
            primary.crash()
            standby.start()
            standby.promote()
            with pytest.raises(AssertionError):
                game.must_hold()


def test_a_repeat_gets_no_result_that_the_synchronous_standby_lacks(chance: random.Random, tmp_path: Path) -> None:
    with clusters(2) as (primary, standby):
        primary.make()
        _follow(standby, primary)
        url = f"postgresql+psycopg://postgres@/{DATABASE}?host={primary.home},{standby.home}"
        instance = Instance(f"{url}&target_session_attrs=read-write", tmp_path / "data")
        with (
            serving(instance, "--migrate", "--workers", "1") as server,
            closing(Crowd(server.url, instance.first_key)) as crowd,
        ):
            game = Game(crowd, chance)
            dealer = game.dealer
            standby.crash()
            with ThreadPoolExecutor(1) as thread:
                answer = thread.submit(dealer.post, f"{game.table}/actions", {"type": "deal_hand"}, "deal")
                wait_until(lambda: primary.commits_wait)
                primary.crash_and_restart()  # afterwards readers see the commit that no standby has acknowledged
                wait_until(lambda: answer.done() or primary.commits_wait)
                primary.crash()
                standby.start()
                standby.promote()
                assert answer.result().status == 200
            game.must_hold()


def _follow(standby: Cluster, primary: Cluster) -> None:
    standby.follow(primary)
    primary.acknowledge_only_with_a_standby(wanted=True)


def _play_on(instance: Instance, chance: random.Random, faults: Sequence[Callable[[], None]]) -> None:
    """Let *faults* happen one after the other under load; no acknowledged command may be lost, doubled or partial."""
    everybody: set[Person] = set()
    with (
        serving(instance, "--migrate", "--workers", "1") as server,
        closing(Crowd(server.url, instance.first_key)) as crowd,
    ):
        for games, fault in zip(_games(crowd, chance), faults, strict=False):
            with playing(games, through_faults=True) as load:
                _until_more_is_heard(load, chance)
                fault()
                _until_more_is_heard(load, chance)
            for game in games:
                game.must_hold()
            must_be_clean(instance)
            everybody |= {actor.person for game in games for actor in game.actors}
    doubts = sum(person.in_doubt for person in everybody)
    print(f"{len(faults)} faults, {doubts} commands in doubt")  # noqa: T201 -- pytest shows this with -s or on failure


def _games(crowd: Crowd, chance: random.Random) -> Iterator[list[Game]]:
    """Yield the games to play in each round; new games start after some rounds, or when a game is over."""
    games: list[Game] = []
    while True:
        games = [Game(crowd, chance) for _ in range(GAMES)]
        for _ in range(ROUNDS_OF_A_GAME):
            yield games
            if any(game.is_over for game in games):
                break


def _until_more_is_heard(load: Load, chance: random.Random) -> None:
    before, enough = load.heard, chance.randint(10, 60)
    wait_until(lambda: load.heard >= before + enough or load.has_ended)
