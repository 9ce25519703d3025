"""A deterministic scheduler: threads run one at a time, and switch only where the simulation hands over."""

import sys
import threading
import traceback
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any, Final, Self

_HERE = threading.local()
_TIRED: Final = 0.001
STEP_SECONDS: Final = 300
"""No step takes this long, unless its task waits for a lock that the scheduler does not know."""


class Killed(BaseException):
    """The process of this task was killed."""


class Stuck(AssertionError):
    """Every task waits for another task, or a task waits for a lock that the scheduler does not know."""


class Task:
    """The work of one thread, which runs only while the scheduler waits for it."""

    def __init__(self, name: str, work: Callable[[], None], done: threading.Semaphore, chance: Random) -> None:
        self.name = name
        self.is_patient = False
        self._chance = chance
        self.may_go: Callable[[], bool] = bool  # the next line replaces it
        self.may_go = lambda: True
        self.is_done = False
        self.is_killed = False
        self.failure: BaseException | None = None
        self.locks: set[object] = set()
        self._work = work
        self._go = threading.Semaphore(0)
        self._back = done
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._go.acquire()
        _HERE.task = self
        try:
            if not self.is_killed:
                self._work()
        except Killed:
            pass
        except BaseException as error:  # noqa: BLE001 -- the scheduler raises it again
            self.failure = error
        self.is_done = True
        self._back.release()

    def step(self) -> None:
        """Run the task until the task hands over or ends.

        Raises:
            Stuck: the task waits for a lock that the scheduler does not know.
        """
        self._go.release()
        if not self._back.acquire(timeout=STEP_SECONDS):
            at = traceback.format_stack(sys._current_frames()[self._thread.ident or 0])
            raise Stuck(f"{self.name} waits, and the scheduler does not know for what:\n{''.join(at)}")
        if self.is_done:
            self._thread.join()

    def waits_long(self, until: Callable[[], bool]) -> bool:
        """Let other tasks run until *until* returns True or, rarely, time is out; return what *until* returns then."""
        self.is_patient = True
        self.hand_over(lambda: until() or self._chance.random() < _TIRED)
        self.is_patient = False
        return until()

    def hand_over(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let other tasks run; this task may go on once *until* returns True."""
        if self.is_killed:
            return  # a killed task only cleans up
        self.may_go = until
        self._back.release()
        self._go.acquire()
        self.may_go = lambda: True
        if self.is_killed:
            raise Killed


class Scheduler:
    """Chooses by *chance* which task runs next."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.tasks: list[Task] = []
        self._back = threading.Semaphore(0)

    def start(self, name: str, work: Callable[[], None]) -> Task:
        task = Task(name, work, self._back, self.chance)
        self.tasks.append(task)
        return task

    def step(self) -> bool:
        """Run one task until it hands over or ends; return False if there is no task."""
        if not self.tasks:
            return False
        ready = [task for task in self.tasks if task.may_go()] or [task for task in self.tasks if task.is_patient]
        if not ready:
            raise Stuck(", ".join(task.name for task in self.tasks))
        self._run(self.chance.choice(ready))
        return True

    def drain(self) -> None:
        """Run all tasks to their ends."""
        while self.step():
            pass

    def kill(self, tasks: list[Task]) -> None:
        """Kill *tasks* where they are; they only clean up, as a database does after its client is gone."""
        for task in tasks:
            task.is_killed = True
            while not task.is_done:
                self._run(task)

    def _run(self, task: Task) -> None:
        task.step()
        if task.is_done:
            self.tasks.remove(task)
            task.locks.clear()
            if task.failure is not None:
                raise task.failure


def current() -> Task | None:
    """Return the running task; None: this thread is no task."""
    return getattr(_HERE, "task", None)


class Lock:
    """Replaces `threading.Lock`: a waiting task hands over to others; a wait with a timeout may, rarely, time out."""

    def __init__(self) -> None:
        self._is_held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 -- threading defines the signature
        task = current()
        while self._is_held:
            if not blocking:
                return False
            if task is None or task.is_killed:
                break  # the task that held the lock is gone too
            if timeout <= 0:
                task.hand_over(lambda: not self._is_held)
            elif not task.waits_long(lambda: not self._is_held):
                return False
        self._is_held = True
        return True

    def release(self) -> None:
        self._is_held = False

    def locked(self) -> bool:
        return self._is_held

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Event:
    """Replaces `threading.Event`; a wait with a timeout may end at any moment."""

    def __init__(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if (task := current()) and not self._is_set:
            task.hand_over((lambda: True) if timeout is not None else self.is_set)
        return self._is_set


class Condition:
    """Replaces `threading.Condition`; a wait with a timeout may end at any moment."""

    def __init__(self, lock: Lock | None = None) -> None:
        self._lock = lock or Lock()
        self._turns = 0
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def wait(self, timeout: float | None = None) -> bool:
        task, turn = current(), self._turns
        self._lock.release()
        if task:
            task.hand_over((lambda: True) if timeout is not None else lambda: self._turns != turn)
        self._lock.acquire()
        return self._turns != turn

    def wait_for(self, predicate: Callable[[], bool], timeout: float | None = None) -> bool:
        while not predicate():
            if not self.wait(timeout) and timeout is not None:
                break
        return predicate()

    def notify(self, n: int = 1) -> None:
        del n
        self._turns += 1

    def notify_all(self) -> None:
        self._turns += 1


STAND_INS: dict[Any, Any] = {
    threading.Lock: Lock,
    threading.RLock: Lock,
    threading.Event: Event,
    threading.Condition: Condition,
}


def stand_in(modules: list[ModuleType]) -> Callable[[], None]:
    """Let *modules* use these classes in place of threading's; return a function that restores the modules."""
    changed: list[tuple[ModuleType, str, object]] = []
    shim = ModuleType("threading")
    shim.__dict__.update(threading.__dict__)
    shim.__dict__.update({kind.__name__ if isinstance(kind, type) else "": one for kind, one in STAND_INS.items()})
    shim.__dict__.update(Lock=Lock, RLock=Lock)
    for module in modules:
        for name, value in list(vars(module).items()):
            instead = shim if value is threading else _instead(value)
            if instead is not None:
                changed.append((module, name, value))
                setattr(module, name, instead)

    def undo() -> None:
        for module, name, value in changed:
            setattr(module, name, value)

    return undo


def _instead(value: object) -> object | None:
    return next((one for kind, one in STAND_INS.items() if value is kind), None)
