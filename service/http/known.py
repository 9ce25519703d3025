"""Tables as an asker may know them."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

from msgspec import Meta, Raw, Struct
from sqlalchemy import Connection

from service.games.table import seat_of
from service.http.parts import here
from service.http.problems import Problem
from service.http.visit import Asker, visit
from service.log.codec import Recorded
from service.projections import sight
from service.projections.sight import CardOpening, DeckOf
from service.projections.situations import Situation

_TABLE: Final = re.compile("tbl_([0-9a-f]{32})", re.ASCII)


class At(Struct, frozen=True):
    """Which position to look at."""

    at: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The table as it stood at this position; 0: as it stands.")
    ] = 0


class EventItem(Struct, frozen=True):
    """An event: its leaf, byte for byte as it was hashed, and what this asker may see besides."""

    leaf: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Leaf"})]
    hash: Annotated[str, Meta(description="SHA-256 of a zero byte and the leaf's bytes, in hex.")]
    openings: Annotated[tuple[CardOpening, ...], Meta(description="Faces that this event dealt to the asker's seat.")]


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
    """
    situation = here().tables.now(connection, stream_id)
    if situation is None or not sight.may_know(situation.state, asker.owner, reads_all=asker.reads_all):
        raise Problem("table_must_exist")
    visit().position = situation.position
    return situation


def deck_of(connection: Connection, situation: Situation) -> DeckOf:
    """Return what finds the decks of a table, for `sight` to show faces from."""
    return partial(here().decks.deck, connection, situation)


def seat_seen_from(situation: Situation, asker: Asker) -> int:
    """Return the seat whose cards *asker* may see: its own, by a key that may play; 0: none."""
    return seat_of(situation.state, asker.owner) if "play" in asker.scopes else 0


def items(
    connection: Connection, situation: Situation, asker: Asker, recorded: Sequence[Recorded]
) -> tuple[EventItem, ...]:
    """Return the events *recorded* as *asker* may see them."""
    openings = sight.openings(recorded, seat_seen_from(situation, asker), deck_of(connection, situation))
    return with_openings(recorded, openings)


def with_openings(recorded: Sequence[Recorded], openings: Sequence[CardOpening]) -> tuple[EventItem, ...]:
    """Put each of *openings* beside its event."""
    return tuple(
        EventItem(Raw(one.leaf), one.hash.hex(), tuple(each for each in openings if each.position == one.position))
        for one in recorded
    )


def position_of(situation: Situation, at: int) -> int:
    """Return the position to look at: *at*, or where the table stands if that is 0.

    Raises:
        Problem: the table has not come there yet.
    """
    if at > situation.position:
        raise Problem("position_must_exist", f"The table stands at {situation.position}.")
    return at or situation.position


def then(connection: Connection, situation: Situation, at: int) -> Situation:
    """Return the table of *situation* as it stood at the position *at*; 0: as it stands.

    Raises:
        Problem: the table has not come there yet.
    """
    position = visit().position = position_of(situation, at)
    if not at:
        return situation
    past = here().tables.then(connection, situation.stream_id, position)
    assert past is not None  # noqa: S101 -- for mypy: position 1 was passed long ago
    return past
