"""The lines of openings.ndjson: what the dossier is about, and the values that its viewer may read."""

# DECISIONS 110

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, to_builtins

from service.audit.judging.disclosures import disclosures_of
from service.canonical import canonical
from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games.common_events import CardsDealt
from service.tables import visibility
from service.tables.sealed_store import Unsealer

FORMAT: Final = "chiptrail/dossier/v1"


class Subject(Struct, frozen=True, kw_only=True):
    """What a dossier is about: a *hand* (0: the whole table) of *stream*, as the seat *viewer* (0: everybody) sees it.

    *first* and *last* are the positions of the first and the last event of the hand, or of the dossier of a whole
    table.
    """

    stream: str
    hand: int
    viewer: int
    first: int
    last: int


def lines(subject: Subject, recorded: Sequence[RecordedEvent], unsealer: Unsealer) -> bytes:
    """Return openings.ndjson for the events *recorded*, from the first event of the stream on."""
    begin = {"begin": {"format": FORMAT, **to_builtins(subject)}}
    found = sorted(_openings(subject, recorded, unsealer), key=lambda one: one["from"])  # The sort is stable.
    return b"".join(canonical(line) + b"\n" for line in (begin, *found))


def _openings(subject: Subject, recorded: Sequence[RecordedEvent], unsealer: Unsealer) -> Iterator[dict[str, Any]]:
    """Yield the openings of the cards and sealed fields that the viewer may read.

    Of the fields that were sealed after the subject's last event, yield only those that everybody may read: otherwise a
    player who gives away the dossier of an earlier hand would give away secrets of the running hand, too.
    """
    disclosures, seat = disclosures_of(recorded), subject.viewer
    revealed, until_last = disclosures.ended, recorded[: subject.last]
    hidden = [one for one in until_last if isinstance(one.event, CardsDealt) and one.event.epoch not in revealed]
    for card in visibility.card_openings(hidden, seat, unsealer):
        members = ("epoch", "face", "pos", "proof", "salt")
        yield {"from": card.position, "card": {name: to_builtins(getattr(card, name)) for name in members}}
    given: set[FieldPlace] = set()
    for disclosed in visibility.disclosed_fields(recorded, disclosure.NOTHING_SEALED, seat, unsealer):
        place = (disclosed.opening.position, disclosed.opening.field)
        is_shown = place[0] <= subject.last or disclosures.ends.get(place) == "open"
        # When a field is opened to everybody, it is disclosed once more to the seats that could already read it.
        if is_shown and place not in given:
            given.add(place)
            yield {"from": disclosed.position, "field": to_builtins(disclosed.opening)}
