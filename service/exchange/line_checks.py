"""Checks the lines of one stream before any of its events is written: their chain, their times and their openings."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from service.event_store import leaf
from service.event_store.disclosure import FieldPlace, SealedField, sealed_fields
from service.exchange.export_reader import CannotImport, EventLine
from service.secrets.openings import FieldOpening, OpeningMustMatch, check_opening

_CLOCKS_DIFFER: Final = timedelta(days=1)

Openings: TypeAlias = Mapping[FieldPlace, FieldOpening]


def openings_in(lines: Sequence[EventLine]) -> Openings:
    """Return the openings of sealed fields in *lines*, by position and field.

    Raises:
        CannotImport: an opening does not match its commitment, or no leaf up to the opening's line has the commitment.
    """
    sealed: dict[tuple[str, int, str], SealedField] = {}
    found: dict[FieldPlace, FieldOpening] = {}
    for one in lines:
        sealed |= {(one.stream, field.position, field.field): field for field in sealed_fields(one.recorded)}
        for opening in one.fields:
            place = (opening.position, opening.field)
            try:
                check_opening(opening, sealed[opening.stream, *place].committed)
            except (KeyError, OpeningMustMatch) as error:
                why = f"{opening.field!r} of position {opening.position} is not what its leaf commits to."
                raise CannotImport(why, line=one.line) from error
            found[place] = opening
    return found


def must_be_past(lines: Sequence[EventLine], now: str) -> None:
    """Check that no event is in the future; the clocks of two services may differ by a day.

    Without this check, a table whose first event is in the future would stay at the top of the lists of tables.

    Raises:
        CannotImport: an event is more than a day in the future.
    """
    latest = datetime.fromisoformat(now) + _CLOCKS_DIFFER
    for one in lines:
        if datetime.fromisoformat(one.recorded.at) > latest:
            raise CannotImport(f"This event is of {one.recorded.at}, which is in the future.", line=one.line)


def must_be_chained(lines: Sequence[EventLine]) -> None:
    """Check positions, hash chain and command ids of a stream.

    Raises:
        CannotImport: the positions are not 1, 2, 3 and so on, an event does not name the hash of the event before, or
            two events have the same command id.
    """
    before, commands = leaf.NO_HASH, set[str]()
    for position, one in enumerate(lines, start=1):
        if one.recorded.cmd and one.recorded.cmd in commands:
            raise CannotImport("This command was recorded before: a stream has each command once.", line=one.line)
        commands.add(one.recorded.cmd)
        if one.recorded.position != position:
            raise CannotImport(f"Position {position} must come here, not {one.recorded.position}.", line=one.line)
        if one.recorded.prev != before:
            raise CannotImport(f"The leaf must name {before} as the hash of the leaf before.", line=one.line)
        before = one.recorded.hash.hex()
