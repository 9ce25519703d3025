"""Envelopes of events in feeds, responses and exports: each has a leaf and the openings that the viewer may see."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Raw, Struct

from service.event_store.codec import RecordedEvent
from service.secrets.openings import FieldOpening
from service.tables.visibility import CardOpening, DisclosedField


class EventItem(Struct, frozen=True):
    """An event: its leaf, byte for byte as it was hashed, and the openings that the event discloses to the caller."""

    leaf: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Leaf"})]
    hash: Annotated[str, Meta(description="SHA-256 of a zero byte and the leaf's bytes, in hex.")]
    openings: Annotated[
        tuple[CardOpening, ...], Meta(description="The cards that this event dealt to the caller's seat.")
    ]
    fields: Annotated[
        tuple[FieldOpening, ...],
        Meta(description="The sealed fields, of this or earlier events, that the caller may read from this event on."),
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
