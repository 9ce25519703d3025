"""Defects that the simulator must find, planted one at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import pytest
from sqlalchemy import Connection

from service.database import engines, sql
from service.database.engines import UnknownCommit
from service.event_store import batch, queries
from service.event_store.batch import RowsToInsert
from service.play.handler import Play
from service.play.writing import writer_connection
from service.projections import projector
from service.projections.projector import Changes
from service.secrets.derivation import Derivation
from service.tables import visibility

Plant = Callable[[pytest.MonkeyPatch], None]


def answers_before_it_is_committed(patch: pytest.MonkeyPatch) -> None:
    """Acknowledge a command although its commit failed."""

    committed = engines.all_or_nothing

    def all_or_nothing(connection: Connection) -> Iterator[Connection]:
        with suppress(UnknownCommit):
            yield from committed(connection)

    for module in (engines, writer_connection):
        patch.setattr(module, "all_or_nothing", all_or_nothing)


def knows_no_repeat(patch: pytest.MonkeyPatch) -> None:
    """Derive a new command id each time an Idempotency-Key is repeated."""
    seen: dict[tuple[str, str], int] = {}
    own = Derivation.command_id

    def command_id(self: Derivation, caller: str, stream: str, key: str) -> str:
        times = seen[caller, key] = seen.get((caller, key), 0) + 1
        return own(self, caller, stream, key if times == 1 else f"{key}, the {times}th time")

    patch.setattr(Derivation, "command_id", command_id)


def keeps_what_was_undone(patch: pytest.MonkeyPatch) -> None:
    """Cache the table with the events of a command although the command is not committed yet."""
    decide = Play._decide

    def made(self: Play, *given: Any) -> Any:  # noqa: ANN401 -- the arguments are only passed on
        found = decide(self, *given)
        self._tables.put(found.table_at, self._log.generation.number)
        return found

    patch.setattr(Play, "_decide", made)


def writes_half_of_the_rows(patch: pytest.MonkeyPatch) -> None:
    """Leave out the last of several rows of transfers."""
    rows = projector.added_rows

    def some(every: Sequence[Changes]) -> tuple[RowsToInsert, ...]:
        transfers, *others = rows(every)
        fewer = transfers.rows[:-1] if len(transfers.rows) > 1 else transfers.rows
        return (RowsToInsert(transfers.insert, fewer), *others)

    patch.setattr(projector, "added_rows", some)


def tells_everybody_all_cards(patch: pytest.MonkeyPatch) -> None:
    """Give the openings of all dealt cards to every caller."""

    def openings(recorded: Any, seat: int, hidden: Any) -> Any:  # noqa: ANN401 -- the types do not matter here
        found = []
        for one in recorded:
            for position, to in getattr(one.event, "cards", ()) if one.type == "cards_dealt" else ():
                with suppress(LookupError):
                    found.append(visibility._opening(one.position, hidden.deck(one.event.epoch), position))
                del to
        return tuple(found)

    patch.setattr(visibility, "card_openings", openings)


def asks_nobody_where_the_stream_stands(patch: pytest.MonkeyPatch) -> None:
    """Advance a stream without comparing its head: a command that lost the race for a position also writes."""
    advance = batch._advance

    def advanced(rows: str, only: str = "") -> str:
        return advance(rows, only).replace(" AND streams.head = new.old_head AND streams.head_hash = new.old_hash", "")

    patch.setattr(batch, "_advance", advanced)
    alone = "UPDATE streams SET head = :head, head_hash = :head_hash WHERE stream_id = :stream_id"
    patch.setattr(queries, "ADVANCE", sql.Sql(alone))


ALL: Final[tuple[Plant, ...]] = (
    answers_before_it_is_committed,
    asks_nobody_where_the_stream_stands,
    knows_no_repeat,
    keeps_what_was_undone,
    writes_half_of_the_rows,
    tells_everybody_all_cards,
)
