"""Events in their envelopes, as feeds, answers and exports have them: a leaf, and what comes with it for one caller."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Raw, Struct

from service.event_store.codec import RecordedEvent
from service.secrets.openings import FieldOpening
from service.tables.visibility import CardOpening, DisclosedField


class EventItem(Struct, frozen=True):
    """An event: its leaf, byte for byte as it was hashed, and what this caller may see besides."""

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
    """Put each of *openings* and *fields* beside its event."""
    return tuple(
        EventItem(
            Raw(one.leaf),
            one.hash.hex(),
            tuple(each for each in openings if each.position == one.position),
            tuple(each.opening for each in fields if each.position == one.position),
        )
        for one in recorded
    )
