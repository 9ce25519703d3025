"""Replay: folds a recorded stream, one command at a time."""

from collections.abc import Iterable, Iterator

from service.event_store.codec import RecordedEvent
from service.games.game import Decision
from service.tables.fold import Step, TableAt, begin, step


class CannotReplay(Exception):
    """An event is impossible at its position, so no later event can be checked.

    *recorded*: the events of the command, up to and including the impossible event. *before*: the table before the
    command, or None if the command begins the stream.
    """

    def __init__(self, before: TableAt | None, recorded: tuple[RecordedEvent, ...], cause: Exception) -> None:
        super().__init__(f"{recorded[-1].type} is impossible at position {recorded[-1].position}: {cause!r}")
        self.before = before
        self.recorded = recorded
        self.cause = cause


def commands(
    stream_id: bytes, events: Iterable[RecordedEvent], before: TableAt | None = None
) -> Iterator[tuple[Step, ...]]:
    """Yield the steps of each command in *events*: the decision and its consequences.

    *before*: the table right before *events* in their stream; None: *events* begin the stream.

    Raises:
        CannotReplay: an event is impossible at its position.
    """
    table_at = before
    steps: list[Step] = []
    for recorded in events:
        if steps and isinstance(recorded.event, Decision):
            yield tuple(steps)
            before, steps = table_at, []
        try:
            now = table_at or begin(stream_id, recorded)
            steps.append(step(now, recorded))
        except Exception as error:  # The rules may raise any error for a forged event: that is a finding, not a crash.
            raise CannotReplay(before, (*(one.recorded for one in steps), recorded), error) from error
        table_at = steps[-1].after
    if steps:
        yield tuple(steps)
