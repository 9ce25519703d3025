"""Tables as an asker may know them."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.games.table import seat_of
from service.http import weights
from service.http.envelopes import EventItem, with_openings
from service.http.parts import here
from service.http.problems import Problem
from service.http.visit import Asker, visit
from service.log.codec import Recorded
from service.projections import hands, sight
from service.projections.situations import Situation
from service.projections.vault import Hidden, Opened

_TABLE: Final = re.compile("tbl_([0-9a-f]{32})", re.ASCII)


class At(Struct, frozen=True):
    """Which position to look at."""

    at: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The table as it stood at this position; 0: as it stands.")
    ] = 0


def stream_of(table: str) -> bytes:
    """Return the stream of the table with the id *table*.

    Raises:
        Problem: no table has such an id.
    """
    found = _TABLE.fullmatch(table)
    if found is None:
        raise Problem("table_must_exist")
    visit().table = table
    return bytes.fromhex(found[1])


def now(connection: Connection, stream_id: bytes, asker: Asker) -> Situation:
    """Return the table as it stands.

    Raises:
        Problem: there is none, or none that *asker* may know of.
        LogMustRunOn: its log does not hold so far.
    """
    situation = as_far_as_it_holds(connection, stream_id, asker)
    must_stand(situation)
    return situation


def must_stand(situation: Situation) -> None:
    """Pass a table as it stands, not as it stood before its log ceased to hold.

    Raises:
        LogMustRunOn: it is not known how it stands.
    """
    if situation.broken_at:
        here().log.damages.must_not_have(situation.stream_id)


def as_far_as_it_holds(connection: Connection, stream_id: bytes, asker: Asker) -> Situation:
    """Return the table as it stands, or as it stood where its log was still whole.

    Raises:
        Problem: there is none, or none that *asker* may know of.
        LogMustRunOn: not even its first event holds.
    """
    situation = here().tables.now(connection, stream_id)
    if situation is None or not sight.may_know(situation.state, asker.owner, reads_all=asker.reads_all):
        raise Problem("table_must_exist")
    visit().position = situation.position
    return situation


def hidden(connection: Connection, situation: Situation) -> Hidden:
    """Return what finds what a table hides, for `sight` to show from."""
    return Opened(here().vault, connection, situation)


def seat_seen_from(situation: Situation, asker: Asker) -> int:
    """Return the seat whose cards *asker* may see: its own, by a key that may play; 0: none."""
    return seat_of(situation.state, asker.owner) if "play" in asker.scopes else 0


def items(
    connection: Connection, situation: Situation, asker: Asker, recorded: Sequence[Recorded]
) -> tuple[EventItem, ...]:
    """Return the events *recorded* as *asker* may see them."""
    if not recorded:
        return ()
    seat, found = seat_seen_from(situation, asker), hidden(connection, situation)
    before = hands.silence_before(connection, here().log, situation, recorded[0].position)
    return with_openings(recorded, sight.openings(recorded, seat, found), sight.fields(recorded, before, seat, found))


def position_of(situation: Situation, at: int) -> int:
    """Return the position to look at: *at*, or where the table stands if that is 0.

    Raises:
        Problem: the table has not come there yet.
        LogMustRunOn: its log does not hold so far.
    """
    if not at or at > situation.position:
        must_stand(situation)
    if at > situation.position:
        raise Problem("position_must_exist", f"The table stands at {situation.position}.")
    return at or situation.position


def then(connection: Connection, situation: Situation, at: int) -> Situation:
    """Return the table of *situation* as it stood at the position *at*; 0: as it stands.

    Raises:
        Problem: the table has not come there yet.
        LogMustRunOn: its log does not hold so far.
    """
    position = visit().position = position_of(situation, at)
    if not at:
        return situation
    weights.add(weights.PAST)
    past = here().tables.then(connection, situation, position)
    assert past is not None  # noqa: S101 -- for mypy: position 1 was passed long ago
    return past
