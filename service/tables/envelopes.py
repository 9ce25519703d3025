"""Envelopes of events in feeds, answers and exports: a leaf, and the openings that it discloses to one caller."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Raw, Struct

from service.event_store.codec import RecordedEvent
from service.secrets.openings import FieldOpening
from service.tables.visibility import CardOpening, DisclosedField


class EventItem(Struct, frozen=True):
    """An event: its leaf, byte for byte as it was hashed, and the openings that this caller may see."""

    leaf: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Leaf"})]
    hash: Annotated[str, Meta(description="SHA-256 of a zero byte and the leaf's bytes, in hex.")]
    openings: Annotated[tuple[CardOpening, ...], Meta(description="Faces that this event dealt to the caller's seat.")]
    fields: Annotated[
        tuple[FieldOpening, ...],
        Meta(description="Sealed fields, of this event or earlier ones, that the caller may read from this event on."),
    ]


def with_openings(
    recorded: Sequence[RecordedEvent], openings: Sequence[CardOpening], fields: Sequence[DisclosedField]
) -> tuple[EventItem, ...]:
    """Return an envelope for each event of *recorded*, with the *openings* and *fields* of that event."""
    return tuple(
        EventItem(
            Raw(one.leaf),
            one.hash.hex(),
            tuple(each for each in openings if each.position == one.position),
            tuple(each.opening for each in fields if each.position == one.position),
        )
        for one in recorded
    )
