"""A server that is played on for a long time while incidents happen, and what must be true of it afterwards."""

import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import select

from service.database.engines import make_engine, reading
from service.event_store.leaf import leaf_hash
from service.event_store.log_tables import events
from tests.cli.commands import COMMAND, Instance, environment
from tests.databases import SQLITE, Databases
from tests.faults.party import Game, playing
from tests.faults.servers import Serving, must_be_clean, wait_until
from tests.faults.soak import incidents
from tests.faults.soak.incidents import Incident
from tests.faults.soak.memory import Memory
from tests.once.clients import Crowd

GAMES: Final = 2
ROUNDS_OF_A_GAME: Final = 10
MOST_COMMANDS: Final = 400  # in a round, before its incident
OTHER_GAMES: Final = (
    ("--game", "insurance", "--players", "3", "--hands", "2"),
    ("--game", "insurance_hearts", "--option", "target=1", "--signed", "--seeds", "players"),
)


class Head(NamedTuple):
    """The last event of a table whose acknowledged commands were all found."""

    stream: bytes
    position: int
    hash: str


class World:
    """The instance and its server, which may move to another place; `happened` counts incidents by name."""

    def __init__(
        self, databases: Databases, kind: str, folder: Path, chance: random.Random, also: Mapping[str, Incident]
    ) -> None:
        self.folder = folder
        self.chance = chance
        self.happened: Counter[str] = Counter()
        self.memory = Memory()
        self._databases = databases
        self._kind = kind
        self._also = also
        self._numbers = count(1)
        self._place = ExitStack()
        self._games: list[Game] = []
        self._retired: list[Head] = []
        self.instance = self._place.enter_context(self.another_place())
        incidents.done(self.instance.run_as_user("migrate"))
        self.server = Serving(self.instance)
        self.server.start()
        self._crowd = Crowd(self.server.url, self.instance.first_key)

    def close(self) -> None:
        """End the server and the clients; the database of a soak that failed stays in its folder."""
        self._crowd.close()
        self.server.kill()

    @contextmanager
    def place(self, data: Path) -> Iterator[Instance]:
        """Yield an instance with an empty database, and with its keys in *data*, which does not exist yet."""
        if self._kind == SQLITE:
            yield Instance(f"sqlite:///{data / 'chiptrail.db'}", data)
        else:
            with self._databases.empty(self._kind) as url:
                yield Instance(url, data)

    @contextmanager
    def another_place(self) -> Iterator[Instance]:
        """Yield an instance with an empty database; afterwards all its files are removed."""
        data = self.folder / f"place-{next(self._numbers)}"
        with self.place(data) as instance:
            yield instance
            shutil.rmtree(data)

    def move_to(self, fill: Callable[[Instance], None]) -> None:
        """Move to another place: *fill* fills it, a server starts there, and all clients go on there."""
        with ExitStack() as stack:
            elsewhere = stack.enter_context(self.another_place())
            fill(elsewhere)
            self._crowd.close()
            self._place.close()
            self._place = stack.pop_all()
        self.instance = elsewhere
        self.server = Serving(elsewhere)
        self.server.start()
        self._crowd = Crowd(self.server.url, elsewhere.first_key)
        for game in self._games:
            game.move_to(self.server.url)

    def expect_other_signatures(self) -> None:
        """Let clients accept another signature in the receipt of a repeated command: the service key was rotated."""
        for game in self._games:
            for actor in game.actors:
                actor.may_be_signed_anew = True

    def round(self, named: tuple[str, Incident] | None = None) -> None:
        """Play, let an incident happen (a random one unless *named*), and look for all that was acknowledged."""
        if self.happened["rounds"] % ROUNDS_OF_A_GAME == 0 or any(game.is_over for game in self._games):
            self._retire()
            self._games = [Game(self._crowd, self.chance) for _ in range(GAMES)]
        name, incident = named or incidents.drawn(self.chance, self._also)
        bots = None if incident is incidents.move else self._bots()
        with playing(self._games) as load:
            before, enough = load.heard, self.chance.randint(50, MOST_COMMANDS)
            wait_until(lambda: load.heard >= before + enough)
            if incident is not incidents.verify:
                incident(self)
        if incident is incidents.verify:  # without load, because a check of a long log takes long
            incident(self)
        self.server.must_be_ready()
        if bots is not None:
            assert bots.wait(300) == 0
            self.happened["games of bots"] += 1
        for game in self._games:
            game.must_hold()
        self.memory.sample(self.server.workers(), load.heard - before)
        self.happened.update({"rounds": 1, name: 1, "commands": load.heard - before})

    def finish(self) -> None:
        """Stop the server, and check everything: no acknowledged event is missing, and nothing fails."""
        self._retire()
        self.server.stop()
        self.must_have_all_retired(self.instance)
        must_be_clean(self.instance)
        self.happened["tables checked at the end"] = len(self._retired)
        self._place.close()

    def must_have_all_retired(self, instance: Instance) -> None:
        """Check that *instance* has the last event of each table whose acknowledged commands were all found."""
        engine = make_engine(instance.database)
        with reading(engine) as connection:
            for head in self._retired:
                chosen = (events.c.stream_id == head.stream) & (events.c.position == head.position)
                leaf = connection.execute(select(events.c.leaf).where(chosen)).scalar_one()
                assert leaf_hash(bytes(leaf)).hex() == head.hash, head
        engine.dispose()

    def _bots(self) -> "subprocess.Popen[bytes] | None":
        """In some rounds, start bots that play a whole game of another kind during the incident."""
        if self.chance.random() < 2 / 3:
            return None
        key = str(self.instance.data / "first-key.txt")
        game = (*self.chance.choice(OTHER_GAMES), "--seed", str(self.chance.getrandbits(32)), "--patience", "120")
        with self.server.log.open("ab") as said:
            return subprocess.Popen(
                [*COMMAND, "play", "--url", self.server.url, "--key-file", key, *game],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=environment(),
            )

    def _retire(self) -> None:
        """Look for all that was acknowledged at the tables in play, and remember only their last events."""
        for game in self._games:
            game.must_hold()
            table = game.actors[0].person.get(game.table).json
            found = game.actors[0].person.get(f"{game.table}/events?after={table['position'] - 1}").json["items"][0]
            stream = bytes.fromhex(game.table.rpartition("_")[2])
            self._retired.append(Head(stream, found["leaf"]["position"], found["hash"]))
            for actor in game.actors:
                actor.person.close()
        self._games = []


def soak(world: World, minutes: float, report: "Report") -> None:
    """Let rounds happen for *minutes*, at least one; then check everything."""
    end = time.monotonic() + 60 * minutes
    while not world.happened["rounds"] or time.monotonic() < end:
        world.round()
        report(world)
    world.finish()
    report(world)


class Report:
    """Prints how far a soak is, at most once in *seconds*."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    def __call__(self, world: World) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._seconds
            print(figures(world), flush=True)  # noqa: T201 -- this module writes to a terminal


def figures(world: World) -> str:
    """Return the figures of the soak so far, in one line."""
    longest, mib = world.memory.longest, 2**20
    memory = {
        "largest worker (MiB)": world.memory.most // mib,
        "worker of the longest life (MiB, from)": longest.first // mib,
        "to": longest.last // mib,
        "over commands of all workers": longest.played,
    }
    return ", ".join(f"{name}: {number:,}" for name, number in {**world.happened, **memory}.items())
