"""A simulated world: clients, a few service processes on one database, faults, and checks of the invariants."""

# ruff: noqa: ANN401 -- JSON may be any value

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from service import app, settings
from service.api_keys import repository
from service.api_keys.repository import Key, Scope
from service.database.engines import UnknownCommit, administering
from service.database.write_lock import WriteLockNotAcquired
from service.http.request.services import Services
from service.play.timekeeper import Timekeeper
from service.projections.rebuild.projection_rebuild import rebuild
from tests.faults.simulator import checks
from tests.faults.simulator.chance import DAY_SECONDS, Clock, Simulated
from tests.faults.simulator.checks import Oracle, Seen
from tests.faults.simulator.database import Faults, Rows, watch
from tests.faults.simulator.people import GAMES, Call, Person, SentCommand
from tests.faults.simulator.scheduler import Scheduler, Task, stand_in
from tests.http.service import UNHURRIED

CLIENTS: Final = 8
PROCESSES: Final = 3
ROUNDS: Final = 1_000
"""The number of rounds in which all commands must be settled at the end of a run."""
_LIVELY: Final = 7  # while this many tasks or more run, clients send no new requests
_EAGER: Final = 0.85
_HEADERS: Final = ("ETag", "Location", "Idempotent-Replayed")


class Broken(AssertionError):
    """An invariant is broken."""


class Process:
    """A process of the service; a restart makes a new process with new parts."""

    def __init__(self, number: int, parts: Services) -> None:
        self.number = number
        self.parts = parts
        self.app = app.create_app(parts)
        self.timekeeper = Timekeeper(parts.engine, parts.play, parts.tables, parts.clock)
        self.tasks: list[Task] = []


class World:
    """The simulated world; *seed* determines all that happens in it."""

    def __init__(self, folder: Path, url: str, seed: int) -> None:
        self.chance = Random(seed)
        self.clock = Clock()
        self.faults = Faults(Random(f"{seed}/faults"), statement=0.005, commit=0.04)
        self.scheduler = Scheduler(Random(f"{seed}/order"))
        self.happened: Counter[str] = Counter()
        self.trace = sha256()
        self.seen: list[Seen] = []
        self._folder = folder
        self._url = url
        self._entropy = Random(f"{seed}/entropy")
        self._rows = Rows()
        self._late: list[Call] = []
        self._over: set[str] = set()
        self._games: dict[str, str] = {}
        self._sitting: dict[str, set[str]] = {}
        self.processes = [self._started(number) for number in range(PROCESSES)]
        self.people = [self._person(number, seed) for number in range(1, CLIENTS + 1)]
        self._by_name = {person.name: person for person in self.people}
        self._nobody = Person("nobody", "", "", f"{seed}/nobody")
        self._by_name["nobody"] = self._nobody
        self._tables: dict[str, tuple[str, int]] = {}
        self._hosts = [self.people[number] for number in islice(cycle((0, 3, 5)), len(GAMES))]
        for person, game in zip(self._hosts, GAMES, strict=True):
            self._open(person, game)
        self.faults.is_on = True

    def close(self) -> None:
        self.faults.is_on = False
        self.scheduler.kill(list(self.scheduler.tasks))
        for process in self.processes:
            process.parts.engine.dispose()

    # Steps.

    def step(self) -> None:
        """Take one random step: a request, a fault, a check, a rebuild, a call of time, or a piece of a task."""
        self.clock.seconds += self.chance.random() / 50
        dice = self.chance.random()
        if dice < 0.0005:
            self._restart()
        elif dice < 0.0010:
            self._jump()
        elif dice < 0.0013:
            self.check()
        elif dice < 0.0016:
            self._rebuild()
        elif dice < 0.003:
            self._keep_time()
        elif dice < 0.01 and self._late:
            self._deliver(self._late.pop(self.chance.randrange(len(self._late))), is_late=True)
        elif (dice < 0.2 and len(self.scheduler.tasks) < _LIVELY) or not self.scheduler.step():
            self._ask()

    def _ask(self) -> None:
        """Let a random idle client send its next request, which may be lost, doubled, or sent again much later."""
        free = [person for person in (*self.people, self._nobody) if not person.is_busy]
        if not free:
            return
        eager = [person for person in free if person.wanted or person.due_at]
        if eager and self.chance.random() < _EAGER:
            free = eager
        person = self.chance.choice(free)
        call = person.next_call()
        if call is None:
            return
        person.is_busy = True
        dice = self.chance.random()
        if dice < 0.03:
            self.happened["a request was lost"] += 1
            person.is_busy = False
            return
        if dice < 0.06 and call.method == "POST":
            self.happened["a request was doubled"] += 1
            self._deliver(call, is_late=True)
        elif dice < 0.09 and call.method == "POST":
            self.happened["a request came late, too"] += 1
            self._late.append(call)
        self._deliver(call, is_late=False)

    def _deliver(self, call: Call, *, is_late: bool) -> None:
        process = self.chance.choice(self.processes)
        if call.key:
            command = self._by_name[call.who].commands.setdefault(call.key, SentCommand(call))
            command.sent += 1
        is_lost = self.chance.random() < 0.03
        work = partial(self._answer, process, call, is_lost=is_lost, is_late=is_late)
        task = self.scheduler.start(f"{call.who} at {process.number}", work)
        task.call, task.is_late = call, is_late  # type: ignore[attr-defined]
        process.tasks = [one for one in process.tasks if not one.is_done] + [task]

    def _answer(self, process: Process, call: Call, *, is_lost: bool, is_late: bool) -> None:
        """Send a request to *process* and give the response to the client, unless the response is lost."""
        headers = {"Authorization": f"Bearer {call.token}"} if call.token else {}
        if call.key:
            headers |= {"Idempotency-Key": call.key, "Content-Type": "application/json"}
        if call.if_match:
            headers["If-Match"] = call.if_match
        client = process.app.test_client()
        answer = client.open(call.path, method=call.method, headers=headers, data=call.body or None)
        answer_headers = [answer.headers.get(name, "") for name in _HEADERS]
        self.trace.update(
            repr((call.who, call.path, call.key, answer.status_code, answer_headers, answer.data)).encode()
        )
        if is_lost:
            self.happened["an answer was lost"] += 1
            self._hear(call, 0, b"", is_late=is_late)
        else:
            self.happened[f"{call.method} {answer.status_code}"] += 1
            self._hear(call, answer.status_code, answer.data, is_late=is_late)

    def _hear(self, call: Call, status: int, body: bytes, *, is_late: bool) -> None:
        person = self._by_name[call.who]
        if not is_late:
            person.is_busy = False
        for wrong in person.hear(call, status, body):
            raise Broken(wrong)
        if status in {200, 201}:
            self._note(person, call, body)

    def _note(self, person: Person, call: Call, body: bytes) -> None:
        table = call.path.removeprefix("/v1/tables").strip("/").partition("/")[0]
        if table:
            self.seen.append(Seen(person.owner, table, body))
        if call.path == "/v1/tables":
            self._seat(person, call, msgspec.json.decode(body)["table"])
        elif call.path.endswith("/seats"):
            (taken, *_) = msgspec.json.decode(body)["events"]
            person.seats[table] = f"seat:{taken['leaf']['pub']['seat']}"
            self._sat(person, table)
        elif call.path.endswith("/actions") and call.method == "GET":
            seen = msgspec.json.decode(body)
            due = seen["due"]
            if seen["status"] in {"finished", "closed"} and table not in self._over:
                self._over.add(table)
                self._open(self._by_name[self._tables[table][0]], self._games[table])
            for one in self.people:
                is_due = one.seats.get(table) in due or ("host" in due and one.name == self._tables[table][0])
                one.due_at = [each for each in one.due_at if each != table] + [table] * is_due

    # Starts of games.

    def _open(self, host: Person, game: str) -> None:
        seats, options = GAMES[game]
        host.want("/v1/tables", {"game": game, "seats": seats, "options": options, "time_limit_seconds": 60})

    def _seat(self, host: Person, call: Call, table: str) -> None:
        if table in self._tables:
            return
        game = msgspec.json.decode(call.body)["game"]
        seats, options = GAMES[game]
        self._tables[table] = (host.name, seats)
        self._games[table] = game
        host.tables.append(table)
        self._nobody.tables.append(table)
        for player in self.chance.sample(self.people, seats):
            player.want(f"/v1/tables/{table}/seats", {"chips": options.get("buy_in", 0)})

    def _sat(self, player: Person, table: str) -> None:
        player.tables = [*dict.fromkeys((*player.tables, table))]
        host, seats = self._tables[table]
        sitting = self._sitting.setdefault(table, set())
        is_new = player.name not in sitting
        sitting.add(player.name)
        if is_new and len(sitting) == seats:
            self._by_name[host].want(f"/v1/tables/{table}/actions", {"type": "start_game"})

    # Faults of processes.

    def _started(self, number: int) -> Process:
        chosen = settings.load({}, data_folder=self._folder, database_url=self._url, log_level="error", **UNHURRIED)
        parts = app.build(chosen, Simulated(self.clock, self._entropy))
        event.listen(parts.engine, "connect", _hurry)
        with parts.engine.connect():
            pass  # SQLAlchemy holds a lock of its own during the first connection: no other task may run then
        watch(parts.engine, self.faults, self._rows)
        return Process(number, parts)

    def _restart(self) -> None:
        """Kill a random process with all its running requests, and start it again."""
        number = self.chance.randrange(len(self.processes))
        old = self.processes[number]
        cut = [task for task in old.tasks if not task.is_done]
        self.scheduler.kill(cut)
        for task in cut:
            if (call := getattr(task, "call", None)) is not None:
                self._hear(call, 0, b"", is_late=task.is_late)  # type: ignore[attr-defined]
        old.parts.engine.dispose()
        self.happened["a process was killed"] += 1
        self.processes[number] = self._started(number)

    def _jump(self) -> None:
        self.clock.ahead = self.chance.uniform(-DAY_SECONDS, DAY_SECONDS)
        self.happened["the clock jumped"] += 1

    def _keep_time(self) -> None:
        process = self.chance.choice(self.processes)
        if self.chance.random() < 0.2:
            self.clock.seconds += 70
        process.tasks.append(self.scheduler.start(f"timekeeper at {process.number}", partial(_look, process)))

    def _rebuild(self) -> None:
        self._quiet()
        parts = self.processes[0].parts
        before = checks.projections(parts.engine)
        rebuild(parts.engine, parts.log, parts.clock)
        self.happened["projections were rebuilt"] += 1
        if checks.projections(parts.engine) != before:
            raise Broken("the rebuilt projections differ from the projections before")
        self.faults.is_on = True

    def _quiet(self) -> None:
        """Run all tasks to their ends, and turn faults off."""
        self.scheduler.drain()
        self.faults.is_on = False

    # Checks.

    def check(self) -> None:
        """Run all tasks to their ends, then check the invariants without the full verification."""
        self._quiet()
        for process in self.processes:
            if process.parts.log.quarantine._found:
                raise Broken(f"process {process.number} found the log damaged: {process.parts.log.quarantine._found}")
        engine = self.processes[0].parts.engine
        stored = checks.leaves(engine)
        oracle = Oracle(engine, self.processes[0].parts.service_key)
        for wrong in (
            *checks.of_commands(stored, self.people, self.processes[0].parts.derivation),
            *checks.of_chips(stored, engine),
            *checks.of_sight(stored, self.seen, oracle),
        ):
            raise Broken(wrong)
        self.seen.clear()
        self.faults.is_on = True

    def end(self) -> str:
        """Repeat unsettled commands until all are settled, check everything, and return a digest of the run.

        Raises:
            Broken: an invariant is broken, or commands are still unsettled after `ROUNDS` rounds.
        """
        self._quiet()
        self._late.clear()
        self._settle()
        self.check()
        self.faults.is_on = False
        process = self.processes[0]
        for wrong in checks.of_audit(process.parts.engine, process.parts.service_key):
            raise Broken(wrong)
        self._rebuild()
        self.faults.is_on = False
        for table, leaves in sorted(checks.leaves(process.parts.engine).items()):
            self.happened["events"] += len(leaves)
            for one in leaves:
                self.trace.update(f"{table} {one.position}".encode() + one.data)
        self.happened["tables"] = len(self._tables)
        self.happened.update(self.faults.seen)
        return self.trace.hexdigest()

    def _settle(self) -> None:
        """Repeat unsettled commands, without faults of the database, until all are settled."""
        for _ in range(ROUNDS):
            waiting = [person for person in self.people if person.is_waiting]
            if not waiting:
                return
            for person in waiting:
                person.is_busy = True
                if (call := person.next_call()) is not None:
                    self._deliver(call, is_late=False)
            self.scheduler.drain()
        unsettled = [str(call) for person in self.people for call in person.wanted]
        raise Broken(f"these commands are unsettled after {ROUNDS:,} rounds: {'; '.join(unsettled)}")

    def _person(self, number: int, seed: int) -> Person:
        parts = self.processes[0].parts
        key_id = sha256(f"person {number}".encode()).digest()[:16]
        scopes: tuple[Scope, ...] = ("host", "play")
        key = Key(
            key_id=key_id,
            owner=f"own_{key_id.hex()}",
            scopes=scopes,
            secret_hash=repository.hash_of(repository.secret_of(parts.service_key, key_id)),
            label="",
            made_by="",
            made_at=self.clock.now(),
        )
        with administering(parts.engine) as connection:
            repository.add(connection, key)
        return Person(f"person {number}", key.owner, repository.token(parts.service_key, key_id), f"{seed}/{number}")


def _look(process: Process) -> None:
    with contextlib.suppress(SQLAlchemyError, UnknownCommit, WriteLockNotAcquired):  # the timekeeper will look again
        process.timekeeper.look()


def _hurry(driver: Any, _record: object) -> None:
    """Turn off the syncs of a connection: the simulation has no loss of power."""
    if hasattr(driver, "execute") and type(driver).__module__ == "sqlite3":
        driver.execute("PRAGMA synchronous=OFF")
    else:
        driver.execute("SET synchronous_commit = off")
        driver.commit()


@contextmanager
def simulated(folder: Path, url: str, seed: int) -> Iterator[World]:
    """Yield the world of *seed* on an empty migrated database at *url*."""
    telling = contextlib.redirect_stderr(io.StringIO())
    telling.__enter__()
    undo = stand_in([module for name, module in sys.modules.items() if name.startswith("service.")])
    try:
        world = World(folder, url, seed)
        try:
            yield world
        finally:
            world.close()
    finally:
        undo()
        telling.__exit__(None, None, None)


def run(folder: Path, url: str, seed: int, steps: int) -> tuple[str, Counter[str]]:
    """Simulate *steps* steps of *seed*; return a digest of the run and counts of what happened.

    Raises:
        Broken: an invariant is broken, or commands are still unsettled at the end.
    """
    with simulated(folder, url, seed) as world:
        try:
            for _ in range(steps):
                world.step()
            return world.end(), world.happened
        except BaseException as error:
            error.add_note(f"seed {seed}, {steps} steps: play it again by")
            error.add_note(
                f"    python -m tests.faults.simulator --seed {seed} --steps {steps} --on {url.partition(':')[0]}"
            )
            raise
