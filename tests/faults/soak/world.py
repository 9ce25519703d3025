"""A soak: clients play for a long time while incidents happen; no acknowledged event may be missing afterwards."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

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
from tests.faults.soak.leftovers import PLACE, remove_leftovers
from tests.faults.soak.record import Head, Record
from tests.once.clients import Crowd

GAMES: Final = 2
ROUNDS_OF_A_GAME: Final = 10
MOST_COMMANDS: Final = 400  # after at most this many answered commands, the incident of a round begins
OTHER_GAMES: Final = (
    ("--game", "insurance", "--players", "3", "--hands", "2"),
    ("--game", "insurance_hearts", "--option", "target=1", "--signed", "--seeds", "players"),
)


class World:
    """The instance and its server, which may move to another place; `record` has the incidents and the retired heads.

    If *folder* has the record of an earlier run, this run continues in the place of that run.
    """

    def __init__(
        self, databases: Databases, kind: str, folder: Path, chance: random.Random, also: Mapping[str, Incident]
    ) -> None:
        self.folder = folder
        self.chance = chance
        self.record = Record(folder)
        self._databases = databases
        self._kind = kind
        self._also = also
        self._place = ExitStack()
        self._games: list[Game] = []
        remove_leftovers(folder, self.record.place)
        self.instance = self._place.enter_context(self._numbered_place(self.record.place))
        incidents.done(self.instance.run_as_user("migrate"))
        self.record.happened["runs"] += 1
        self.record.retire(self.record.noted())
        self.must_have_all_retired(self.instance)
        self.server = Serving(self.instance)
        self.server.start()
        self._crowd = self._new_crowd()

    def close(self) -> None:
        """End the server and the clients; the record and an SQLite database stay in the folder."""
        self._crowd.close()
        self.server.kill()
        self.record.close()

    @contextmanager
    def place(self, data: Path) -> Iterator[Instance]:
        """Yield an instance with the folder *data* and a new database, or the SQLite file that *data* has already."""
        if self._kind == SQLITE:
            yield Instance(f"sqlite:///{data / 'chiptrail.db'}", data)
        else:
            with self._databases.empty(self._kind) as url:
                yield Instance(url, data)

    @contextmanager
    def _numbered_place(self, number: int) -> Iterator[Instance]:
        """Yield the instance in the place *number*, new or left by an earlier run; then remove all its files."""
        data = self.folder / f"{PLACE}{number}"
        with self.place(data) as instance:
            yield instance
            shutil.rmtree(data)

    def move_to(self, fill: Callable[[Instance], None]) -> None:
        """Move to another place: *fill* fills the place, a server starts there, and all clients go on there."""
        with ExitStack() as stack:
            elsewhere = stack.enter_context(self._numbered_place(self.record.place + 1))
            fill(elsewhere)
            self.record.place += 1
            self.record.save()
            self._crowd.close()
            self._place.close()
            self._place = stack.pop_all()
        self.instance = elsewhere
        self.server = Serving(elsewhere)
        self.server.start()
        self._crowd = self._new_crowd()
        for game in self._games:
            game.move_to(self.server.url)

    def expect_other_signatures(self) -> None:
        """Let clients accept another signature in the receipt of a repeated command: the service key was rotated."""
        for game in self._games:
            for actor in game.actors:
                actor.may_be_signed_anew = True

    def round(self, named: tuple[str, Incident] | None = None) -> None:
        """Play, let an incident happen, and check that the streams have exactly the acknowledged commands.

        *named*: the incident and its name; None: a random incident.
        """
        is_time = self.record.happened["rounds"] % ROUNDS_OF_A_GAME == 0
        if is_time or not self._games or any(game.is_over for game in self._games):
            self._retire()
            self._games = [Game(self._crowd, self.chance, self.record.note) for _ in range(GAMES)]
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
            assert bots.wait(300) == 0, self.server.log.read_text()[-4000:]  # the bots write there, too
            self.record.happened["games of bots"] += 1
        for game in self._games:
            game.must_hold()
        self.record.memory.sample(self.server.workers(), load.heard - before)
        self.record.happened.update({"rounds": 1, name: 1, "commands": load.heard - before})
        self.record.save()

    def finish(self) -> None:
        """Stop the server; check that the database has every retired head, and verify the whole database."""
        self._retire()
        self.server.stop()
        self.must_have_all_retired(self.instance)
        must_be_clean(self.instance)
        self.record.happened["tables checked at the end"] = len(self.record.retired)
        self.record.save()
        if self._kind != SQLITE:  # no later run can continue here
            self._place.close()

    def must_have_all_retired(self, instance: Instance) -> None:
        """Check that *instance* has each retired head of the record."""
        engine = make_engine(instance.database)
        with reading(engine) as connection:
            for head in self.record.retired:
                stream = bytes.fromhex(head.stream)
                chosen = (events.c.stream_id == stream) & (events.c.position == head.position)
                leaf = connection.execute(select(events.c.leaf).where(chosen)).scalar_one()
                assert leaf_hash(bytes(leaf)).hex() == head.hash, head
        engine.dispose()

    def _bots(self) -> "subprocess.Popen[bytes] | None":
        """In a third of the rounds, start bots that play another game during the incident; None: no bots."""
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

    def _new_crowd(self) -> Crowd:
        return Crowd(self.server.url, self.instance.first_key, f"run {self.record.happened['runs']} person")

    def _retire(self) -> None:
        """Check the streams of the tables in play, retire their heads, and disconnect the clients."""
        self.record.retire(self._heads())
        for game in self._games:
            for actor in game.actors:
                actor.person.close()
        self._games = []

    def _heads(self) -> Iterable[Head]:
        for game in self._games:
            game.must_hold()
            table = game.actors[0].person.get(game.table).json
            found = game.actors[0].person.get(f"{game.table}/events?after={table['position'] - 1}").json["items"][0]
            yield Head(game.table.rpartition("_")[2], found["leaf"]["position"], found["hash"])


def soak(world: World, minutes: float, report: "Report") -> None:
    """Play rounds for *minutes* minutes, at least one round; then check everything."""
    end = time.monotonic() + 60 * minutes
    try:
        world.round()
        report(world)
        while time.monotonic() < end:
            world.round()
            report(world)
        world.finish()
    except BaseException:
        world.record.happened["failed runs"] += 1
        world.record.save()
        raise


class Report:
    """Prints the figures of a soak, at most once in *seconds* seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    def __call__(self, world: World) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._seconds
            print(figures(world), flush=True)  # noqa: T201 -- this module writes to a terminal


def figures(world: World) -> str:
    """Return the figures of all runs of the soak so far, in one line."""
    record, mib = world.record, 2**20
    longest = record.memory.longest
    memory = {
        "largest worker (MiB)": record.memory.most // mib,
        "worker of the longest life (MiB, from)": longest.first // mib,
        "to": longest.last // mib,
        "over commands of all workers": longest.played,
    }
    numbers = {"minutes": int(record.minutes), **record.happened, **memory}
    return ", ".join(f"{name}: {number:,}" for name, number in numbers.items())
