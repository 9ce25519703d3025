"""Finds the last leaf that the dossier of a hand or of a table needs; the dossier has all leaves up to this leaf."""

from collections.abc import Sequence

from msgspec import Struct

from service.audit.judging.disclosures import disclosures_of
from service.event_store.codec import RecordedEvent
from service.games.common_events import CardsDealt, ValueErased
from service.projections.hand_history import HandItem


class NotCovered(Exception):
    """No signed checkpoint covers all leaves that the dossier needs."""


class Extent(Struct, frozen=True):
    """The events of a hand, from the position *first* to *last*, and the position *end* of the last event needed.

    For a whole table, *first* is 1, and *last* is *end*.
    """

    first: int
    last: int
    end: int


def of_table(recorded: Sequence[RecordedEvent], covered: int, disputed: int = 0) -> Extent:
    """Return the extent of a whole table; *covered* is the last position that the checkpoint covers.

    *disputed* is the last position of the table at which a step of a dispute was decided; 0: there is none.

    Raises:
        NotCovered: the checkpoint covers no whole command yet; or the position *disputed*, or the erasure of a value in
            the extent, is after the extent.
    """
    end = _covered_commands(recorded, covered)
    _must_cover_erasures(recorded, end)
    if disputed > end:
        raise NotCovered
    return Extent(1, end, end)


def of_hand(recorded: Sequence[RecordedEvent], hand: HandItem, covered: int, disputed: int = 0) -> Extent:
    """Return the extent of *hand*; *recorded* is the whole stream, *covered* and *disputed* are as for `of_table`.

    All covered commands are needed while the hand is played, while a deck of the hand is not revealed, or while a
    sealed field of the hand may still become public.

    Raises:
        NotCovered: the checkpoint does not cover every recorded command that the hand needs.
    """
    limit = _covered_commands(recorded, covered)
    if limit < (hand.last if hand.is_settled else hand.first):
        raise NotCovered
    first, last = hand.first, min(hand.last, limit)
    disclosures = disclosures_of(recorded)
    of_hand = recorded[first - 1 : last]
    epochs = {one.event.epoch for one in of_hand if isinstance(one.event, CardsDealt)}
    needed = [last, disputed]
    needed += [disclosures.ended[epoch].position if epoch in disclosures.ended else limit for epoch in epochs]
    needed += [disclosures.settled[one.position, field] or limit for one in of_hand for field in one.priv]
    end, before = _end_of_command(recorded, max(needed)), 0
    while end != before:
        erasures = [at for (position, _), at in disclosures.erased.items() if position <= end]
        before, end = end, _end_of_command(recorded, max([end, *erasures]))
    if end > limit:
        raise NotCovered
    return Extent(first, last, end)


def _covered_commands(recorded: Sequence[RecordedEvent], covered: int) -> int:
    """Return the last position at or before *covered* at which a command ends.

    Raises:
        NotCovered: there is no such position.
    """
    for position in range(min(covered, len(recorded)), 0, -1):
        if _end_of_command(recorded, position) == position:
            return position
    raise NotCovered


def _end_of_command(recorded: Sequence[RecordedEvent], position: int) -> int:
    """Return the position of the last event of the command that has the event at *position*."""
    while position < len(recorded) and not recorded[position].cmd:
        position += 1
    return position


def _must_cover_erasures(recorded: Sequence[RecordedEvent], end: int) -> None:
    """Check that no event after *end* erased a value that was sealed at or before *end*: its opening would be missing.

    Raises:
        NotCovered: a checkpoint must cover the erasure first.
    """
    for one in recorded[end:]:
        if isinstance(one.event, ValueErased) and one.event.position <= end:
            raise NotCovered
