"""Power is lost at any moment on SQLite: acknowledged commands survive, whichever unsynced writes reached the disk.

The server is an unchanged `chiptrail serve`. A tracer writes the file operations of its SQLite to a trace; the tests
replay the trace up to a moment, and simulate a loss of power at this moment.
"""

import random
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from urllib3.exceptions import HTTPError

from service import merkle, settings
from service.cli.verify import run as verify
from service.database.engines import make_engine
from service.database.exclusive import SEQUENCING, exclusive_work
from service.event_store.entries import stream_name
from service.settings import Settings
from service.transparency import checkpoint, log_key
from service.transparency.checkpoint import Checkpoint
from tests.cli.commands import Instance
from tests.faults import surroundings
from tests.faults.party import Game, playing
from tests.faults.power import SURVIVALS, Disk, Step, lay, read_trace
from tests.faults.servers import serving, wait_until
from tests.faults.vfs import KILL, File, Op
from tests.once.clients import Answer, Crowd

COMMANDS_A_GAME: Final = 150


class Acknowledged(NamedTuple):
    """An acknowledged leaf. *mark*: the length of the trace, in bytes, right after the acknowledgement."""

    stream: str
    position: int
    leaf_hash: str
    mark: int


class Lost(AssertionError):
    """An acknowledged leaf is missing."""


class Played(NamedTuple):
    """Played games: the *disk* before them, the *steps* of the trace, and the acknowledged *leaves*."""

    instance: Instance
    disk: Disk
    steps: Sequence[Step]
    leaves: Sequence[Acknowledged]
    games: Sequence[Game]


@pytest.fixture
def kind() -> str:
    return "sqlite"


@pytest.mark.parametrize(
    ("commands", "points"),
    [pytest.param(200, 12, id="some"), pytest.param(1500, 300, id="many", marks=pytest.mark.full)],
)
def test_acknowledged_commands_survive_a_loss_of_power_at_any_moment(
    instance: Instance, chance: random.Random, tmp_path: Path, commands: int, points: int
) -> None:
    played = _play(instance, chance, commands)
    for number, (disk, mark) in enumerate(_losses(played, chance, points)):
        survival = SURVIVALS[number % len(SURVIVALS)]
        print(f"{number}: power lost at {mark}, {survival.name} survives")  # noqa: T201 -- pytest shows this on failure
        _must_hold(played, mark, disk.after(survival, chance), tmp_path / "after")
    _must_be_played_on(played, _disk_at_end(played).after(SURVIVALS[0], chance), tmp_path / "end")


def test_if_commits_are_not_synced_the_loss_is_found(instance: Instance, chance: random.Random, tmp_path: Path) -> None:
    played = _play(instance, chance, 60, syncs_commits=False)
    losses = [(mark, disk.after(SURVIVALS[0], chance)) for disk, mark in _losses(played, chance, 20)]
    with pytest.raises(Lost):
        _must_hold_all(played, losses, tmp_path)


@pytest.mark.parametrize(
    "processes",
    [
        pytest.param(1, id="by a process that reads the written pages"),
        pytest.param(2, id="by an older process that does not read them"),
    ],
)
@pytest.mark.parametrize("is_dispute", [pytest.param(False, id="an action"), pytest.param(True, id="a dispute")])
def test_a_repeat_gets_no_result_that_a_loss_of_power_can_still_undo(
    instance: Instance, chance: random.Random, tmp_path: Path, processes: int, *, is_dispute: bool
) -> None:
    file = Path(instance.database.removeprefix("sqlite:///"))
    disk = Disk({File.DATABASE: file.read_bytes()})
    trace, leaves = surroundings.trace(instance.data), list[Acknowledged]()
    with (
        exclusive_work(make_engine(instance.database), SEQUENCING),  # else the log keeper could sync before the repeat
        serving(instance, "--workers", str(processes), more=surroundings.of(instance.data)) as server,
        closing(Crowd(server.url, instance.first_key)) as crowd,
    ):
        game = Game(crowd, chance)
        dealer = game.dealer
        dealer.acknowledged = _Noted(trace, leaves, dealer.acknowledged)
        deal = f"{game.table}/actions", {"type": "deal_hand"}, "deal"
        dispute = f"{game.table}/disputes", {"hand": 1, "ground": "time"}, "dispute"
        if is_dispute:
            dealer.post(*deal)
        wait_until(lambda: all(_has_opened(worker, file) for worker in server.workers()))
        surroundings.failing(instance.data).write_text(KILL)
        with pytest.raises(HTTPError):  # the process that wrote the command was killed before the sync
            dealer.post(*(dispute if is_dispute else deal))
        server.must_be_ready()
        dealer.repeat_unheard()
        is_replayed = list(dealer.acknowledged.values())[-1].is_replayed
        # SQLite reads unsynced pages only if no other process has the file open.
        assert is_replayed == (processes == 1)
        server.kill()
    played = Played(instance, disk, read_trace(trace), leaves, [game])
    for step in played.steps:
        if step.end <= leaves[-1].mark:
            disk.do(step)
    _must_hold(played, leaves[-1].mark, disk.after(SURVIVALS[0], chance), tmp_path / "after")


def _play(instance: Instance, chance: random.Random, commands: int, *, syncs_commits: bool = True) -> Played:
    """Play on a server with traced SQLite until it has answered *commands* commands or the games end; then kill it."""
    file = Path(instance.database.removeprefix("sqlite:///"))
    disk = Disk({File.DATABASE: file.read_bytes()})
    trace = surroundings.trace(instance.data)
    leaves: list[Acknowledged] = []
    with (
        serving(instance, more=surroundings.of(instance.data)) as server,
        closing(Crowd(server.url, instance.first_key)) as crowd,
    ):
        if not syncs_commits:
            surroundings.loose(instance.data).touch()
        games = [Game(crowd, chance) for _ in range(-(-commands // COMMANDS_A_GAME))]
        for actor in (actor for game in games for actor in game.actors):
            actor.acknowledged = _Noted(trace, leaves, actor.acknowledged)
        with playing(games) as load:
            wait_until(lambda: load.heard >= commands or load.has_ended)
            server.kill()
    steps = read_trace(trace)
    assert any((step.op, step.file) == (Op.WRITE, File.DATABASE) for step in steps)  # checkpoints happened
    return Played(instance, disk, steps, leaves, games)


class _Noted(dict[str, Answer]):
    """The acknowledged responses of a client, and for each response its leaf and the length of the trace."""

    def __init__(self, trace: Path, leaves: list[Acknowledged], answers: Mapping[str, Answer]) -> None:
        super().__init__()
        self._trace = trace
        self._leaves = leaves
        for cmd, answer in answers.items():
            self.setdefault(cmd, answer)

    def setdefault(self, cmd: str, answer: Answer) -> Answer:
        if cmd not in self:
            receipt = answer.json["receipt"]
            mark = self._trace.stat().st_size
            self._leaves.append(Acknowledged(receipt["stream"], receipt["position"], receipt["leaf_hash"], mark))
        return super().setdefault(cmd, answer)


def _losses(played: Played, chance: random.Random, points: int) -> Iterator[tuple[Disk, int]]:
    """Yield the disk and the trace's length at *points* random moments, half of them right after an acknowledgement."""
    marks = sorted(one.mark for one in played.leaves)
    after = [number for number, step in enumerate(played.steps) if step.end >= marks[0]]
    acknowledged = [
        max(number for number in after if played.steps[number].end <= mark)
        for mark in chance.choices(marks, k=points // 2)
    ]
    chosen = sorted([*acknowledged, *chance.choices(after, k=points - len(acknowledged))])
    disk, done = played.disk.copy(), 0
    for number in chosen:
        for step in played.steps[done : number + 1]:
            disk.do(step)
        done = number + 1
        yield disk, played.steps[number].end


def _must_hold(played: Played, mark: int, files: Mapping[File, bytes], folder: Path) -> None:
    """Check that a database of *files* is intact and has every leaf acknowledged up to *mark*.

    Raises:
        Lost: an acknowledged leaf is missing.
    """
    database = _laid(files, folder)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = {
            (stream_name(stream), position): sha256(b"\0" + leaf).hexdigest()
            for stream, position, leaf in connection.execute("SELECT stream_id, position, leaf FROM events")
        }
    for one in played.leaves:
        if one.mark <= mark and found.get((one.stream, one.position)) != one.leaf_hash:
            raise Lost(one)
    report = verify(_settings_of_that_moment(played, database))
    assert not report.has_failed, report
    shutil.rmtree(folder)


def _settings_of_that_moment(played: Played, database: Path) -> Settings:
    """Return settings for *database*, with its newest checkpoint as the last that the signer signed.

    The signer's own file is from the end of the games, and this database may be from an earlier moment.
    """
    now = settings.load({}, data_folder=played.instance.data)
    key = log_key.load(now.log_key_file)
    with closing(sqlite3.connect(database)) as connection:
        newest = connection.execute("SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
    empty = checkpoint.signed(Checkpoint(key.origin, 0, merkle.EMPTY_ROOT), key.private_key)
    of_moment = settings.load(
        {},
        data_folder=played.instance.data,
        database_url=f"sqlite:///{database}",
        log_key_file=shutil.copy(now.log_key_file, database.parent),
    )
    of_moment.log_head_file.write_text(newest[0] if newest else str(empty))
    return of_moment


def _must_hold_all(played: Played, losses: Sequence[tuple[int, Mapping[File, bytes]]], folder: Path) -> None:
    for number, (mark, files) in enumerate(losses):
        _must_hold(played, mark, files, folder / f"after {number}")


def _must_be_played_on(played: Played, files: Mapping[File, bytes], folder: Path) -> None:
    """Serve a database of *files*, from the end of the trace, and let all clients repeat all acknowledged commands."""
    instance = Instance(f"sqlite:///{_laid(files, folder)}", played.instance.data)
    with serving(instance) as server:
        for game in played.games:
            game.move_to(server.url)
            for actor in game.actors:
                actor.repeat_all()
            game.must_hold()


def _has_opened(process: int, file: Path) -> bool:
    with suppress(FileNotFoundError):  # the process closed the file, or ended, meanwhile
        return any(each.resolve() == file.resolve() for each in Path(f"/proc/{process}/fd").iterdir())
    return False


def _laid(files: Mapping[File, bytes], folder: Path) -> Path:
    folder.mkdir()
    lay(files, folder / "database.db")
    return folder / "database.db"


def _disk_at_end(played: Played) -> Disk:
    disk = played.disk.copy()
    for step in played.steps:
        disk.do(step)
    return disk
