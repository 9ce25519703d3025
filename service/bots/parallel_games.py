"""Lets bots play many games, several at the same time."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from service.bots.host import Game, Host
from service.client.table_answers import Table


def play_in_parallel(
    make_host: Callable[[], Host], games: Sequence[Game], at_once: int
) -> Iterator[tuple[Game, Table]]:
    """Play *games*, at most *at_once* of them at the same time; yield each game and its table when the game ends.

    Raises:
        ServerGone, Problem, RepeatedlyRefused, LogContradiction, KeptFileError, SealsOther, ValueError: a game can't go
            on (`Host.play`). Then the other games are stopped, and no further game begins.
    """
    hosts = [make_host() for _ in range(min(at_once, len(games)))]
    free: SimpleQueue[Host] = SimpleQueue()
    for host in hosts:
        free.put(host)

    def play_one(game: Game) -> Table:
        host = free.get()
        try:
            return host.play(game)
        finally:
            free.put(host)

    with ThreadPoolExecutor(len(hosts), thread_name_prefix="host") as threads:
        playing = {threads.submit(play_one, game): game for game in games}
        try:
            for done in as_completed(playing):
                yield playing[done], done.result()
        finally:
            for host in hosts:
                host.stop()
            threads.shutdown(cancel_futures=True)
            for host in hosts:
                host.close()
