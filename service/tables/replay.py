"""Replay: fold a stream as it was recorded, command by command."""

from collections.abc import Iterable, Iterator

from service.event_store.codec import RecordedEvent
from service.games.game import Decision
from service.tables.fold import Step, TableAt, begin, fold


class CannotReplay(Exception):
    """The last event of *recorded*, a decision and its consequences so far, is impossible at its position.

    No later event can be judged. *before*: the table before the decision; None: the stream's first event is impossible.
    """

    def __init__(self, before: TableAt | None, recorded: tuple[RecordedEvent, ...], cause: Exception) -> None:
        super().__init__(f"{recorded[-1].type} is impossible at position {recorded[-1].position}: {cause!r}")
        self.before = before
        self.recorded = recorded
        self.cause = cause


def commands(
    stream_id: bytes, events: Iterable[RecordedEvent], before: TableAt | None = None
) -> Iterator[tuple[Step, ...]]:
    """Yield the steps of *events*, the ones after *before* in a table's stream: each decision with its consequences.

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
            table_at = fold(now, [recorded])
        except Exception as error:  # A forged event may break the rules in any way: that is a finding, not a crash.
            raise CannotReplay(before, (*(step.recorded for step in steps), recorded), error) from error
        steps.append(Step(recorded, now.state, table_at))
    if steps:
        yield tuple(steps)
