"""A server is killed between a commit and its response: the next server answers the repeat with the same bytes."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

import msgspec
import pytest
from urllib3.exceptions import HTTPError

from service.cli.support import server_process
from service.secrets.receipts import Receipt, verify
from tests.cli.commands import Instance, environment, is_silent, kill, running_server, start
from tests.databases import Databases
from tests.http import service as in_process
from tests.http.hearts import SEATS, Hearts
from tests.http.service import Service, Table
from tests.once.actors import Actor, must_hold_what_was_acknowledged
from tests.once.clients import Crowd, Person

NEVER_ANSWERS = Path(__file__).with_name("never_answers.py")
CAP_SECONDS = 120


class Command(NamedTuple):
    """A request that the client with *token* posts."""

    token: str
    path: str
    body: dict[str, Any]


@pytest.fixture
def instance(kind: str, all_databases: Databases, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with a migrated database."""
    with all_databases.migrated(kind) as url:
        yield Instance(url, tmp_path)


def test_the_next_server_repeats_an_answer_before_a_kill_word_for_word(instance: Instance) -> None:
    with in_process.running(instance.data, instance.database) as service:
        commands = _commands(service)
        before = service.events()
        with _never_answering(instance) as (url, process, said):
            unheard = [Thread(target=_ask_and_hear_nothing, args=(url, command, said)) for command in commands]
            for thread in unheard:
                thread.start()
            would_say = {one["path"]: one["body"] for one in (said.get(timeout=CAP_SECONDS) for _ in commands)}
            process.kill()
            for thread in unheard:
                thread.join()
        happened = service.events()
        assert happened > before
        with running_server([*instance.flags, "--workers", "1"], instance.data / "log", environment()) as server:
            for command in commands:
                _must_be_told(server.url, command, would_say[command.path].encode(), service)
        assert service.events() == happened


def test_a_server_killed_among_many_commands_loses_and_doubles_no_acknowledged_command(
    instance: Instance,
) -> None:
    port = server_process.free_port()
    with ExitStack() as stack:
        process = start("serve", *instance.flags, "--port", str(port))
        stack.callback(kill, process)
        crowd = Crowd(f"http://127.0.0.1:{port}", _first_key(instance, port))
        stack.callback(crowd.close)
        host = Actor(crowd.person("host"), "host", 0)
        actors = [host, *(Actor(crowd.person("play"), f"client {seed}", seed) for seed in range(1, 9))]
        body = {"game": "bankrupt", "seats": 8, "options": {"buy_in": 200}}
        table = host.post("/v1/tables", body, "open").headers["Location"]
        for actor in actors[1:]:
            actor.sit(table, 200)
        host.post(f"{table}/actions", {"type": "start_game"}, "start")
        threads = [Thread(target=_act_until_it_is_gone, args=(actor, table)) for actor in actors]
        for thread in threads:
            thread.start()
        _wait_until(lambda: sum(len(actor.acknowledged) for actor in actors) > 60)
        kill(process)
        for thread in threads:
            thread.join()
        server = stack.enter_context(
            running_server([*instance.flags, "--workers", "1"], instance.data / "log", environment())
        )
        again = Crowd(server.url, instance.first_key)
        stack.callback(again.close)
        for actor in actors:
            actor.person = again.twin(Person(server.url, actor.person.token, actor.person.owner))
            actor.repeat_all()
        must_hold_what_was_acknowledged(table, actors)


def _act_until_it_is_gone(actor: Actor, table: str) -> None:
    with suppress(HTTPError):
        while True:
            actor.act(table, 1)


def _first_key(instance: Instance, port: int) -> str:
    """Return the first key of a server as soon as the server listens on *port*."""
    _wait_until(lambda: not is_silent(port))
    return instance.first_key


def _wait_until(claim: Callable[[], bool]) -> None:
    for _ in range(100 * CAP_SECONDS):
        if claim():
            return
        Event().wait(0.01)
    raise AssertionError(claim)


def _commands(service: Service) -> list[Command]:
    """Return one request of each kind, each with a different path."""
    host = service.person("host")
    seated, started = Table(service, 2).seated(), Table(service, 3).started()
    free = Table(service, 2)
    start = {"type": "start_game"}
    return [
        Command(host.token, "/v1/tables", {"game": "bankrupt", "visibility": "private"}),
        Command(free.players[2].token, f"{free.path}/seats", {"chips": 12}),
        Command(seated.host.token, f"{seated.path}/actions", start),
        Command(started.due.token, f"{started.path}/actions", {"type": "deal_hand"}),
        Command(host.token, "/v1/keys", {"label": "Ann"}),
        *_last_choices(service),
    ]


def _last_choices(service: Service) -> Iterator[Command]:
    """Yield the last slip, the last pass and the last bid of a hand of Insurance Hearts, each at its own table."""
    *first, last = SEATS
    slips, passes, bids = Hearts(service), Hearts(service), Hearts(service)
    for table in (slips, passes, bids):
        table.dealt()
    slips.slips(first)
    yield _of_last(slips, {"type": "write_slip", "insurance": 5, "foot": True})
    passes.slips().passes(first)
    yield _of_last(passes, {"type": "pass_cards", "cards": passes.hand(last)[:3]})
    bids.slips().passes().bids(first)
    yield _of_last(bids, bids.bid_of(last))


def _of_last(table: Hearts, body: dict[str, Any]) -> Command:
    return Command(table.players[SEATS[-1]].token, f"{table.path}/actions", body)


@contextmanager
def _never_answering(instance: Instance) -> Iterator[tuple[str, subprocess.Popen[str], "SimpleQueue[Any]"]]:
    """Start `never_answers.py`; yield its URL, its process, and a queue of the lines that it prints after the port."""
    said: SimpleQueue[Any] = SimpleQueue()
    with subprocess.Popen(
        [sys.executable, "-P", str(NEVER_ANSWERS), instance.database, str(instance.data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        reader = Thread(target=_listen, args=[process.stdout, said])
        reader.start()
        try:
            yield f"http://127.0.0.1:{said.get(timeout=CAP_SECONDS)['port']}", process, said
        finally:
            process.kill()
            reader.join()


def _listen(lines: Iterable[str], said: "SimpleQueue[Any]") -> None:
    for line in lines:
        said.put(msgspec.json.decode(line))


def _ask_and_hear_nothing(url: str, command: Command, said: "SimpleQueue[Any]") -> None:
    person = Person(url, command.token)
    try:
        answer = person.post(command.path, command.body, "lost", X_Never_Answer="please")
        said.put({"path": "it was answered", "body": repr(answer)})
    except HTTPError:
        pass  # The server was killed.
    finally:
        person.close()


def _must_be_told(url: str, command: Command, body: bytes, service: Service) -> None:
    person = Person(url, command.token)
    for _ in range(2):
        again = person.post(command.path, command.body, "lost")
        assert (again.body, again.is_replayed) == (body, True)
    person.close()
    if receipt := again.json.get("receipt"):
        assert verify(Receipt(**receipt), service.parts.signer.public_key)
